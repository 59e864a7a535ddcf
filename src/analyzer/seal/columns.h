// The columns of a segment: the same field of all its entries side by side, where it compresses far
// better than between the other fields. What each holds is said in docs/format.md; the order is
// part of the format. The columns of notes come first, so that they can be read without the others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace heapledger::seal {

enum Column : unsigned {
  kNoteCounts,   // per filling
  kNoteTags,     // low bits 3: a site in columns; 0: any note as it is
  kNoteTimes,    // since the note before
  kNoteFields,   // length and bytes
  kSiteIds,      // difference to the site before
  kSiteParents,  // difference to the site itself
  kSiteModules,
  kSitePcs,  // difference to the site before
  kShapes,   // per filling: entries, bytes after them
  kTags,     // 0: a note
  kTimes,
  kOtherTimes,  // of entries whose tag has no time, and durations
  kDeathCodes,
  kDeathAddresses,
  kBirthCodes,
  kBirthAddresses,
  kSites,
  kSizes,
  kAlignments,
  kRest,
  kColumns
};

inline constexpr unsigned kNoteColumns = kShapes;

using Bytes = std::vector<unsigned char>;
using Columns = std::array<Bytes, kColumns>;

inline uint64_t zigzag(uint64_t difference) {
  return (difference << 1) ^ static_cast<uint64_t>(static_cast<int64_t>(difference) >> 63);
}

inline uint64_t unzigzag(uint64_t value) {
  return (value >> 1) ^ (0 - (value & 1));
}

// Blocks of one class come from the same place in most allocators: what one frees the next gets.
inline constexpr unsigned kClasses = 128;

inline unsigned size_class(uint64_t size) {
  uint64_t units = size > UINT64_MAX - 23 ? UINT64_MAX / 16 : (size + 23) / 16;
  if (units < 2) return 2;
  if (units < 64) return static_cast<unsigned>(units);
  return 64 + static_cast<unsigned>(64 - __builtin_clzll(units));
}

}  // namespace heapledger::seal
