// speedscope's own format: one list of frames, and a profile for each metric, in which every stack
// is one sample, the outermost frame first, with what it weighs.
#include <heapledger.h>
#include <tsl/robin_map.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exporters/formats.h"
#include "exporters/stacks.h"
#include "text/json_text.h"
#include "text/text.h"

namespace heapledger {
namespace {

// Of all samples of a profile together: about 20 MB of text. What is lighter than those shares one
// sample.
constexpr size_t kMostNumbers = 3'000'000;

// A stack as numbers of frames, the outermost first, and its value for each metric.
struct NumberedStack {
  std::vector<uint32_t> frames;
  std::vector<uint64_t> values;
};

// What one pass over the stacks gives: a profile for each of its metrics.
struct StackTable {
  Question question;
  std::vector<Metric> metrics;
  std::vector<NumberedStack> stacks;
};

// Every function once, already as JSON, by number. What has the same name is one function, as in a
// report; its file and line are those of the first stack with it, which is the heaviest. Names are
// escaped as there: a mark that turns the direction of writing would work on a page, too.
class SpeedscopeFrames {
 public:
  uint32_t number_of(const NamedFrame& frame) {
    auto [place, is_new] = numbers_.try_emplace(frame.name, static_cast<uint32_t>(frames_.size()));
    if (is_new) {
      Json json = {{"name", escaped(frame.name)}};
      if (!frame.file.empty()) json["file"] = escaped(frame.file);
      if (frame.line > 0) json["line"] = frame.line;
      frames_.push_back(json_line(json));
    }
    return place->second;
  }

  const std::vector<std::string>& all() const { return frames_; }

 private:
  tsl::robin_map<std::string, uint32_t> numbers_;
  std::vector<std::string> frames_;
};

StackTable table_of(ExportRequest request, std::vector<Metric> metrics, SpeedscopeFrames& frames) {
  StackTable table{request.question, std::move(metrics), {}};
  request.metric = table.metrics.front();
  for_each_stack(request, [&](const ExportedStack& stack) {
    NumberedStack numbered;
    for (Metric metric : table.metrics) numbered.values.push_back(value_of(stack.figures, metric));
    for (size_t i = stack.frames.size(); i-- > 0;) {
      numbered.frames.push_back(frames.number_of(stack.frames[i]));
    }
    table.stacks.push_back(std::move(numbered));
  });
  // Stacks that begin alike next to each other: a page that shows samples in their order then shows
  // a flame graph. The heaviest come first, more or less, as their frames have the first numbers.
  std::stable_sort(
      table.stacks.begin(), table.stacks.end(),
      [](const NumberedStack& a, const NumberedStack& b) { return a.frames < b.frames; });
  return table;
}

std::vector<StackTable> tables_of(const ExportRequest& request, SpeedscopeFrames& frames) {
  std::vector<StackTable> tables;
  if (request.metric_given) {
    tables.push_back(table_of(request, {request.metric}, frames));
    return tables;
  }
  std::vector<Metric> metrics = {Metric{}, Metric{Measure::kBytes}, Metric{Measure::kCalls},
                                 Metric{Measure::kTemporaryCalls}};
  const std::vector<LedgerFacts>& facts = request.ledgers.facts();
  if (std::any_of(facts.begin(), facts.end(), [](const LedgerFacts& one) { return one.has_time; }))
    metrics.push_back(Metric{Measure::kTime});
  tables.push_back(table_of(request, std::move(metrics), frames));
  const Question& question = request.question;
  if (!question.between && question.at.kind != MomentSpec::Kind::kEnd) {
    ExportRequest at_end = request;
    at_end.question.at = MomentSpec{MomentSpec::Kind::kEnd, 0, 0, {}};
    tables.push_back(table_of(at_end, {kNeverFreedMetric}, frames));
  }
  return tables;
}

// Items between commas.
class JsonItems {
 public:
  explicit JsonItems(Output& output) : output_(output) {}
  void add(std::string_view item) {
    if (!std::exchange(first_, false)) output_.write(",");
    output_.write(item);
  }

 private:
  Output& output_;
  bool first_ = true;
};

std::string_view speedscope_unit(Metric metric) {
  std::string_view unit = unit_of(metric);
  return unit == "calls" || unit == "blocks" ? "none" : unit;
}

// The stacks of a profile: with as many of the heaviest as have room, in their order.
struct ChosenStacks {
  std::vector<const NumberedStack*> stacks;
  uint64_t total = 0;
  uint64_t left_out = 0;  // of the total
  uint64_t left_out_stacks = 0;
};

NamedFrame left_out_frame() {
  NamedFrame frame;
  frame.name = "[light stacks, left out]";
  return frame;
}

bool is_too_large(const StackTable& table) {
  size_t numbers = 0;
  for (const NumberedStack& stack : table.stacks) numbers += stack.frames.size();
  return numbers > kMostNumbers;
}

ChosenStacks choose_stacks(const StackTable& table, size_t number) {
  ChosenStacks chosen;
  std::vector<const NumberedStack*> by_weight;
  size_t numbers = 0;
  for (const NumberedStack& stack : table.stacks) {
    chosen.total += stack.values[number];
    if (stack.values[number] == 0) continue;
    by_weight.push_back(&stack);
    numbers += stack.frames.size();
  }
  if (numbers > kMostNumbers) {
    std::stable_sort(by_weight.begin(), by_weight.end(),
                     [number](const NumberedStack* a, const NumberedStack* b) {
                       return a->values[number] > b->values[number];
                     });
    numbers = 0;
    size_t count = 0;
    while (numbers + by_weight[count]->frames.size() <= kMostNumbers) {
      numbers += by_weight[count++]->frames.size();
    }
    for (size_t i = count; i < by_weight.size(); ++i) {
      chosen.left_out += by_weight[i]->values[number];
    }
    chosen.left_out_stacks = by_weight.size() - count;
    by_weight.resize(count);
    std::sort(by_weight.begin(), by_weight.end());  // they lie in the order of the table
  }
  chosen.stacks = std::move(by_weight);
  return chosen;
}

void write_profile(const StackTable& table, size_t number, SpeedscopeFrames& frames,
                   ExportRequest& request, Output& output) {
  Metric metric = table.metrics[number];
  ChosenStacks chosen = choose_stacks(table, number);
  std::string name = printable(describe(metric, table.question));
  Json head = {{"type", "sampled"},
               {"name", name},
               {"unit", speedscope_unit(metric)},
               {"startValue", 0},
               {"endValue", chosen.total}};
  std::string text = json_line(head);
  text.back() = ',';  // the object goes on
  output.write(text);
  output.write("\n\"samples\":[");
  JsonItems samples(output);
  for (const NumberedStack* stack : chosen.stacks) samples.add(json_line(Json(stack->frames)));
  if (chosen.left_out > 0)
    samples.add(json_line(Json::array({frames.number_of(left_out_frame())})));
  output.write("],\n\"weights\":[");
  JsonItems weights(output);
  for (const NumberedStack* stack : chosen.stacks) {
    weights.add(std::to_string(stack->values[number]));
  }
  if (chosen.left_out > 0) weights.add(std::to_string(chosen.left_out));
  output.write("]}");
  if (chosen.left_out == 0) return;
  request.notes.push_back(name + ": " + counted(chosen.left_out_stacks, "light stack") + ", with " +
                          percent(chosen.left_out, chosen.total) +
                          " of it, left out so that speedscope can open the file");
}

std::string title_of(const std::vector<LedgerFacts>& ledgers) {
  std::string title = shell_words(ledgers.front().command);
  if (ledgers.size() > 1) title += " and " + counted(ledgers.size() - 1, "more process");
  return printable(title);
}

}  // namespace

void write_speedscope(ExportRequest& request, Output& output) {
  SpeedscopeFrames frames;
  std::vector<StackTable> tables = tables_of(request, frames);
  for (const StackTable& table : tables) {
    if (is_too_large(table)) frames.number_of(left_out_frame());
  }
  Json head = {{"$schema", "https://www.speedscope.app/file-format-schema.json"},
               {"exporter", "heapledger@" HEAPLEDGER_VERSION},
               {"name", title_of(request.ledgers.facts())},
               {"activeProfileIndex", 0}};
  std::string text = json_line(head);
  text.back() = ',';
  output.write(text);
  output.write("\n\"shared\":{\"frames\":[\n");
  JsonItems frame_items(output);
  for (const std::string& frame : frames.all()) frame_items.add(frame);
  output.write("]},\n\"profiles\":[\n");
  bool first = true;
  for (const StackTable& table : tables) {
    for (size_t number = 0; number < table.metrics.size(); ++number) {
      if (!std::exchange(first, false)) output.write(",\n");
      write_profile(table, number, frames, request, output);
    }
  }
  output.write("]}\n");
}

}  // namespace heapledger
