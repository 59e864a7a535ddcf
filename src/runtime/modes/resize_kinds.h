// What realloc and reallocarray are entered as: the same three cases, under their own names.
#pragma once

#include "format/entry.h"

namespace heapledger::runtime {

struct ResizeKinds {
  format::Kind fresh;   // of no block
  format::Kind resize;  // of a block
  format::Kind freed;   // to no bytes, which freed it
};
inline constexpr ResizeKinds kRealloc = {format::Kind::kReallocNew, format::Kind::kRealloc,
                                         format::Kind::kReallocFree};
inline constexpr ResizeKinds kReallocArray = {
    format::Kind::kReallocArrayNew, format::Kind::kReallocArray, format::Kind::kReallocArrayFree};

}  // namespace heapledger::runtime
