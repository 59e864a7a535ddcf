#include "runtime/unwind/unindexed_cfi.h"

#include <atomic>
#include <cstring>

#include "runtime/unwind/stack_memo.h"
#include "runtime/unwind/unloading.h"

namespace heapledger::runtime {
namespace {

constexpr uint64_t kAlignment = 8;  // of .eh_frame
constexpr uint32_t kLongestCie = 1024;

bool is_code(const LoadedObject& object, uint64_t begin, uint64_t end) {
  for (uint32_t i = 0; i < object.header_count; ++i) {
    const ElfW(Phdr)& segment = object.headers[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    uint64_t start = object.bias + segment.p_vaddr;
    if (begin >= start && end > begin && end <= start + segment.p_memsz) return true;
  }
  return false;
}

// Whether a CIE may begin here: a quick look that nearly all other bytes fail.
bool looks_like_cie(uint64_t at) {
  struct {
    uint32_t length;
    uint32_t id;
    uint8_t version;
    char letter;
  } start;
  memcpy(&start, reinterpret_cast<const void*>(at), 10);
  return start.id == 0 && start.length >= 8 && start.length <= kLongestCie &&
         (start.version == 1 || start.version == 3) && start.letter == 'z';
}

struct Run {
  uint64_t start = 0;
  uint64_t end = 0;
  uint32_t functions = 0;
};

// The records from `at` on, for as long as they hold together.
Run run_at(const LoadedObject& object, uint64_t at, uint64_t end) {
  CfiModule module = {at, end, 0, at};
  ByteCursor cursor(reinterpret_cast<const unsigned char*>(at),
                    reinterpret_cast<const unsigned char*>(end));
  Run run = {at, at, 0};
  for (;;) {
    CfiFunction function;
    CfiRecord record = next_cfi_record(cursor, module, function);
    if (record == CfiRecord::kFunction) {
      if (!is_code(object, function.begin, function.end)) return run;
      ++run.functions;
    } else if (record != CfiRecord::kCommon) {
      return run;
    }
    run.end = reinterpret_cast<uint64_t>(cursor.at());
  }
}

Run longest_run(const LoadedObject& object) {
  Run best;
  for (uint32_t i = 0; i < object.header_count; ++i) {
    const ElfW(Phdr)& segment = object.headers[i];
    bool constant = (segment.p_flags & PF_R) != 0 && (segment.p_flags & PF_W) == 0;
    if (segment.p_type != PT_LOAD || !constant) continue;
    uint64_t start = object.bias + segment.p_vaddr;
    uint64_t end = start + segment.p_filesz;
    uint64_t at = (start + kAlignment - 1) & ~(kAlignment - 1);
    for (; at + 16 <= end; at += kAlignment) {
      if (!looks_like_cie(at)) continue;
      Run run = run_at(object, at, end);
      if (run.functions > best.functions) best = run;
      // What follows a whole run cannot be inside it.
      if (run.functions > 0) at = (run.end & ~(kAlignment - 1)) - kAlignment;
    }
  }
  return best;
}

// Answers, by the object's start. A writer makes the version odd while it works; a reader who sees
// that, or another version afterwards, looks for itself.
struct Answer {
  std::atomic<uint32_t> version;
  std::atomic<uint32_t> epoch;
  std::atomic<uint64_t> object;
  std::atomic<uint64_t> start;  // 0: it has none
  std::atomic<uint64_t> end;
};
constexpr uint32_t kAnswers = 64;
constinit Answer answers[kAnswers] = {};

Answer& answer_for(const LoadedObject& object) {
  return answers[(object.start * 0x9E3779B97F4A7C15ull >> 32) % kAnswers];
}

bool recall(const LoadedObject& object, uint32_t epoch, Run& run) {
  Answer& answer = answer_for(object);
  uint32_t version = answer.version.load(std::memory_order_acquire);
  if ((version & 1) != 0 || answer.object.load(std::memory_order_relaxed) != object.start ||
      answer.epoch.load(std::memory_order_relaxed) != epoch) {
    return false;
  }
  run.start = answer.start.load(std::memory_order_relaxed);
  run.end = answer.end.load(std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_acquire);
  return answer.version.load(std::memory_order_relaxed) == version;
}

void remember(const LoadedObject& object, uint32_t epoch, const Run& run) {
  Answer& answer = answer_for(object);
  uint32_t version = answer.version.load(std::memory_order_relaxed) & ~1u;
  if (!answer.version.compare_exchange_strong(version, version + 1, std::memory_order_acquire)) {
    return;
  }
  std::atomic_thread_fence(std::memory_order_release);
  answer.object.store(object.start, std::memory_order_relaxed);
  answer.epoch.store(epoch, std::memory_order_relaxed);
  answer.start.store(run.start, std::memory_order_relaxed);
  answer.end.store(run.end, std::memory_order_relaxed);
  answer.version.store(version + 2, std::memory_order_release);
}

}  // namespace

bool find_unindexed(const LoadedObject& object, CfiModule& module) {
  Run run;
  uint32_t epoch = code_epoch.load(std::memory_order_acquire);
  bool unloading = is_unloading();
  if (unloading || !recall(object, epoch, run)) {
    run = longest_run(object);
    if (!unloading) remember(object, epoch, run);
  }
  if (run.start == 0) return false;
  module = {run.start, run.end, 0, run.start};
  return true;
}

}  // namespace heapledger::runtime
