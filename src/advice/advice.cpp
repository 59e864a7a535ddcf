#include "advice/advice.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "advice/effects.h"
#include "advice/facts.h"
#include "advice/rules.h"

namespace heapledger {
namespace {

// Where a finding is: sites that come from the same line, or the same nameless place, are one.
using Place = std::tuple<std::string, std::string, uint32_t>;

struct Gathered {
  NamedFrame frame;
  SiteFacts sites;
};

double worth_of(const Saved& saved, const RunFacts& run) {
  return std::max({share_of(saved.calls, run.calls), share_of(saved.bytes, run.bytes),
                   share_of(saved.peak_bytes, run.peak_bytes)});
}

class Adviser {
 public:
  Adviser(Ledgers& ledgers, const RunFacts& run) : ledgers_(ledgers), run_(run) {}

  void apply(const RuleFunctions& rule, double least_share, std::vector<Finding>& findings) {
    std::map<Place, Gathered> places;
    for (const SiteFacts& site : run_.sites) {
      if (!rule.speaks(site, run_)) continue;
      const NamedFrame& frame = frame_of(site.sites.front());
      Gathered& place = places[{frame.name, frame.file, frame.line}];
      if (place.sites.sites.empty()) place.frame = frame;
      place.sites.add(site);
    }
    for (auto& [where, place] : places) {
      std::optional<Finding> finding = rule.tell(place.sites, run_);
      if (!finding) continue;
      finding->worth = std::max(finding->worth, worth_of(finding->saved, run_));
      if (finding->worth < least_share) continue;
      finding->rule = rule.rule;
      finding->site = place.sites.sites.front();
      finding->frame = std::move(place.frame);
      finding->sites = std::move(place.sites.sites);
      findings.push_back(std::move(*finding));
    }
  }

 private:
  const NamedFrame& frame_of(uint32_t site) {
    auto found = frames_.find(site);
    if (found != frames_.end()) return found->second;
    return frames_.emplace(site, ledgers_.first_interesting_frame(site)).first->second;
  }

  Ledgers& ledgers_;
  const RunFacts& run_;
  std::map<uint32_t, NamedFrame> frames_;  // of those that rules spoke of
};

bool is_wanted(Rule rule, const AdviceOptions& options) {
  const std::vector<Rule>& only = options.only;
  return only.empty() || std::find(only.begin(), only.end(), rule) != only.end();
}

}  // namespace

Advice advise(Ledgers& ledgers, const AdviceOptions& options) {
  expect_playable(ledgers.facts().at(options.ledger));
  const RunFacts run = collect(ledgers, options.ledger);
  Advice advice;
  advice.calls = run.calls;
  advice.bytes = run.bytes;
  advice.peak_bytes = run.peak_bytes;
  Adviser adviser(ledgers, run);
  for (const RuleFunctions& rule : all_rules()) {
    if (is_wanted(rule.rule, options)) adviser.apply(rule, options.least_share, advice.findings);
  }
  std::stable_sort(advice.findings.begin(), advice.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.worth > b.worth; });
  if (advice.findings.size() > options.top) {
    advice.more = advice.findings.size() - options.top;
    advice.findings.resize(options.top);
  }
  if (options.replay) measure_effects(ledgers, options, advice);
  return advice;
}

}  // namespace heapledger
