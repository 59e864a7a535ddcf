#include "analyzer/query/figures.h"

#include <string>
#include <utility>

#include "analyzer/error.h"

namespace heapledger {
namespace {

using F = const Figures&;

bool has_peak(F figures) {
  return figures.has_peak;
}

bool has_time(F figures) {
  return figures.has_time;
}

bool has_live(F figures) {
  return figures.live_blocks > 0;
}

bool has_ended(F figures) {
  return figures.lifetimes.count() > 0;
}

constexpr FigureRow sum(Measure measure, std::string_view word, std::string_view key,
                        std::string_view title, FigureUnit unit, uint64_t Sums::*member,
                        std::string_view help, double Estimates::*error = nullptr) {
  return {measure, word, key, title, unit, member, member, nullptr, nullptr, error, help};
}

constexpr FigureRow other(Measure measure, std::string_view word, std::string_view key,
                          std::string_view title, FigureUnit unit, uint64_t Figures::*member,
                          bool (*known)(F), std::string_view help,
                          double Estimates::*error = nullptr) {
  return {measure, word, key, title, unit, nullptr, member, nullptr, known, error, help};
}

constexpr FigureRow derived(Measure measure, std::string_view word, std::string_view title,
                            FigureUnit unit, uint64_t (*value)(F), bool (*known)(F),
                            std::string_view help) {
  return {measure, word, "", title, unit, nullptr, nullptr, value, known, nullptr, help};
}

constexpr std::array<FigureRow, kMeasures> make_catalog() {
  using M = Measure;
  return {{
      sum(M::kLiveBytes, "live", "live_bytes", "live", FigureUnit::kBytes, &Sums::live_bytes,
          "bytes live at the moment", &Estimates::live_error),
      sum(M::kLiveBlocks, "blocks", "live_blocks", "blocks", FigureUnit::kCount, &Sums::live_blocks,
          "blocks live at the moment"),
      sum(M::kCalls, "calls", "calls", "calls", FigureUnit::kCount, &Sums::calls,
          "calls that returned a block, resizes included", &Estimates::calls_error),
      sum(M::kBytes, "bytes", "bytes", "allocated", FigureUnit::kBytes, &Sums::bytes,
          "bytes that these calls asked for", &Estimates::bytes_error),
      sum(M::kFrees, "frees", "frees", "frees", FigureUnit::kCount, &Sums::frees,
          "frees of blocks that were seen allocated"),
      sum(M::kEndedBlocks, "ended", "ended_blocks", "ended", FigureUnit::kCount,
          &Sums::ended_blocks, "blocks freed or resized"),
      sum(M::kEndedBytes, "freed", "ended_bytes", "freed", FigureUnit::kBytes, &Sums::ended_bytes,
          "bytes freed or resized"),
      sum(M::kTemporaryCalls, "temporary", "temporary_calls", "temporary", FigureUnit::kCount,
          &Sums::temporary_calls,
          "calls whose block was freed as the thread's next heap operation"),
      sum(M::kResizes, "reallocs", "resizes", "reallocs", FigureUnit::kCount, &Sums::resizes,
          "resizes of a block"),
      sum(M::kMovedBlocks, "moves", "moved_blocks", "moves", FigureUnit::kCount,
          &Sums::moved_blocks, "resizes that gave another address"),
      sum(M::kMovedBytes, "moved", "moved_bytes", "moved", FigureUnit::kBytes, &Sums::moved_bytes,
          "bytes that these resizes had to copy"),
      other(M::kSmallest, "smallest", "smallest", "smallest", FigureUnit::kBytes,
            &Figures::smallest, nullptr, "the smallest size asked for"),
      other(M::kLargest, "largest", "largest", "largest", FigureUnit::kBytes, &Figures::largest,
            nullptr, "the largest size asked for"),
      other(M::kPeakBytes, "peak", "peak_bytes", "own peak", FigureUnit::kBytes,
            &Figures::peak_bytes, has_peak, "the most bytes of its own ever live at once",
            &Estimates::peak_error),
      other(M::kPeakBlocks, "", "peak_blocks", "blocks then", FigureUnit::kCount,
            &Figures::peak_blocks, has_peak, "blocks live then"),
      other(M::kPeakTime, "", "peak_time_ns", "when", FigureUnit::kNanoseconds,
            &Figures::peak_time_ns, has_peak, "when that was"),
      other(M::kTime, "time", "time_ns", "time", FigureUnit::kNanoseconds, &Figures::time_ns,
            has_time, "time of its threads that samples stand for"),
      derived(
          M::kAverageSize, "size", "average", FigureUnit::kBytes,
          [](F f) { return f.average_size(); }, nullptr, "bytes a call"),
      derived(
          M::kAverageLiveSize, "live-size", "average live", FigureUnit::kBytes,
          [](F f) { return f.live_blocks == 0 ? 0 : f.live_bytes / f.live_blocks; }, has_live,
          "bytes a live block"),
      derived(
          M::kMedianLifetime, "lifetime", "median life", FigureUnit::kNanoseconds,
          [](F f) { return f.lifetimes.median(); }, has_ended, "half of the blocks lived longer"),
      derived(
          M::kMeanLifetime, "mean-lifetime", "mean life", FigureUnit::kNanoseconds,
          [](F f) { return f.lifetimes.mean(); }, has_ended, "how long blocks lived on average"),
      derived(
          M::kRssPeak, "rss", "rss", FigureUnit::kBytes, [](F) { return uint64_t{0}; }, nullptr,
          "the most resident memory of a process"),
  }};
}

constexpr std::array<FigureRow, kMeasures> kCatalog = make_catalog();

constexpr bool is_in_order() {
  for (size_t i = 0; i < kCatalog.size(); ++i) {
    if (static_cast<size_t>(kCatalog[i].measure) != i) return false;
  }
  return true;
}
static_assert(is_in_order());

constexpr size_t count_sums() {
  size_t count = 0;
  for (const FigureRow& row : kCatalog) count += row.sum != nullptr ? 1 : 0;
  return count;
}
static_assert(count_sums() * sizeof(uint64_t) == sizeof(Sums), "a sum has no row");

}  // namespace

// One after the other, as if written by hand: a loop over the rows would take several times as
// long.
namespace {

template <typename Act>
void for_each_sum(Act&& act) {
  auto act_on = [&]<size_t kRow>() {
    if constexpr (kCatalog[kRow].sum != nullptr) act(kCatalog[kRow].sum);
  };
  [&]<size_t... kRows>(std::index_sequence<kRows...>) {
    (act_on.template operator()<kRows>(), ...);
  }
  (std::make_index_sequence<kMeasures>());
}

}  // namespace

void Sums::add(const Sums& other) {
  for_each_sum([&](uint64_t Sums::*sum) { this->*sum += other.*sum; });
}

void Sums::subtract(const Sums& other) {
  for_each_sum([&](uint64_t Sums::*sum) { this->*sum -= other.*sum; });
}

void RareSums::add(const RareSums& other) {
  Sums sum, more;
  static_cast<RareSums&>(sum) = *this;
  static_cast<RareSums&>(more) = other;
  sum.add(more);
  *this = static_cast<const RareSums&>(sum);
}

const std::array<FigureRow, kMeasures>& figure_catalog() {
  return kCatalog;
}

const FigureRow& row_of(Measure measure) {
  return kCatalog[static_cast<size_t>(measure)];
}

Measure parse_measure(std::string_view text) {
  std::string all;
  for (const FigureRow& row : figure_catalog()) {
    if (row.word.empty()) continue;
    if (row.word == text) return row.measure;
    all += (all.empty() ? "" : ", ") + std::string(row.word);
  }
  throw Error("unknown measure '" + std::string(text) + "'; there are " + all,
              ErrorKind::kQuestion);
}

std::string_view name_of(Measure measure) {
  return row_of(measure).word;
}

uint64_t value_of(const Figures& figures, Measure measure) {
  const FigureRow& row = row_of(measure);
  return row.member != nullptr ? figures.*row.member : row.value(figures);
}

bool is_known(const Figures& figures, Measure measure) {
  const FigureRow& row = row_of(measure);
  return row.is_known == nullptr || row.is_known(figures);
}

bool adds_up(Measure measure) {
  return row_of(measure).sum != nullptr || measure == Measure::kTime;
}

}  // namespace heapledger
