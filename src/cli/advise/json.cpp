#include "cli/advise/json.h"

#include "cli/pages/json_parts.h"
#include "text/json_text.h"
#include "text/text.h"

namespace heapledger::cli::advise {
namespace {

Json treatment_json(Treatment treatment) {
  switch (treatment) {
    case Treatment::kNone:
      return "without-them";
    case Treatment::kArena:
      return "in-arenas";
    default:
      return nullptr;
  }
}

Json effect_json(const std::optional<Effect>& effect) {
  if (!effect) return nullptr;
  const Ratio& time = effect->time;
  return {{"less_ns", effect->less_ns},
          {"less_share", effect->less_share},
          {"ratio", time.ratio},
          {"ratio_low", time.known ? Json(time.low) : Json(nullptr)},
          {"ratio_high", time.known ? Json(time.high) : Json(nullptr)},
          {"differs", time.differs()}};
}

Json finding_json(const Finding& finding, Ledgers& ledgers) {
  const NamedFrame& frame = finding.frame;
  return {{"rule", name_of(finding.rule)},
          {"name", as_utf8(frame.name)},
          {"function", as_utf8(frame.function)},
          {"file", as_utf8(frame.file)},
          {"line", frame.line},
          {"module", as_utf8(frame.module)},
          {"what", as_utf8(finding.what)},
          {"evidence", as_utf8(finding.evidence)},
          {"advice", as_utf8(finding.advice)},
          {"worth", finding.worth},
          {"saved",
           {{"calls", finding.saved.calls},
            {"bytes", finding.saved.bytes},
            {"peak_bytes", finding.saved.peak_bytes}}},
          {"replay", treatment_json(finding.treatment)},
          {"effect", effect_json(finding.effect)},
          {"sites", finding.sites.size()},
          {"frames", frames_json(ledgers.frames(finding.site))}};
}

}  // namespace

std::string advice_json(const Advice& advice, Ledgers& ledgers) {
  const LedgerFacts& facts = ledgers.facts().front();
  Json findings = Json::array();
  for (const Finding& finding : advice.findings) findings.push_back(finding_json(finding, ledgers));
  Json json = {
      {"schema", "heapledger.advise/1"},
      {"ledger", as_utf8(facts.path)},
      {"calls", advice.calls},
      {"bytes", advice.bytes},
      {"peak_bytes", advice.peak_bytes},
      {"findings_in_all", advice.findings.size() + advice.more},
      {"allocator", advice.allocator.empty() ? Json(nullptr) : Json(as_utf8(advice.allocator))},
      {"rounds", advice.rounds},
      {"why_no_effect",
       advice.why_no_effect.empty() ? Json(nullptr) : Json(as_utf8(advice.why_no_effect))},
      {"findings", std::move(findings)}};
  return json_line(json) + "\n";
}

}  // namespace heapledger::cli::advise
