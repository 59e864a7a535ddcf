// The rows of `heapledger top`: sites or functions, chosen and sorted.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/top/reader.h"

namespace heapledger::cli::top {

enum class TopSort { kLive, kGrowth, kRate, kBlocks, kName };
enum class TopBy { kSite, kFunction };

// A figure of the catalogue, under a word of top's own where it is for one interval only; or what
// no other answer has.
struct TopSortRow {
  TopSort sort;
  std::string_view word;
  std::string_view title;
  uint64_t Sums::*sum;            // of the catalogue
  int64_t cores::Change::*other;  // nullptr both: by name
};

const std::array<TopSortRow, 5>& top_sorts();  // in the order of TopSort
const TopSortRow& row_of(TopSort sort);
std::vector<std::string> top_sort_words();
std::string_view name_of(TopBy by);  // "site", "function"

struct TopChoice {
  TopSort sort = TopSort::kLive;
  bool reverse = false;
  TopBy by = TopBy::kSite;
  std::string filter;  // text on the stack, in whatever case; empty: all
};

struct TopRow {
  std::string key;  // the same in every reading
  std::string name;
  std::string file;  // by site with the line
  uint32_t line = 0;
  cores::Change change;
  uint64_t sites = 1;  // that it has
  const SiteName* stack = nullptr;
  uint64_t stack_bytes = 0;  // of functions the stack is that of the site with the most bytes
};

// Functions are those to blame for each site, so that nothing counts twice. Growth is that since
// the first reading; what is equal comes by live bytes, then by name.
std::vector<TopRow> top_rows(const TopReading& reading, const TopChoice& choice);

}  // namespace heapledger::cli::top
