// A mode is what the runtime does on each call: one function per hooked symbol. The exported
// symbols jump through the active mode, each with the place it was called from. make_mode.h makes
// the functions of a mode out of what is special about it.
#pragma once

#include <atomic>
#include <cstddef>
#include <string_view>

#include "format/functions.h"
#include "runtime/modes/heap_functions.h"
#include "runtime/unwind/site.h"

// Where the hook was called from, as parameters: a Caller by value would go through memory.
#define HEAPLEDGER_CALLER uint64_t pc, uint64_t sp, uint64_t bp

namespace heapledger::runtime {

using format::Function;

struct Mode {
#define X(id, result, name, parameters, arguments) \
  result (*name)(HEAPLEDGER_UNPACK parameters, HEAPLEDGER_CALLER);
  HEAPLEDGER_ALL_FUNCTIONS(X)
#undef X
};

// The member of Mode that is a function's; and both tables know it by the same name.
template <Function function>
inline constexpr auto kModeMember = nullptr;
#define X(id, result, name, parameters, arguments)               \
  template <>                                                    \
  inline constexpr auto kModeMember<Function::id> = &Mode::name; \
  static_assert(std::string_view(format::name_of(Function::id)) == #name);
HEAPLEDGER_ALL_FUNCTIONS(X)
#undef X

#define X(...) +1
static_assert(0 HEAPLEDGER_ALL_FUNCTIONS(X) == format::kHeapFunctions);
#undef X

extern std::atomic<const Mode*> active_mode __attribute__((visibility("hidden")));

extern const Mode kTraceMode;         // every call is entered (modes/trace.cpp)
extern const Mode kTraceCallersMode;  // the same where a stack is its caller alone (depth=1)
extern const Mode kCountMode;         // every call is counted (modes/count.cpp)
extern const Mode kLogMode;           // every call is a line of text (modes/log.cpp)
extern const Mode kOffMode;           // nothing is, until told otherwise (modes/off.cpp)
extern const Mode kSampleBytesMode;   // a random choice of calls is entered (modes/sample.cpp) …
extern const Mode kSampleCallsMode;   // … by the bytes they ask for, or by their number
extern const Mode kLiveMode;          // what is alive is kept (modes/live.cpp) …
extern const Mode kLiveBytesMode;     // … or a random choice of it, by bytes …
extern const Mode kLiveCallsMode;     // … or by calls
extern const Mode kLivePausedMode;    // nothing new is; what is known is still seen to end
extern const Mode kPassThroughMode;   // nothing ever is (modes/off.cpp)

}  // namespace heapledger::runtime
