#include "cli/diff/json.h"

#include "cli/diff/text.h"
#include "text/json_text.h"
#include "text/text.h"

namespace heapledger::cli::diff {
namespace {

Json figures(const SideFigures& side) {
  if (!side.there) return nullptr;
  Json json = Json::object();
  for (Compared measure : all_compared()) {
    json[std::string(key_of(measure))] =
        is_known(side, measure) ? Json(value_of(side, measure)) : Json(nullptr);
  }
  json["never_freed_blocks"] = side.has_never_freed ? Json(side.never_freed_blocks) : Json(nullptr);
  return json;
}

Json changes(const SideFigures& before, const SideFigures& after) {
  Json json = Json::object();
  for (Compared measure : all_compared()) {
    bool known = is_known(before, measure) && is_known(after, measure);
    json[std::string(key_of(measure))] =
        known ? Json(change_of(value_of(before, measure), value_of(after, measure)))
              : Json(nullptr);
  }
  return json;
}

Json sides_and_change(const SideFigures& before, const SideFigures& after) {
  return {
      {"before", figures(before)}, {"after", figures(after)}, {"change", changes(before, after)}};
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

Json side(const std::vector<std::string>& ledgers, const std::string& moment, uint64_t time_ns,
          uint64_t rss, uint64_t suppressed, const SideFigures& totals) {
  Json json = {{"ledgers", texts(ledgers)}, {"moment", as_utf8(moment)}, {"time_ns", time_ns}};
  json.update(figures(totals));
  json["suppressed_bytes"] = suppressed;
  json["rss_peak_bytes"] = rss;
  return json;
}

Json head(const Difference& difference, const DifferenceQuestion& question,
          const DiffSides& sides) {
  Json json = {
      {"schema", "heapledger.diff/1"},
      {"by", name_of(question.by)},
      {"sort", name_of(question.sort)},
      {"before", side(sides.before, sides.moment_before, difference.before_ns,
                      difference.rss_before, difference.suppressed_before, difference.before)},
      {"after", side(sides.after, sides.moment_after, difference.after_ns, difference.rss_after,
                     difference.suppressed_after, difference.after)},
      {"change", changes(difference.before, difference.after)},
      {"blame", difference.blame.name.empty() ? Json(nullptr)
                                              : Json{{"name", as_utf8(difference.blame.name)},
                                                     {"live_bytes", difference.blame.bytes}}},
      {"counts",
       {{"groups", difference.groups},
        {"grew", difference.grew},
        {"shrank", difference.shrank},
        {"came", difference.came},
        {"went", difference.went},
        {"same", difference.same}}},
      {"unmatched_modules", texts(difference.unmatched_modules)}};
  json["change"]["rss_peak_bytes"] = change_of(difference.rss_before, difference.rss_after);
  return json;
}

}  // namespace

void write_diff_json(std::FILE* to, const Difference& difference,
                     const DifferenceQuestion& question, const DiffSides& sides, Ledgers& before,
                     Ledgers& after) {
  std::string text = json_line(head(difference, question, sides));
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
