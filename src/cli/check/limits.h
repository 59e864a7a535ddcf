// The limits of `heapledger check`, from words to numbers: of the command line, and of a file with
// lines such as `max-peak = 1G`. A word that is not understood is answered with where it stands and
// what would be right; a limit is never silently left out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/query/figures.h"

namespace heapledger::cli::check {

// From kFirstFigure on: the figures of the catalogue that add up over a run and have none above.
enum class LimitKind : uint8_t {
  kPeak,
  kRss,
  kUnfreed,
  kCalls,
  kTemporary,
  kGrowth,
  kFirstFigure,
};
size_t limit_kinds();
Measure measure_of(LimitKind kind);  // from kFirstFigure on

// "max-peak" and so on: the option without its dashes, and the word in a file.
std::string_view name_of(LimitKind kind);

struct Limit {
  LimitKind kind = LimitKind::kPeak;
  uint64_t value = 0;  // bytes, or calls …
  bool is_percent = false;
  double percent = 0;  // … or this; of what, depends on the kind
  std::string source;  // "command line", or the file and line
};

// 1G, 1.5GiB, 0, 512k for sizes, in powers of 1024; 100000, 1.5M for calls, in powers of 1000;
// 40% for temporary calls (of all), never freed (of all bytes allocated) and growth. `where` goes
// before the complaint. Throws Error.
Limit parse_limit(LimitKind kind, std::string_view text, const std::string& source,
                  const std::string& where);

// The limits in a file's text. Throws Error that names the line.
std::vector<Limit> parse_limits(std::string_view text, const std::string& path);

// `first` and those of `others` that `first` does not have; in the order of the kinds.
std::vector<Limit> merged_limits(const std::vector<Limit>& first, const std::vector<Limit>& others);

// The whole of a small file. `what` is for the complaint. Throws Error.
std::string read_words(const std::string& path, const char* what);

}  // namespace heapledger::cli::check
