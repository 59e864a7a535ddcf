// Names as the source has them: C++ (_Z…), Rust (legacy and v0, without the hash) and, failing
// both, the name as it is. The name may come from a hostile file: the result is bounded, and a name
// whose meaning would be absurdly long stays mangled.
#pragma once

#include <string>

namespace heapledger {

std::string demangle(const char* name);

}  // namespace heapledger
