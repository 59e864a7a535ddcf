// Why a recording stopped before its program did, in plain words.
#pragma once

#include <string>

#include "format/layout.h"

namespace heapledger {

std::string describe_stop(const format::FileHeader& header);

}  // namespace heapledger
