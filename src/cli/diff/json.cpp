#include "cli/diff/json.h"

#include "analyzer/query/difference_json.h"
#include "cli/diff/text.h"
#include "text/json_text.h"
#include "text/text.h"

namespace heapledger::cli::diff {
namespace {

Json sides_and_change(const SideFigures& before, const SideFigures& after) {
  return {{"before", side_json(before)},
          {"after", side_json(after)},
          {"change", changes_json(before, after)}};
}

Json frames_of(const ChangeRow& row, Ledgers& before, Ledgers& after) {
  Json list = Json::array();
  for (const NamedFrame& frame : stack_of(row, before, after)) {
    list.push_back({{"name", as_utf8(frame.name)},
                    {"function", as_utf8(frame.function)},
                    {"file", as_utf8(frame.file)},
                    {"line", frame.line},
                    {"module", as_utf8(frame.module)},
                    {"inlined", frame.inlined}});
  }
  return list;
}

Json group(const ChangeRow& row, const Difference& difference, const DifferenceQuestion& question,
           Ledgers& before, Ledgers& after) {
  Json json = {{"name", as_utf8(row.name)},
               {"kind", name_of(row.kind(question.sort))},
               {"function", as_utf8(row.function)},
               {"file", as_utf8(row.file)},
               {"line", row.line},
               {"module", as_utf8(row.module)}};
  if (question.by == GroupBy::kSize || question.by == GroupBy::kSizeClass) json["key"] = row.key;
  json.update(sides_and_change(row.before, row.after));
  if (difference.overlap) json["with_callees"] = sides_and_change(row.all_before, row.all_after);
  const bool by_stack = question.by == GroupBy::kSite || question.by == GroupBy::kOwner;
  if (by_stack || question.by == GroupBy::kLine) {
    json["file_before"] = as_utf8(row.file_before);
    json["line_before"] = row.line_before;
  }
  if (!by_stack) return json;
  json["stacks_before"] = row.stacks_before;
  json["stacks_after"] = row.stacks_after;
  json["frames"] = frames_of(row, before, after);
  return json;
}

Json texts(const std::vector<std::string>& list) {
  Json json = Json::array();
  for (const std::string& text : list) json.push_back(as_utf8(text));
  return json;
}

Json named(const std::vector<std::string>& ledgers, const std::string& moment) {
  return {{"ledgers", texts(ledgers)}, {"moment", as_utf8(moment)}};
}

}  // namespace

void write_diff_json(std::FILE* to, const Difference& difference,
                     const DifferenceQuestion& question, const DiffSides& sides, Ledgers& before,
                     Ledgers& after) {
  std::string text =
      json_line(difference_json(difference, question, named(sides.before, sides.moment_before),
                                named(sides.after, sides.moment_after)));
  text.back() = ',';  // for the closing brace: the groups come one by one
  text += "\"groups\":[";
  for (const ChangeRow& row : difference.rows) {
    if (&row != &difference.rows.front()) text += ',';
    text += json_line(group(row, difference, question, before, after));
    std::fwrite(text.data(), 1, text.size(), to);
    text.clear();
  }
  text += "]}\n";
  std::fwrite(text.data(), 1, text.size(), to);
}

}  // namespace heapledger::cli::diff
