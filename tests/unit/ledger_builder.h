// Writes ledgers for tests, entry by entry, with the same encoder the runtime uses. Times are given
// since the start of the ledger; by default one time unit is one tick is one nanosecond.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "format/entry_encoder.h"
#include "format/heap_event.h"
#include "format/layout.h"
#include "format/resident.h"

namespace heapledger::test {

inline constexpr uint64_t kStartTicks = 5'000'000'000;
inline constexpr uint64_t kStartRealtime = 1'700'000'000'000'000'000;  // 2023-11-14T22:13:20Z

class LedgerBuilder;

// One window of the ledger under construction. A full one is flushed, as in the runtime. It speaks
// for the thread with its own number until thread() says otherwise.
class WindowBuilder {
 public:
  WindowBuilder(LedgerBuilder& ledger, uint32_t id, size_t place);
  WindowBuilder(const WindowBuilder&) = delete;
  WindowBuilder& operator=(const WindowBuilder&) = delete;

  WindowBuilder& malloc(uint64_t time, uint64_t pointer, uint64_t size, uint32_t site = 1);
  WindowBuilder& allocate(format::Kind kind, uint64_t time, uint64_t pointer, uint64_t size,
                          uint32_t site = 1);
  // At the time of the entry before.
  WindowBuilder& calloc_at_once(uint64_t pointer, uint64_t size, uint32_t site = 1);
  WindowBuilder& aligned(format::Kind kind, uint64_t time, uint64_t pointer, uint64_t size,
                         uint64_t alignment, uint32_t site = 1);
  WindowBuilder& free(uint64_t time, uint64_t pointer);
  WindowBuilder& free_by(format::Kind kind, uint64_t time, uint64_t pointer);
  WindowBuilder& resize(uint64_t time, uint64_t old_pointer, uint64_t end_time, uint64_t pointer,
                        uint64_t size, uint32_t site = 1,
                        format::Kind kind = format::Kind::kRealloc);

  WindowBuilder& thread(uint64_t time, uint32_t index, uint64_t tid, std::string_view name);
  WindowBuilder& thread_name(uint64_t time, std::string_view name);
  WindowBuilder& site(uint64_t time, uint32_t id, uint32_t parent, uint32_t module, uint64_t pc);
  WindowBuilder& code(uint64_t time, uint32_t number, uint32_t module, uint64_t pc);
  WindowBuilder& chain(uint64_t time, uint32_t id, uint32_t parent,
                       std::initializer_list<uint32_t> codes);
  WindowBuilder& module(uint64_t time, uint32_t id, uint64_t start, uint64_t end, uint64_t bias,
                        std::string_view build_id, std::string_view path, uint64_t epoch = 1);
  WindowBuilder& unload(uint64_t time, uint32_t module);
  WindowBuilder& memory(uint64_t time, uint64_t rss, uint64_t peak);
  WindowBuilder& memory(uint64_t time, uint64_t rss, uint64_t peak, uint64_t file_rss);
  WindowBuilder& resident(uint64_t time, uint64_t total,
                          const std::vector<format::ResidentRange>& ranges);
  WindowBuilder& marker(uint64_t time, std::string_view text);
  WindowBuilder& event(uint64_t time, const format::HeapEvent& event);
  WindowBuilder& heap(uint64_t time, uint32_t id, format::HeapKind kind, std::string_view name);
  WindowBuilder& frame(uint64_t time, uint32_t id, uint32_t parent, format::FrameKind kind,
                       std::string_view file, uint32_t line, std::string_view name);
  WindowBuilder& info(uint64_t time, format::InfoKey key, std::string_view text);
  WindowBuilder& fork(uint64_t time);
  WindowBuilder& unknown_kind(uint64_t time, std::string_view fields);

  // Makes the content a chunk at the end of the file and starts again with the next number.
  WindowBuilder& flush();

  // Payload bytes written since the last flush, and the number of this filling.
  uint32_t used() const;
  uint64_t seq() const { return header_.seq; }
  uint32_t id() const { return header_.window; }

  // Entries that could not be made.
  void set_missed(uint64_t missed) { header_.missed = missed; }

 private:
  friend class LedgerBuilder;

  uint64_t units(uint64_t time) const;
  void make_room(size_t bytes);
  void start_filling();

  LedgerBuilder* ledger_;
  size_t place_;
  format::ExtentHeader header_{};
  std::vector<unsigned char> payload_;
  format::EncoderState state_;
  uint32_t current_thread_ = 0;
};

class LedgerBuilder {
 public:
  LedgerBuilder();
  LedgerBuilder(LedgerBuilder&& other) noexcept;
  LedgerBuilder& operator=(LedgerBuilder&& other) noexcept;

  format::FileHeader header{};

  WindowBuilder& window(uint32_t id);

  // A block without content, as a process leaves it that is killed before it writes a chunk.
  LedgerBuilder& hole();

  // The file as it would be if the process were killed now.
  std::string bytes();

 private:
  friend class WindowBuilder;

  size_t add_block();

  std::vector<std::string> blocks_;
  std::map<uint32_t, WindowBuilder> windows_;
};

// Where block `number` of a ledger begins.
size_t extent_offset(size_t number);

}  // namespace heapledger::test
