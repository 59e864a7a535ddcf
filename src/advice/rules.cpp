#include "advice/rules.h"

#include <array>

#include "analyzer/error.h"
#include "text/text.h"

namespace heapledger {
namespace {

struct Words {
  Rule rule;
  std::string_view name;
  std::string_view words;
};
constexpr std::array<Words, kRules> kWords = {{
    {Rule::kGrownBySteps, "grown-by-steps", "grown by steps"},
    {Rule::kTemporary, "temporary", "temporary blocks"},
    {Rule::kManyEqual, "many-equal", "many equal blocks"},
    {Rule::kOverAligned, "over-aligned", "over-aligned"},
    {Rule::kOverSized, "over-sized", "over-sized"},
    {Rule::kFreedElsewhere, "freed-elsewhere", "freed by other threads"},
    {Rule::kNeverFreedGrowth, "never-freed-growth", "never freed, and growing"},
    {Rule::kEarly, "early", "allocated early"},
    {Rule::kFragmentation, "fragmentation", "keeps free memory"},
}};

}  // namespace

std::string_view name_of(Rule rule) {
  return kWords[static_cast<size_t>(rule)].name;
}

std::string_view words_of(Rule rule) {
  return kWords[static_cast<size_t>(rule)].words;
}

Rule parse_rule(std::string_view text) {
  std::string all;
  for (const Words& one : kWords) {
    if (one.name == text) return one.rule;
    all += (all.empty() ? "" : ", ") + std::string(one.name);
  }
  throw Error("unknown rule '" + std::string(text) + "'; there are " + all, ErrorKind::kQuestion);
}

std::span<const RuleFunctions> all_rules() {
  static const std::array<RuleFunctions, kRules> kAll = {
      kGrownBySteps,   kTemporary,        kManyEqual, kOverAligned,  kOverSized,
      kFreedElsewhere, kNeverFreedGrowth, kEarly,     kFragmentation};
  return kAll;
}

std::string sizes_words(const Figures& figures) {
  if (figures.smallest == figures.largest) return counted(figures.largest, "byte");
  return human_bytes(figures.smallest) + " to " + human_bytes(figures.largest);
}

uint64_t one_size(const Figures& figures, double share) {
  if (figures.common_sizes.empty()) return 0;
  const CommonSize& most = figures.common_sizes.front();
  return share_of(most.calls - most.over, figures.calls) >= share ? most.size : 0;
}

}  // namespace heapledger
