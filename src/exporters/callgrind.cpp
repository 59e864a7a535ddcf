// The profile data format of callgrind: for each function what it allocates itself, line by line,
// and its calls, each with what was allocated inside. Names are written once and are numbers from
// then on.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exporters/accounts.h"
#include "exporters/callgrind_graph.h"
#include "exporters/formats.h"
#include "exporters/stacks.h"
#include "exporters/valgrind_text.h"
#include "text/text.h"

namespace heapledger {
namespace {

struct CallgrindEvent {
  std::string_view name;
  std::string what;
};

// Which figures there are, and in which order. What is never freed is no figure of a range.
struct CallgrindEvents {
  bool never_freed = true;
  bool time = false;
  std::vector<CallgrindEvent> list;

  CallgrindGraph::Costs costs_of(const Figures& figures, uint64_t unfreed) const {
    CallgrindGraph::Costs costs{figures.calls, figures.bytes, figures.live_bytes,
                                figures.temporary_calls};
    size_t next = 4;
    if (never_freed) costs[next++] = unfreed;
    if (time) costs[next] = figures.time_ns;
    return costs;
  }
};

CallgrindEvents events_of(const ExportRequest& request, bool has_time) {
  const Question& question = request.question;
  CallgrindEvents events{!question.between.has_value(), has_time, {}};
  events.list = {{"Calls", describe(Metric{Measure::kCalls}, question)},
                 {"Bytes", describe(Metric{Measure::kBytes}, question)},
                 {"Live", describe(Metric{}, question)},
                 {"Temporary", describe(Metric{Measure::kTemporaryCalls}, question)}};
  if (events.never_freed) {
    events.list.push_back({"NeverFreed", describe(kNeverFreedMetric, question)});
  }
  if (has_time)
    events.list.push_back({"Time", describe(Metric{Measure::kTime}, question) + " in ns"});
  return events;
}

// Names of one kind: the first use has the text, others only the number.
class Names {
 public:
  explicit Names(size_t count) : written_(count) {}

  std::string use(size_t number, std::string_view text) {
    std::string line = fmt::format("({})", number + 1);
    if (written_[number]) return line;
    written_[number] = true;
    // A reader takes a number without a text for a repetition.
    std::string name = printable(text);
    bool blank = name.find_first_not_of(' ') == std::string::npos;
    return line + " " + (blank ? "???" : name);
  }

 private:
  std::vector<bool> written_;
};

// Numbers for files and modules, which many functions share.
class Texts {
 public:
  size_t number(const std::string& text) {
    auto [place, is_new] = numbers_.try_emplace(text, numbers_.size());
    return place->second;
  }
  size_t size() const { return numbers_.size(); }

 private:
  tsl::robin_map<std::string, size_t> numbers_;
};

class CallgrindWriter {
 public:
  CallgrindWriter(const CallgrindGraph& graph, size_t costs, Output& output)
      : graph_(graph), costs_(costs), output_(output), functions_(graph.nodes().size()) {
    for (const CallgrindGraph::Node& node : graph.nodes()) {
      places_.emplace_back(file_texts_.number(node.function.file),
                           module_texts_.number(node.function.module));
    }
    files_ = Names(file_texts_.size());
    modules_ = Names(module_texts_.size());
  }

  void write_body() {
    for (size_t i = 0; i < graph_.nodes().size(); ++i) write_function(i);
  }

  void write_costs(const CallgrindGraph::Costs& costs) {
    for (size_t i = 0; i < costs_; ++i) output_.write(fmt::format(" {}", costs[i]));
    output_.write('\n');
  }

 private:
  void write_function(size_t number) {
    const CallgrindGraph::Node& node = graph_.nodes()[number];
    output_.write('\n');
    write_place(number, "ob=", "fl=", "fn=");
    for (const auto& [line, costs] : node.self) {
      output_.write(std::to_string(line));
      write_costs(costs);
    }
    for (const auto& [call, through] : node.calls) {
      write_place(call.callee, "cob=", "cfi=", "cfn=");
      // Readers take a call that was never made for no call at all.
      output_.write(fmt::format("calls={} 0\n{}", std::max<uint64_t>(through.count, 1), call.line));
      write_costs(through.costs);
    }
  }

  void write_place(size_t number, std::string_view module, std::string_view file,
                   std::string_view name) {
    const CallgrindGraph::Function& function = graph_.nodes()[number].function;
    write_name(module, modules_.use(places_[number].second, or_unknown(function.module)));
    write_name(file, files_.use(places_[number].first, or_unknown(function.file)));
    write_name(name, functions_.use(number, function.name));
  }

  static std::string_view or_unknown(std::string_view text) { return text.empty() ? "???" : text; }

  void write_name(std::string_view key, const std::string& value) {
    output_.write(key);
    output_.write(value);
    output_.write('\n');
  }

  const CallgrindGraph& graph_;
  size_t costs_;
  Output& output_;
  std::vector<std::pair<size_t, size_t>> places_;  // of each function: its file and its module
  Texts file_texts_;
  Texts module_texts_;
  Names functions_;
  Names files_{0};
  Names modules_{0};
};

void write_heading(ExportRequest& request, const CallgrindEvents& events, Output& output) {
  const std::vector<LedgerFacts>& facts = request.ledgers.facts();
  output.write("# callgrind format\nversion: 1\ncreator: heapledger\n");
  if (facts.size() == 1) output.write(fmt::format("pid: {}\n", facts.front().pid));
  output.write("cmd: " + valgrind_command(request.ledgers) + "\npart: 1\n");
  output.write("desc: Live: " + printable(describe(Metric{}, request.question)) + "\n\n");
  output.write("positions: line\n");
  std::string names;
  for (const CallgrindEvent& event : events.list) {
    output.write(fmt::format("event: {} : {}\n", event.name, printable(event.what)));
    names += " " + std::string(event.name);
  }
  output.write("events:" + names + "\n");
}

}  // namespace

void write_callgrind(ExportRequest& request, Output& output) {
  const CallgrindEvents events = events_of(request, request.ledgers.overview().totals.has_time);
  const UnfreedBySite unfreed(request, request.suppressions);
  CallgrindGraph graph("[all stacks]");
  for_each_stack(request, [&](const ExportedStack& stack) {
    const Unfreed* left = unfreed.of(stack.site);
    graph.add(stack.frames, stack.figures.calls,
              events.costs_of(stack.figures, left != nullptr ? left->bytes : 0));
  });
  write_heading(request, events, output);
  CallgrindWriter writer(graph, events.list.size(), output);
  output.write("summary:");
  writer.write_costs(graph.totals());
  writer.write_body();
  output.write("\ntotals:");
  writer.write_costs(graph.totals());
}

}  // namespace heapledger
