#include "cli/pages/sampling.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/text.h"

namespace heapledger::cli {
namespace {

std::string rate_text(const LedgerFacts& ledger) {
  if (ledger.sample_calls > 0) {
    return "one in " + counted(ledger.sample_calls, "call") + " on average";
  }
  if (ledger.sample_bytes > 0) {
    return "one in " + human_bytes(ledger.sample_bytes) + " on average";
  }
  return "part of the time";
}

}  // namespace

std::string with_error(const std::string& text, uint64_t value, double error) {
  if (error <= 0 || value == 0) return text;
  double percents = std::max(100 * error / static_cast<double>(value), 0.1);
  return fmt::format("{} ±{:.{}f}%", text, percents, percents < 9.95 ? 1 : 0);
}

std::string sampling_text(const std::vector<LedgerFacts>& ledgers) {
  std::string text;
  for (const LedgerFacts& ledger : ledgers) {
    if (!ledger.sampled) continue;
    std::string rate = rate_text(ledger);
    if (!text.empty() && text != rate) return "at various rates";
    text = std::move(rate);
  }
  return text;
}

Json sampled_json(Ledgers& ledgers) {
  const std::vector<LedgerFacts>& all = ledgers.facts();
  auto first =
      std::find_if(all.begin(), all.end(), [](const auto& facts) { return facts.sampled; });
  if (first == all.end()) return nullptr;
  const Overview& overview = ledgers.overview();
  Json json;
  json["mean_bytes"] = first->sample_bytes > 0 ? Json(first->sample_bytes) : Json(nullptr);
  json["mean_calls"] = first->sample_calls > 0 ? Json(first->sample_calls) : Json(nullptr);
  json["calls_error"] = overview.totals.calls_error;
  json["bytes_error"] = overview.totals.bytes_error;
  json["peak_error"] = overview.totals.peak_error;
  json["end_error"] = overview.never_freed_error;
  json["time_ns"] = overview.totals.has_time ? Json(overview.totals.time_ns) : Json(nullptr);
  return json;
}

}  // namespace heapledger::cli
