#include "advice/effects.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "advice/facts.h"
#include "analyzer/error.h"

namespace heapledger {
namespace {

// One way to play the ledger, and how long it was in the allocator in each round.
struct Variant {
  Finding* finding = nullptr;  // none: as it was recorded
  Schedule schedule;
  Measured time_ns;
  std::string failure;
};

std::vector<Variant> build_variants(Ledgers& ledgers, const AdviceOptions& options,
                                    std::vector<Finding>& findings) {
  std::vector<Variant> variants(1);
  std::vector<BuildOptions> buildings(1);
  for (Finding& finding : findings) {
    if (finding.treatment == Treatment::kAsRecorded) continue;
    if (variants.size() > options.replays) break;
    BuildOptions& building = buildings.emplace_back();
    for (uint32_t site : finding.sites) building.treatments[site] = finding.treatment;
    variants.emplace_back().finding = &finding;
  }
  std::vector<Schedule> schedules = build_schedules(ledgers, options.ledger, buildings);
  for (size_t i = 0; i < variants.size(); ++i) variants[i].schedule = std::move(schedules[i]);
  return variants;
}

void play_once(Variant& variant, const Candidate& allocator) {
  CompareOptions comparing;
  comparing.rounds = 1;
  comparing.latencies = false;
  comparing.system_calls = false;
  Comparison played = compare(variant.schedule, {allocator}, 0, comparing);
  const CandidateFigures& figures = played.candidates.front();
  if (figures.failed) variant.failure = figures.failure;
  if (!variant.failure.empty()) return;
  variant.time_ns.rounds.push_back(std::max(figures.time_ns.median, 1.0));
}

void finish(Measured& measured) {
  std::vector<double> sorted = measured.rounds;
  std::sort(sorted.begin(), sorted.end());
  size_t half = sorted.size() / 2;
  measured.least = sorted.front();
  measured.most = sorted.back();
  measured.median = sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

// When rounds are up to us: three make an uncertainty, more a smaller one, as long as nobody has to
// wait for them.
constexpr size_t kLeastRounds = 3;
constexpr size_t kMostRounds = 11;
constexpr std::chrono::seconds kPatience{5};

// How many there were.
size_t play_rounds(std::vector<Variant>& variants, const Candidate& allocator,
                   const AdviceOptions& options) {
  const bool ours = options.rounds == 0;
  const size_t most = ours ? kMostRounds : options.rounds;
  const auto start = std::chrono::steady_clock::now();
  for (size_t round = 0; round < most; ++round) {
    bool late = std::chrono::steady_clock::now() - start > kPatience;
    if (ours && round >= kLeastRounds && late) return round;
    // Forth and back, so that none always comes after the same other one.
    for (size_t i = 0; i < variants.size(); ++i) {
      if (options.progress) {
        options.progress(round * variants.size() + i, most * variants.size());
      }
      Variant& variant = variants[round % 2 == 0 ? i : variants.size() - 1 - i];
      if (variant.failure.empty()) play_once(variant, allocator);
    }
  }
  return most;
}

}  // namespace

Candidate own_allocator(const LedgerFacts& facts) {
  Candidate libc{"libc", "libc", {}};
  const std::string& path = facts.allocator;
  bool is_libc = path.empty() || rounding_of(path) == Rounding::kGlibc;
  if (is_libc || ::access(path.c_str(), R_OK) != 0) return libc;
  return {path.substr(path.rfind('/') + 1), path, {}};
}

void measure_effects(Ledgers& ledgers, const AdviceOptions& options, Advice& advice) {
  bool any = std::any_of(advice.findings.begin(), advice.findings.end(), [](const Finding& one) {
    return one.treatment != Treatment::kAsRecorded;
  });
  if (!any || options.replays == 0) return;
  try {
    Candidate allocator = own_allocator(ledgers.facts().at(options.ledger));
    std::vector<Variant> variants = build_variants(ledgers, options, advice.findings);
    advice.rounds = play_rounds(variants, allocator, options);
    Variant& recorded = variants.front();
    if (!recorded.failure.empty()) throw Error(recorded.failure, ErrorKind::kData);
    finish(recorded.time_ns);
    advice.allocator = allocator.name;
    for (Variant& variant : variants) {
      if (variant.finding == nullptr || !variant.failure.empty()) continue;
      finish(variant.time_ns);
      Effect effect;
      effect.time = ratio_of(variant.time_ns, recorded.time_ns);
      effect.less_share = 1 - effect.time.ratio;
      effect.less_ns = recorded.time_ns.median - variant.time_ns.median;
      variant.finding->effect = effect;
    }
  } catch (const Error& error) {
    advice.why_no_effect = error.what();
  }
}

}  // namespace heapledger
