// A thread's last stack, as stack_capture.h uses it to find the next one quickly. It belongs to
// one thread's window and is used by that thread alone.
#pragma once

#include <atomic>
#include <cstdint>

#include "format/entry.h"
#include "runtime/unwind/own_stack.h"
#include "runtime/unwind/walker.h"

namespace heapledger::runtime {

// A frame of the remembered stack, and what verifies the step to the next one outwards.
struct MemoFrame {
  FrameState state;
  const uint64_t* return_slot;  // holds the next frame's pc
  const uint64_t* frame_slot;   // holds the next frame's bp
  uint32_t site;                // of this frame and all outside it
};

// How a walk ended; what its outermost frame hangs from in the trie (format/entry.h).
enum class StackEnd : uint8_t {
  kWhole = 0,
  kCut = format::kMarkCut,
  kDepth = format::kMarkDepth,
};

inline constexpr uint32_t kMaxDepth = 4096;
extern uint32_t depth_limit;  // frames; set once at the start

// Counts unloads: what a memo knows about code holds for one epoch.
extern std::atomic<uint32_t> code_epoch;

struct StackMemo {
  OwnStack own;
  uint32_t thread;  // whose it is, by index
  uint32_t epoch;
  uint32_t count;       // frames remembered; [0] is the outermost
  uint32_t last_count;  // frames of the stack last captured, remembered or not
  uint32_t capacity;
  StackEnd end;
  bool on_own_stack;  // where the remembered stack was
  MemoFrame* frames;  // capacity of them
  MemoFrame* fresh;   // likewise: those of a walk, the innermost first
  MemoFrame* fresh_end;
  uint64_t* reference;  // likewise, for cross_check
  CfiScratch scratch;
};

// A memo with room for depth_limit frames; null if there is no memory.
StackMemo* new_memo();
// For the window's next thread.
void reset_memo(StackMemo& memo);

}  // namespace heapledger::runtime
