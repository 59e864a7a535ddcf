#include "cli/run/unseen.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "text/text.h"

namespace heapledger::cli::run {
namespace {

// Less than this is the program itself and its libraries.
constexpr uint64_t kWorthAWord = uint64_t{64} << 20;
// malloc has less than one part in so many.
constexpr uint64_t kLittle = 4;

bool is_python(const LedgerFacts& ledger) {
  const std::string_view path = ledger.executable;
  std::string_view name = path.substr(path.rfind('/') + 1);
  if (!name.starts_with("python")) return false;
  name.remove_prefix(std::string_view("python").size());
  return name.find_first_not_of("0123456789.") == std::string_view::npos;
}

// The variable is the program's as it is ours.
bool has_malloc_for_objects() {
  const char* chosen = std::getenv("PYTHONMALLOC");
  return chosen != nullptr && std::string_view(chosen).starts_with("malloc");
}

}  // namespace

std::vector<std::string> unseen_texts(const Overview& overview, bool pools) {
  std::vector<std::string> texts;
  const Totals& totals = overview.sums;
  const bool python = std::any_of(overview.processes.begin(), overview.processes.end(), is_python);
  if (python && pools && !has_malloc_for_objects()) {
    texts.emplace_back("most Python objects, which are in Python's own pools: --no-pools");
  }
  const bool is_little = totals.peak_bytes < totals.rss_peak_bytes / kLittle;
  if (totals.rss_peak_bytes >= kWorthAWord && is_little) {
    texts.push_back("what else is resident, since malloc has " +
                    percent(totals.peak_bytes, totals.rss_peak_bytes) + " of " +
                    human_bytes(totals.rss_peak_bytes) +
                    ": report --where-rss, or record with --maps on");
  }
  return texts;
}

}  // namespace heapledger::cli::run
