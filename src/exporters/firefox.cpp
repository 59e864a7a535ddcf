// A profile for the Firefox Profiler, in its processed format: for each thread the allocations and
// the ends of its blocks as native allocations with addresses, so that the profiler can tell what
// is retained; markers; and the live heap over time as a counter. Version 60 of the format is the
// first with tables for all threads together; the profiler brings what is older than itself up to
// date.
//
// The end of a block stands with the thread that allocated it, whoever freed it: the profiler looks
// for pairs in one thread alone. Ends have no stack, because ledgers have none for them.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "exporters/event_spool.h"
#include "exporters/firefox_stacks.h"
#include "exporters/formats.h"
#include "text/json_text.h"
#include "text/text.h"

namespace heapledger {
namespace {

// What browsers can open with ease: about 80 MB of text. Where there are more births and ends,
// those of small blocks are left out.
constexpr uint64_t kMostEvents = 2'000'000;
constexpr uint32_t kNoStack = UINT32_MAX;

std::string milliseconds(uint64_t ns) {
  std::string thousandths = std::to_string(ns / 1000 % 1000);
  return std::to_string(ns / 1'000'000) + '.' + std::string(3 - thousandths.size(), '0') +
         thousandths;
}

// A thread of a process, and its lane in the spool.
struct Lane {
  uint32_t ledger = 0;
  uint32_t thread = 0;
  size_t number = 0;
};

class Profile {
 public:
  Profile(ExportRequest& request, Output& output)
      : request_(request),
        output_(output),
        facts_(request.ledgers.facts()),
        stacks_(request.ledgers) {
    first_wall_ns_ = UINT64_MAX;
    for (const LedgerFacts& one : facts_) {
      first_wall_ns_ = std::min(first_wall_ns_, one.start_wall_ns);
    }
  }

  void write() {
    for (uint32_t ledger = 0; ledger < facts_.size(); ++ledger) lane_of(ledger, 0);
    find_least();
    request_.ledgers.block_events(request_.question,
                                  [this](const BlockEvent& event) { put(event); });
    output_.write('{');
    write_meta();
    output_.write("\"threads\":[");
    bool first = true;
    for (const auto& [key, number] : lanes_) {
      if (!first) output_.write(',');
      first = false;
      write_thread({key.first, key.second, number});
    }
    output_.write("],\"pages\":[],");
    write_counter();
    stacks_.write(output_);
    output_.write("\"profilerOverhead\":[]}\n");
  }

 private:
  size_t lane_of(uint32_t ledger, uint32_t thread) {
    return lanes_.try_emplace({ledger, thread}, lanes_.size()).first->second;
  }

  // Not freed; and the profiler would take the end of an empty block for a birth.
  static bool is_shown(const BlockEvent& event) {
    bool born = event.what == BlockEvent::What::kBorn;
    return event.what != BlockEvent::What::kLeft && (born || event.bytes > 0);
  }

  // The size from which on blocks are shown: the least power of two with which there are not too
  // many. One pass over the blocks.
  void find_least() {
    struct Class {
      uint64_t events = 0;
      uint64_t births = 0;
      uint64_t bytes = 0;
    };
    std::array<Class, 65> classes{};  // [n]: from 2^(n-1) on
    Class all;
    request_.ledgers.block_events(request_.question, [&](const BlockEvent& event) {
      if (!is_shown(event)) return;
      bool born = event.what == BlockEvent::What::kBorn;
      for (Class* one : {&classes[std::bit_width(event.bytes)], &all}) {
        ++one->events;
        one->births += born ? 1 : 0;
        one->bytes += born ? event.bytes : 0;
      }
    });
    Class out;
    for (size_t i = 0; i < classes.size() && all.events - out.events > kMostEvents; ++i) {
      out.events += classes[i].events;
      out.births += classes[i].births;
      out.bytes += classes[i].bytes;
      least_bytes_ = uint64_t{1} << i;
    }
    if (out.events == 0) return;
    request_.notes.push_back(
        "blocks of less than " + human_bytes(least_bytes_) +
        " are left out so that a browser can open the file: " + percent(out.births, all.births) +
        " of the blocks, " + percent(out.bytes, all.bytes) +
        " of the bytes; a filter or a range "
        "of time shows them");
  }

  void put(const BlockEvent& event) {
    if (!is_shown(event) || event.bytes < least_bytes_) return;
    bool born = event.what == BlockEvent::What::kBorn;
    int64_t bytes = static_cast<int64_t>(std::min<uint64_t>(event.bytes, INT64_MAX));
    spool_.add(lane_of(event.ledger, event.thread),
               {event.time_ns, event.address, born ? bytes : -bytes,
                born ? stacks_.stack_of(event.site) : kNoStack, event.by});
  }

  const LedgerFacts& facts(uint32_t ledger) const {
    return facts_[std::min<size_t>(ledger, facts_.size() - 1)];
  }

  uint64_t tid_of(uint32_t ledger, uint32_t thread) const {
    const std::vector<ThreadFacts>& threads = facts(ledger).threads;
    return thread < threads.size() ? threads[thread].tid : thread;
  }

  void write_meta() {
    const LedgerFacts& one = facts(0);
    std::string command = shell_words(one.command);
    Json meta = {{"interval", 1},
                 {"startTime", static_cast<double>(first_wall_ns_) / 1e6},
                 {"processType", 0},
                 {"product", as_utf8(short_name(one))},
                 {"arguments", as_utf8(command)},
                 {"importedFrom", "Heapledger"},
                 {"stackwalk", 1},
                 {"debug", false},
                 {"version", 31},
                 {"preprocessedProfileVersion", 60},
                 {"platform", "Linux"},
                 {"oscpu", "Linux"},
                 {"symbolicated", true},
                 {"symbolicationNotSupported", true},
                 {"usesOnlyOneStackType", true},
                 {"sourceCodeIsNotOnSearchfox", true},
                 {"markerSchema", Json::array()}};
    meta["categories"] = Json::array(
        {{{"name", "Other"}, {"color", "grey"}, {"subcategories", Json::array({"Other"})}}});
    output_.write("\"meta\":" + json_line(meta) + ",");
  }

  static std::string short_name(const LedgerFacts& facts) {
    return facts.executable.substr(facts.executable.rfind('/') + 1);
  }

  void write_thread(const Lane& lane) {
    const LedgerFacts& one = facts(lane.ledger);
    uint64_t tid = tid_of(lane.ledger, lane.thread);
    std::string name =
        lane.thread < one.threads.size() ? one.threads[lane.thread].name : std::string();
    uint64_t start_ns = one.start_wall_ns - first_wall_ns_;
    output_.write(R"({"processType":"default","processName":)" +
                  json_line(as_utf8(short_name(one))) + R"(,"processStartupTime":)" +
                  milliseconds(start_ns) + R"(,"processShutdownTime":)" +
                  milliseconds(start_ns + one.duration_ns) + R"(,"registerTime":)" +
                  milliseconds(start_ns) + R"(,"unregisterTime":null,"pausedRanges":[],"name":)" +
                  json_line(as_utf8(name.empty() ? short_name(one) : name)) +
                  R"(,"isMainThread":)" + (lane.thread == 0 ? "true" : "false") + R"(,"pid":")" +
                  std::to_string(one.pid) + R"(","tid":)" + std::to_string(tid) +
                  R"(,"samples":{"stack":[],"time":[],"weight":null,"weightType":"samples",)" +
                  R"("length":0},)");
    write_markers(lane);
    write_allocations(lane);
    output_.write('}');
  }

  // Those of a process are with its first thread.
  void write_markers(const Lane& lane) {
    std::vector<Marker> markers;
    for (const Marker& marker : request_.ledgers.overview().markers) {
      if (lane.thread == 0 && marker.ledger == lane.ledger) markers.push_back(marker);
    }
    output_.write("\"markers\":{");
    write_column(output_, "name", markers, [this](const Marker& marker) {
      return std::to_string(stacks_.text(marker.text));
    });
    write_column(output_, "startTime", markers,
                 [](const Marker& marker) { return milliseconds(marker.time_ns); });
    for (const char* column : {"endTime", "data"}) {
      write_column(output_, column, markers, [](const Marker&) { return "null"; });
    }
    for (const char* column : {"phase", "category"}) {
      write_column(output_, column, markers, [](const Marker&) { return "0"; });
    }
    output_.write("\"length\":" + std::to_string(markers.size()) + "},");
  }

  template <typename Value>
  void write_events(const Lane& lane, const char* name, const Value& value) {
    output_.write(std::string("\"") + name + "\":[");
    bool first = true;
    spool_.for_each(lane.number, [&](const SpooledEvent& event) {
      if (!first) output_.write(',');
      first = false;
      output_.write(value(event));
    });
    output_.write("],");
  }

  void write_allocations(const Lane& lane) {
    output_.write("\"nativeAllocations\":{");
    write_events(lane, "time",
                 [](const SpooledEvent& event) { return milliseconds(event.time_ns); });
    write_events(lane, "weight",
                 [](const SpooledEvent& event) { return std::to_string(event.weight); });
    write_events(lane, "stack", [](const SpooledEvent& event) {
      return event.stack == kNoStack ? "null" : std::to_string(event.stack);
    });
    write_events(lane, "memoryAddress",
                 [](const SpooledEvent& event) { return std::to_string(event.address); });
    write_events(lane, "threadId", [&](const SpooledEvent& event) {
      return std::to_string(tid_of(lane.ledger, event.by));
    });
    output_.write(R"("weightType":"bytes","length":)" + std::to_string(spool_.size(lane.number)) +
                  "}");
  }

  // The live heap of all processes together, highest and last of each bucket, as differences.
  void write_counter() {
    const Series& series = request_.ledgers.overview().series;
    std::vector<std::pair<uint64_t, uint64_t>> points = {{0, 0}};
    for (size_t i = 0; i < series.buckets.size(); ++i) {
      uint64_t begin_ns = i * series.width_ns;
      points.emplace_back(begin_ns + series.width_ns / 2, series.buckets[i].max_bytes);
      points.emplace_back(begin_ns + series.width_ns, series.buckets[i].end_bytes);
    }
    output_.write(R"("counters":[{"name":"malloc","category":"Memory","description":)");
    output_.write(R"("Live heap","pid":")" + std::to_string(facts(0).pid) +
                  R"(","mainThreadIndex":0,"samples":{)");
    write_column(output_, "time", points,
                 [](const auto& point) { return milliseconds(point.first); });
    uint64_t last = 0;
    write_column(output_, "count", points, [&last](const auto& point) {
      int64_t difference = static_cast<int64_t>(point.second) - static_cast<int64_t>(last);
      last = point.second;
      return std::to_string(difference);
    });
    output_.write("\"length\":" + std::to_string(points.size()) + "}}],");
  }

  ExportRequest& request_;
  Output& output_;
  const std::vector<LedgerFacts>& facts_;
  FirefoxStacks stacks_;
  EventSpool spool_;
  std::map<std::pair<uint32_t, uint32_t>, size_t> lanes_;
  uint64_t first_wall_ns_ = 0;
  uint64_t least_bytes_ = 0;  // of a block that is shown
};

}  // namespace

void write_firefox(ExportRequest& request, Output& output) {
  Profile(request, output).write();
}

}  // namespace heapledger
