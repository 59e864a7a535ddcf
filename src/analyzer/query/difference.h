// Two sets of ledgers, or two moments of one, compared group by group. Groups are matched by what
// they are called, never by addresses (difference_keys.h); stacks, owners and lines by what they
// are called and by the order of lines in their functions (difference_match.h). Sites whose stacks
// differ only in line numbers are one here. Every figure is that of Ledgers::ask(), what is never
// freed less what is suppressed; nothing is estimated, and what is not known (the own peak of
// several sites taken together) is said to be unknown. Sums over all rows are those of both sides.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/query.h"

namespace heapledger {

// The figures that add up, their peaks, and what is never freed: the values of Measure, and one
// more.
enum class Compared : uint8_t {
  kLive = static_cast<uint8_t>(Measure::kLiveBytes),
  kBlocks = static_cast<uint8_t>(Measure::kLiveBlocks),
  kCalls = static_cast<uint8_t>(Measure::kCalls),
  kBytes = static_cast<uint8_t>(Measure::kBytes),
  kTemporary = static_cast<uint8_t>(Measure::kTemporaryCalls),
  kPeak = static_cast<uint8_t>(Measure::kPeakBytes),
  kUnfreed = kMeasures,
};

// All there are, in the order of the catalogue.
std::vector<Compared> all_compared();

// By the words of the catalogue, and "never-freed". Throws Error that lists them.
Compared parse_compared(std::string_view text);
std::string_view name_of(Compared measure);
std::string_view key_of(Compared measure);  // in JSON
FigureUnit unit_of(Compared measure);

// What one side has in a group, or in all.
struct SideFigures : Sums {
  bool there = false;  // it has such a group at all
  bool has_peak = false;
  uint64_t peak_bytes = 0;
  bool has_never_freed = false;
  uint64_t never_freed_bytes = 0;
  uint64_t never_freed_blocks = 0;
};

bool is_known(const SideFigures& side, Compared measure);
uint64_t value_of(const SideFigures& side, Compared measure);

struct DifferenceQuestion {
  MomentSpec at{MomentSpec::Kind::kPeak, 0, 0, {}};  // in both
  Filter filter;
  GroupBy by = GroupBy::kSite;  // not by process or lifetime
  Compared sort = Compared::kLive;
  Suppressions suppressions = Suppressions::built_in();  // of what is never freed
  size_t top = SIZE_MAX;
};

enum class ChangeKind { kSame, kGrew, kShrank, kCame, kWent };
std::string_view name_of(ChangeKind kind);

// One group in both. Where groups overlap (functions, files, lines, modules), `before` and `after`
// are of what it allocates itself, so that changes add up, and its own peak is that of all it has
// on the stack; `all_…` are with what is allocated below it.
struct ChangeRow {
  std::string name;
  std::string function, file, module;  // of the later one, where there is one
  uint32_t line = 0;
  bool called_as_before = false;  // but these are of the earlier one, which has more frames
  std::string file_before;        // by site, owner and line: of the earlier one
  uint32_t line_before = 0;
  uint32_t site_before = 0;  // by site and owner: the largest, for Ledgers::frames(); 0: none
  uint32_t site_after = 0;
  uint64_t stacks_before = 0;  // by site and owner: how many
  uint64_t stacks_after = 0;
  uint64_t key = 0;  // by size and its class: bytes
  SideFigures before, after;
  SideFigures all_before, all_after;

  ChangeKind kind(Compared measure) const;
  bool is_known(Compared measure) const;
  int64_t change(Compared measure) const;  // 0 when unknown
};

// Who has most of the change of live bytes: a function, or what the groups are.
struct Blame {
  std::string name;  // empty: nobody in particular
  int64_t bytes = 0;
};

struct Difference {
  SideFigures before,
      after;               // of everything selected; its peak is unknown only with --by and filter
  uint64_t before_ns = 0;  // the moments
  uint64_t after_ns = 0;
  uint64_t suppressed_before = 0;  // bytes, of what is never freed
  uint64_t suppressed_after = 0;
  uint64_t rss_before = 0;  // the highest; 0: not known
  uint64_t rss_after = 0;
  bool same_ledgers = false;  // two moments of one
  bool overlap = false;

  std::vector<ChangeRow> rows;  // the largest change first, no matter which way
  uint64_t groups = 0;          // that there are
  uint64_t came = 0, went = 0, grew = 0, shrank = 0, same = 0;  // by the measure of the order
  Blame blame;

  // Modules without names that were built anew: what is in them cannot be matched.
  std::vector<std::string> unmatched_modules;
};

Difference compare(Ledgers& before, Ledgers& after, const DifferenceQuestion& question);

// Figures are of what had happened up to each of the moments; never freed is not among them.
Difference compare_moments(Ledgers& ledgers, const MomentSpec& first, const MomentSpec& second,
                           const DifferenceQuestion& question);

// after - before, at the ends of the type rather than beyond them.
int64_t change_of(uint64_t before, uint64_t after);

}  // namespace heapledger
