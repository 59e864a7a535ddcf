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

// Births and ends, with the numbers of pairs of size and trace.
//
// heaptrack_gui counts births in a list that grows by one when a birth has the next number: a
// number is given at a birth, each after the one before, and none is left out.
//
// Both programs take for temporary whatever ends right after the last birth in the file, if both
// have the same number; and after an end, whatever ends with the number 0. So a birth is written
// when it is known what comes next: if that is the end of another block with this size and trace,
// the birth gets a second number for them. And 0 is for the first birth alone; its size and trace
// get another number when they come again.
class Events {
 public:
  Events(Ledgers& ledgers, Output& output) : traces_(ledgers, output), output_(output) {}

  // Before the times of an event are written: the birth that waited for it.
  void settle(const BlockEvent& event) {
    if (!is_held_) return;
    Numbers& numbers = numbers_of(held_);
    bool another_ends = event.what != BlockEvent::What::kBorn && event.address != held_address_;
    birth(another_ends && pair_of(event, 0) == held_ ? numbers.other : numbers.usual);
  }

  void tell(const BlockEvent& event) {
    if (event.what == BlockEvent::What::kLeft) return;  // what is not freed is leaked
    for (uint64_t call = 0; call < calls_of(event); ++call) {
      if (event.what == BlockEvent::What::kBorn) {
        finish();
        held_ = pair_of(event, call);
        held_address_ = event.address;
        is_held_ = true;
      } else {
        end(pair_of(event, call));
      }
    }
  }

  void finish() {
    if (is_held_) birth(numbers_of(held_).usual);
  }

 private:
  static constexpr uint64_t kNone = UINT64_MAX;
  using Pair = std::pair<uint64_t, uint64_t>;  // size, trace
  struct Numbers {
    uint64_t usual = kNone;
    uint64_t other = kNone;
  };

  static uint64_t calls_of(const BlockEvent& event) { return std::max<uint64_t>(event.calls, 1); }

  // A sampled block: sizes that add up to exactly what it stands for.
  Pair pair_of(const BlockEvent& event, uint64_t call) {
    uint64_t calls = calls_of(event);
    uint64_t size = event.bytes / calls + (call < event.bytes % calls ? 1 : 0);
    return {size, traces_.trace_of(event.site)};
  }

  Numbers& numbers_of(const Pair& pair) { return numbers_.try_emplace(pair).first.value(); }

  void birth(uint64_t& number) {
    if (number == kNone || number == 0) {
      number = count_++;
      output_.write(Line('a').number(held_.first).number(held_.second).finish());
    }
    output_.write(Line('+').number(number).finish());
    is_held_ = false;
  }

  void end(const Pair& pair) {
    Numbers& numbers = numbers_of(pair);
    if (numbers.usual == kNone) return;  // of what was never born
    output_.write(Line('-').number(numbers.usual).finish());
    if (numbers.usual == 0 && numbers.other != kNone) std::swap(numbers.usual, numbers.other);
  }

  Traces traces_;
  Output& output_;
  ByPair<Numbers> numbers_;
  uint64_t count_ = 0;
  Pair held_;
  uint64_t held_address_ = 0;
  bool is_held_ = false;
};

// Times in milliseconds, and the resident memory in pages. Time goes on in small steps even where
// nothing happens: heaptrack_gui draws straight lines from one time to the next.
class Times {
 public:
  Times(const Overview& overview, uint64_t page_bytes, Output& output)
      : series_(overview.series),
        step_ms_(std::max<uint64_t>(overview.duration_ns / kNsPerMs / kSteps, 1)),
        page_bytes_(page_bytes),
        output_(output) {}

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
  static constexpr uint64_t kNsPerMs = 1'000'000;
  static constexpr uint64_t kSteps = 1000;  // the GUI draws 500

  void rss(uint64_t at_ns) {
    uint64_t pages = (series_.buckets[next_++].max_rss + page_bytes_ - 1) / page_bytes_;
    if (pages == last_pages_) return;
    stamp(at_ns);
    output_.write(Line('R').number(pages).finish());
    last_pages_ = pages;
  }

  void stamp(uint64_t at_ns) {
    uint64_t ms = at_ns / kNsPerMs;
    while (last_ms_ < ms) {
      last_ms_ = std::min(last_ms_ + step_ms_, ms);
      output_.write(Line('c').number(last_ms_).finish());
    }
  }

  const Series& series_;
  uint64_t step_ms_;
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
  Times times(overview, page_bytes, output);
  request.ledgers.block_events(request.question, [&](const BlockEvent& event) {
    events.settle(event);
    times.pass(event.time_ns);
    events.tell(event);
  });
  events.finish();
  times.finish(overview.duration_ns);
}

}  // namespace heapledger
