// What an entry means for the blocks of a process.
#pragma once

#include <array>
#include <cstdint>

#include "format/entry.h"

namespace heapledger {

enum class Happening : uint8_t {
  kNote,    // nothing: it describes the process
  kBirth,   // of `pointer`
  kDeath,   // of `pointer`
  kResize,  // death of `old_pointer`, then birth of `pointer`
};

namespace detail {

constexpr std::array<Happening, 64> make_happenings() {
  using format::Kind;
  std::array<Happening, 64> table{};
  auto set = [&table](Kind kind, Happening what) { table[static_cast<size_t>(kind)] = what; };
  for (Kind kind :
       {Kind::kMalloc, Kind::kCalloc, Kind::kReallocNew, Kind::kReallocArrayNew, Kind::kValloc,
        Kind::kPvalloc, Kind::kPosixMemalign, Kind::kAlignedAlloc, Kind::kMemalign}) {
    set(kind, Happening::kBirth);
  }
  for (Kind kind : {Kind::kFree, Kind::kReallocFree, Kind::kReallocArrayFree, Kind::kFreeSized,
                    Kind::kFreeAlignedSized}) {
    set(kind, Happening::kDeath);
  }
  for (Kind kind : {Kind::kRealloc, Kind::kReallocArray}) set(kind, Happening::kResize);
  return table;
}

inline constexpr std::array<Happening, 64> kHappenings = make_happenings();

}  // namespace detail

inline Happening happening(format::Kind kind) {
  return detail::kHappenings[static_cast<uint8_t>(kind) & 63];
}

}  // namespace heapledger
