// Log mode: every call becomes a line of text, whether it succeeded or not.
//
// A free's line is written before the real free, all others after the real call: so an address that
// is used again is seen freed first (realloc, which is both, excepted). A line is one write() to
// its place, nothing waits in a buffer: whatever ends the process, all lines are there. The ledger
// gets none of the calls; it has the modules and, with log=stack, the sites, so that addresses can
// be given names, and it counts the lines that could not be written.
#include "runtime/ledger/entry_guard.h"
#include "runtime/ledger/settings_in_force.h"
#include "runtime/modes/control.h"
#include "runtime/modes/log_line.h"
#include "runtime/modes/mode.h"
#include "runtime/modes/real_calls.h"
#include "runtime/unwind/site_trie.h"

namespace heapledger::runtime {
namespace {

// The window's buffer for lines; null if there is none to be had.
char* buffer_of(Window& window) {
  if (window.line == nullptr) window.line = static_cast<char*>(os::map_private(kMaxLine));
  return window.line;
}

void add_time(LogLine& line) {
  uint64_t ns = os::read_clocks().monotonic_ns - ledger_header()->start.monotonic_ns;
  line.decimal(ns / 1'000'000'000);
  line.text(".");
  line.decimal(ns % 1'000'000'000, 9);
  line.text("\t");
}

// The return addresses, the innermost first. Where a stack is not whole, or longer than a line, an
// ellipsis ends it.
void add_stack(LogLine& line, Window& window, const Caller& caller) {
  line.text("\t");
  uint32_t site = site_of(window, caller, now_units());
  if (site == kNoSite) return line.hex(caller.pc);
  for (const char* between = ""; site != kNoSite; between = " ") {
    uint64_t pc = site_pc(site);
    line.text(between);
    if (pc < format::kFirstCode || !line.has_room()) return line.text("…");
    line.hex(pc);
    site = site_parent(site);
  }
}

const char* name_of(int error) {
  return error == ENOMEM ? "ENOMEM" : error == EINVAL ? "EINVAL" : "failed";
}

// One call: made, given its arguments, ended with its result. Does nothing when it interrupts
// another hook of the same thread; that has been counted.
class LoggedCall {
 public:
  LoggedCall(const char* function, const Caller& caller)
      : caller_(caller), line_(guard_ && !filter_expected() ? buffer_of(*guard_) : nullptr) {
    if (!guard_) return;
    usable_ = !filter_expected() && (*guard_).line != nullptr;
    if (!usable_) return;
    if (settings_in_force.log_time) add_time(line_);
    if (settings_in_force.log_thread) {
      line_.decimal((*guard_).owner.load(std::memory_order_relaxed));
      line_.text("\t");
    }
    line_.text(function);
  }

  LoggedCall& number(uint64_t value) {
    if (!usable_) return *this;
    separate();
    line_.decimal(value);
    return *this;
  }
  LoggedCall& pointer(const void* value) {
    if (!usable_) return *this;
    separate();
    line_.hex(reinterpret_cast<uint64_t>(value));
    return *this;
  }

  void gives(const void* block, int error) {
    if (!usable_) return end();
    line_.text("\t");
    if (error == 0) {
      line_.hex(reinterpret_cast<uint64_t>(block));
    } else {
      line_.text(name_of(error));
    }
    end();
  }
  void gives_number(uint64_t value) {
    if (!usable_) return end();
    line_.text("\t");
    line_.decimal(value);
    end();
  }
  void gives_nothing() {
    if (usable_) line_.text("\t-");
    end();
  }

 private:
  void separate() {
    line_.text(first_ ? "\t" : " ");
    first_ = false;
  }

  void end() {
    if (!guard_) return;
    if (usable_ && settings_in_force.log_stack) add_stack(line_, *guard_, caller_);
    if (!usable_ || !log_line((*guard_).line, line_.end())) ++(*guard_).block->missed;
  }

  EntryGuard guard_;
  const Caller& caller_;
  LogLine line_;
  bool usable_ = false;
  bool first_ = true;
};

// errno as the real call left it, for a call that failed.
int error_of(const void* block) {
  return block == nullptr ? errno : 0;
}

void* log_malloc(size_t size, HEAPLEDGER_CALLER) {
  if (__builtin_expect(orders_waiting(), 0)) look_at_orders();
  void* block = real_heap.malloc(size);
  LoggedCall("malloc", {pc, sp, bp}).number(size).gives(block, error_of(block));
  return block;
}

void log_free(void* block, HEAPLEDGER_CALLER) {
  LoggedCall("free", {pc, sp, bp}).pointer(block).gives_nothing();
  real_free(block);
}

void* log_calloc(size_t count, size_t size, HEAPLEDGER_CALLER) {
  void* block = real_heap.calloc(count, size);
  LoggedCall("calloc", {pc, sp, bp}).number(count).number(size).gives(block, error_of(block));
  return block;
}

void* log_realloc(void* old_block, size_t size, HEAPLEDGER_CALLER) {
  void* block = real_realloc(old_block, size);
  // To zero bytes it frees, and null is no failure.
  int error = size == 0 && old_block != nullptr ? 0 : error_of(block);
  LoggedCall("realloc", {pc, sp, bp}).pointer(old_block).number(size).gives(block, error);
  return block;
}

void* log_reallocarray(void* old_block, size_t count, size_t size, HEAPLEDGER_CALLER) {
  size_t bytes;
  bool fits = array_bytes(count, size, bytes);
  void* block = fits ? real_realloc(old_block, bytes) : nullptr;
  int error = fits && bytes == 0 && old_block != nullptr ? 0 : error_of(block);
  LoggedCall("reallocarray", {pc, sp, bp})
      .pointer(old_block)
      .number(count)
      .number(size)
      .gives(block, error);
  return block;
}

int log_posix_memalign(void** result, size_t alignment, size_t size, HEAPLEDGER_CALLER) {
  int error = real_heap.posix_memalign(result, alignment, size);
  LoggedCall("posix_memalign", {pc, sp, bp})
      .number(alignment)
      .number(size)
      .gives(error == 0 ? *result : nullptr, error);
  return error;
}

void* log_aligned_alloc(size_t alignment, size_t size, HEAPLEDGER_CALLER) {
  void* block = real_heap.aligned_alloc(alignment, size);
  LoggedCall("aligned_alloc", {pc, sp, bp})
      .number(alignment)
      .number(size)
      .gives(block, error_of(block));
  return block;
}

void* log_memalign(size_t alignment, size_t size, HEAPLEDGER_CALLER) {
  void* block = real_heap.memalign(alignment, size);
  LoggedCall("memalign", {pc, sp, bp}).number(alignment).number(size).gives(block, error_of(block));
  return block;
}

void* log_valloc(size_t size, HEAPLEDGER_CALLER) {
  void* block = real_heap.valloc(size);
  LoggedCall("valloc", {pc, sp, bp}).number(size).gives(block, error_of(block));
  return block;
}

void* log_pvalloc(size_t size, HEAPLEDGER_CALLER) {
  void* block = real_heap.pvalloc(size);
  LoggedCall("pvalloc", {pc, sp, bp}).number(size).gives(block, error_of(block));
  return block;
}

void log_free_sized(void* block, size_t size, HEAPLEDGER_CALLER) {
  LoggedCall("free_sized", {pc, sp, bp}).pointer(block).number(size).gives_nothing();
  real_free(block);
}

void log_free_aligned_sized(void* block, size_t alignment, size_t size, HEAPLEDGER_CALLER) {
  LoggedCall("free_aligned_sized", {pc, sp, bp})
      .pointer(block)
      .number(alignment)
      .number(size)
      .gives_nothing();
  real_free(block);
}

size_t log_malloc_usable_size(void* block, HEAPLEDGER_CALLER) {
  size_t size = real_usable_size(block);
  LoggedCall("malloc_usable_size", {pc, sp, bp}).pointer(block).gives_number(size);
  return size;
}

}  // namespace

const Mode kLogMode = {
#define X(result, name, parameters, arguments) log_##name,
    HEAPLEDGER_HEAP_FUNCTIONS(X)
#undef X
};

}  // namespace heapledger::runtime
