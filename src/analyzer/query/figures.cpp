#include "analyzer/query/figures.h"

#include <array>
#include <string>

#include "analyzer/error.h"

namespace heapledger {
namespace {

struct Word {
  std::string_view text;
  Measure measure;
};

constexpr std::array kMeasureWords = {
    Word{"live", Measure::kLiveBytes},
    Word{"blocks", Measure::kLiveBlocks},
    Word{"calls", Measure::kCalls},
    Word{"bytes", Measure::kBytes},
    Word{"peak", Measure::kPeakBytes},
    Word{"temporary", Measure::kTemporaryCalls},
    Word{"frees", Measure::kFrees},
    Word{"freed", Measure::kEndedBytes},
    Word{"reallocs", Measure::kResizes},
    Word{"moved", Measure::kMovedBytes},
    Word{"size", Measure::kAverageSize},
    Word{"lifetime", Measure::kMedianLifetime},
    Word{"mean-lifetime", Measure::kMeanLifetime},
    Word{"rss", Measure::kRssPeak},
    Word{"time", Measure::kTime},
};

}  // namespace

Measure parse_measure(std::string_view text) {
  std::string all;
  for (const Word& word : kMeasureWords) {
    if (word.text == text) return word.measure;
    all += (all.empty() ? "" : ", ") + std::string(word.text);
  }
  throw Error("'" + std::string(text) + "' is no measure; there are " + all, kExitUsage);
}

std::string_view name_of(Measure measure) {
  for (const Word& word : kMeasureWords) {
    if (word.measure == measure) return word.text;
  }
  return "";
}

uint64_t value_of(const Figures& figures, Measure measure) {
  switch (measure) {
    case Measure::kLiveBytes:
      return figures.live_bytes;
    case Measure::kLiveBlocks:
      return figures.live_blocks;
    case Measure::kCalls:
      return figures.calls;
    case Measure::kBytes:
      return figures.bytes;
    case Measure::kPeakBytes:
      return figures.peak_bytes;
    case Measure::kTemporaryCalls:
      return figures.temporary_calls;
    case Measure::kFrees:
      return figures.frees;
    case Measure::kEndedBytes:
      return figures.ended_bytes;
    case Measure::kResizes:
      return figures.resizes;
    case Measure::kMovedBytes:
      return figures.moved_bytes;
    case Measure::kAverageSize:
      return figures.average_size();
    case Measure::kMedianLifetime:
      return figures.lifetimes.median();
    case Measure::kMeanLifetime:
      return figures.lifetimes.mean();
    case Measure::kRssPeak:
      return 0;
    case Measure::kTime:
      return figures.time_ns;
  }
  return 0;
}

}  // namespace heapledger
