#include "cli/diff/signs.h"

#include <fmt/format.h>

#include "text/text.h"

namespace heapledger::cli::diff {
namespace {

uint64_t size_of(int64_t change) {
  return change < 0 ? -static_cast<uint64_t>(change) : static_cast<uint64_t>(change);
}

const char* sign_of(int64_t change) {
  return change > 0 ? "+" : change < 0 ? "-" : "";
}

}  // namespace

std::string signed_bytes(int64_t change) {
  return change == 0 ? "0" : sign_of(change) + human_bytes(size_of(change));
}

std::string signed_count(int64_t change) {
  return sign_of(change) + with_commas(size_of(change));
}

std::string signed_percent(uint64_t before, uint64_t after) {
  if (before == 0) return after == 0 ? "" : "new";
  double percent = 100.0 * (static_cast<double>(after) / static_cast<double>(before) - 1.0);
  if (percent >= 999.95) {
    return fmt::format("x{:.1f}", static_cast<double>(after) / static_cast<double>(before));
  }
  if (after != before && percent > -0.05 && percent < 0.05)
    return after > before ? "+0.0%" : "-0.0%";
  return fmt::format("{:+.1f}%", percent == 0 ? 0.0 : percent);
}

bool is_bytes(Compared measure) {
  return unit_of(measure) == FigureUnit::kBytes;
}

std::string measure_text(Compared measure, uint64_t value) {
  return is_bytes(measure) ? human_bytes(value) : with_commas(value);
}

std::string signed_measure(Compared measure, int64_t change) {
  return is_bytes(measure) ? signed_bytes(change) : signed_count(change);
}

}  // namespace heapledger::cli::diff
