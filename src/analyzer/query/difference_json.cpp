#include "analyzer/query/difference_json.h"

#include "text/text.h"

namespace heapledger {
namespace {

Json whole_side(const Json& named, uint64_t time_ns, uint64_t rss, uint64_t suppressed,
                const SideFigures& totals) {
  Json json = named;
  json["time_ns"] = time_ns;
  json.update(side_json(totals));
  json["suppressed_bytes"] = suppressed;
  json["rss_peak_bytes"] = rss;
  return json;
}

Json modules_json(const std::vector<std::string>& modules) {
  Json json = Json::array();
  for (const std::string& module : modules) json.push_back(as_utf8(module));
  return json;
}

}  // namespace

Json side_json(const SideFigures& side) {
  if (!side.there) return nullptr;
  Json json = Json::object();
  for (Compared measure : all_compared()) {
    json[key_of(measure)] = is_known(side, measure) ? Json(value_of(side, measure)) : Json(nullptr);
  }
  json["never_freed_blocks"] = side.has_never_freed ? Json(side.never_freed_blocks) : Json(nullptr);
  return json;
}

Json changes_json(const SideFigures& before, const SideFigures& after) {
  Json json = Json::object();
  for (Compared measure : all_compared()) {
    bool known = is_known(before, measure) && is_known(after, measure);
    json[key_of(measure)] =
        known ? Json(change_of(value_of(before, measure), value_of(after, measure)))
              : Json(nullptr);
  }
  return json;
}

Json difference_json(const Difference& difference, const DifferenceQuestion& question,
                     const Json& before, const Json& after) {
  Json json = {
      {"schema", "heapledger.diff/1"},
      {"by", name_of(question.by)},
      {"sort", name_of(question.sort)},
      {"before", whole_side(before, difference.before_ns, difference.rss_before,
                            difference.suppressed_before, difference.before)},
      {"after", whole_side(after, difference.after_ns, difference.rss_after,
                           difference.suppressed_after, difference.after)},
      {"change", changes_json(difference.before, difference.after)},
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
      {"unmatched_modules", modules_json(difference.unmatched_modules)}};
  json["change"]["rss_peak_bytes"] = change_of(difference.rss_before, difference.rss_after);
  return json;
}

}  // namespace heapledger
