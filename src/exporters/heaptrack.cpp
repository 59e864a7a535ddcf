// The text that heaptrack_print and heaptrack_gui read, version 3 of it: a line for each birth and
// each end of a block, and before its first use each text, address, trace, and pair of size and
// trace. All numbers are hexadecimal. Written as the ledger is read: what is kept grows with the
// number of sites and sizes, not with the number of calls.
#include <tsl/robin_map.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/error.h"
#include "exporters/formats.h"
#include "exporters/stacks.h"
#include "text/text.h"

namespace heapledger {
namespace {

// A sampled block is as many lines as the calls it stands for.
constexpr uint64_t kMostCalls = 200'000'000;

struct PairHash {
  size_t operator()(const std::pair<uint64_t, uint64_t>& pair) const {
    return std::hash<uint64_t>()(pair.first * 0x9E3779B97F4A7C15u ^ pair.second);
  }
};
template <typename Value>
using ByPair = tsl::robin_map<std::pair<uint64_t, uint64_t>, Value, PairHash>;

class Line {
 public:
  explicit Line(char kind) : text_(1, kind) {}
  Line& number(uint64_t value) {
    char digits[16];
    char* end = std::to_chars(digits, digits + sizeof(digits), value, 16).ptr;
    text_ += ' ';
    text_.append(digits, end);
    return *this;
  }
  Line& words(std::string_view text) {
    text_ += ' ';
    text_ += text;
    return *this;
  }
  std::string_view finish() {
    text_ += '\n';
    return text_;
  }

 private:
  std::string text_;
};

// Texts, addresses and traces: each has the number of its line, from 1 on.
class Traces {
 public:
  Traces(Ledgers& ledgers, Output& output) : ledgers_(ledgers), output_(output) {}

  uint64_t trace_of(uint32_t site) {
    auto [place, is_new] = by_site_.try_emplace(site, 0);
    if (is_new) place.value() = add(site);
    return place->second;
  }

 private:
  uint64_t text(const std::string& bytes) {
    if (bytes.empty()) return 0;
    auto [place, is_new] = texts_.try_emplace(bytes, texts_.size() + 1);
    if (is_new) {
      std::string harmless = printable(bytes);
      output_.write(Line('s').number(harmless.size()).words(harmless).finish());
    }
    return place->second;
  }

  // Frames that share an address, the innermost first: all but the last are inlined.
  uint64_t address(const NamedFrame* begin, const NamedFrame* end) {
    Line line('i');
    line.number(end[-1].pc).number(text(end[-1].module));
    for (const NamedFrame* frame = begin; frame != end; ++frame) {
      line.number(text(frame->name)).number(text(frame->file)).number(frame->line);
    }
    auto [place, is_new] =
        addresses_.try_emplace(std::string(line.finish()), addresses_.size() + 1);
    if (is_new) output_.write(place->first);
    return place->second;
  }

  uint64_t add(uint32_t site) {
    std::vector<NamedFrame> frames = frames_of(ledgers_, site);
    uint64_t trace = 0;
    for (size_t end = frames.size(); end > 0;) {
      size_t begin = end - 1;
      while (begin > 0 && frames[begin - 1].inlined) --begin;
      uint64_t ip = address(&frames[begin], frames.data() + end);
      auto [place, is_new] = traces_.try_emplace({ip, trace}, traces_.size() + 1);
      if (is_new) output_.write(Line('t').number(ip).number(trace).finish());
      trace = place->second;
      end = begin;
    }
    return trace;
  }

  Ledgers& ledgers_;
  Output& output_;
  tsl::robin_map<std::string, uint64_t> texts_;
  tsl::robin_map<std::string, uint64_t> addresses_;
  ByPair<uint64_t> traces_;
  tsl::robin_map<uint32_t, uint64_t> by_site_;
};

// Births and ends. Heaptrack takes for temporary whatever ends right after the last birth in the
// file, if both have the same number of size and trace: so a block that is none, and would look
// like one, ends with a second number for the same size and trace.
class Events {
 public:
  Events(Ledgers& ledgers, Output& output) : traces_(ledgers, output), output_(output) {}

  void tell(const BlockEvent& event) {
    if (event.what == BlockEvent::What::kLeft) return;  // what is not freed is leaked
    bool born = event.what == BlockEvent::What::kBorn;
    uint64_t trace = traces_.trace_of(event.site);
    // A sampled block: sizes that add up to exactly what it stands for.
    uint64_t calls = event.calls == 0 ? 1 : event.calls;
    uint64_t larger = event.bytes % calls;
    for (uint64_t i = 0; i < calls; ++i) {
      uint64_t size = event.bytes / calls + (i < larger ? 1 : 0);
      if (born) {
        birth(size, trace);
      } else {
        end(size, trace, event.temporary);
      }
    }
  }

 private:
  struct Info {
    uint64_t number = 0;
    uint64_t other = 0;  // for the same; 0: none yet
  };

  void birth(uint64_t size, uint64_t trace) {
    last_ = info_of(size, trace).number;
    output_.write(Line('+').number(last_).finish());
  }

  void end(uint64_t size, uint64_t trace, bool temporary) {
    Info& info = info_of(size, trace);
    uint64_t number = info.number;
    if (number == last_ && !temporary) {
      if (info.other == 0) info.other = add(size, trace);
      number = info.other;
    }
    last_ = 0;
    output_.write(Line('-').number(number).finish());
  }

  Info& info_of(uint64_t size, uint64_t trace) {
    auto [place, is_new] = infos_.try_emplace({size, trace}, Info{});
    if (is_new) {
      // Number 0 is never used: heaptrack takes it for the last birth when there was none.
      if (count_ == 0) add(size, trace);
      place.value().number = add(size, trace);
    }
    return place.value();
  }

  uint64_t add(uint64_t size, uint64_t trace) {
    output_.write(Line('a').number(size).number(trace).finish());
    return count_++;
  }

  Traces traces_;
  Output& output_;
  ByPair<Info> infos_;
  uint64_t count_ = 0;
  uint64_t last_ = 0;
};

// Times in milliseconds, and the resident memory in pages.
class Times {
 public:
  Times(const Series& series, uint64_t page_bytes, Output& output)
      : series_(series), page_bytes_(page_bytes), output_(output) {}

  void pass(uint64_t now_ns) {
    while (next_ < series_.buckets.size() && (next_ + 1) * series_.width_ns <= now_ns) {
      rss((next_ + 1) * series_.width_ns);
    }
    stamp(now_ns);
  }

  void finish(uint64_t end_ns) {
    while (next_ < series_.buckets.size()) rss(std::min(end_ns, (next_ + 1) * series_.width_ns));
    stamp(end_ns);
  }

 private:
  void rss(uint64_t at_ns) {
    uint64_t pages = (series_.buckets[next_++].max_rss + page_bytes_ - 1) / page_bytes_;
    if (pages == last_pages_) return;
    stamp(at_ns);
    output_.write(Line('R').number(pages).finish());
    last_pages_ = pages;
  }

  void stamp(uint64_t at_ns) {
    uint64_t ms = at_ns / 1'000'000;
    if (ms <= last_ms_) return;
    output_.write(Line('c').number(ms).finish());
    last_ms_ = ms;
  }

  const Series& series_;
  uint64_t page_bytes_;
  Output& output_;
  size_t next_ = 0;
  uint64_t last_pages_ = 0;
  uint64_t last_ms_ = 0;
};

const LedgerFacts& the_process(Ledgers& ledgers) {
  const std::vector<LedgerFacts>& facts = ledgers.facts();
  if (facts.size() != 1) {
    throw Error("a heaptrack file is about one process: export each ledger on its own",
                ErrorKind::kQuestion);
  }
  uint64_t calls = ledgers.overview().totals.calls;
  if (facts[0].sampled && calls > kMostCalls) {
    throw Error("the samples stand for " + with_commas(calls) +
                    " calls, and heaptrack's format has a line for each: take a filter, or a"
                    " format with weights, such as pprof",
                ErrorKind::kQuestion);
  }
  return facts[0];
}

}  // namespace

void write_heaptrack(ExportRequest& request, Output& output) {
  const LedgerFacts& facts = the_process(request.ledgers);
  const Overview& overview = request.ledgers.overview();
  uint64_t page_bytes = facts.page_bytes == 0 ? 4096 : facts.page_bytes;
  std::string command = shell_words(facts.command);
  // The version of heaptrack that this is the format of, and that of the format.
  output.write(Line('v').number(0x10400).number(3).finish());
  output.write(Line('X').words(printable(command.empty() ? facts.executable : command)).finish());
  output.write(Line('I').number(page_bytes).number(0).finish());

  Events events(request.ledgers, output);
  Times times(overview.series, page_bytes, output);
  request.ledgers.block_events(request.question, [&](const BlockEvent& event) {
    times.pass(event.time_ns);
    events.tell(event);
  });
  times.finish(overview.duration_ns);
}

}  // namespace heapledger
