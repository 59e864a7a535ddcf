// Writes a raw ledger from what somebody else has recorded: one process, one window. The clock
// ticks in nanoseconds since the start. Entries are given in the order of time; each is a
// nanosecond at least after the one before, unless their times are to be kept as they are. Whatever
// cannot be written is an Error.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/entry_encoder.h"
#include "format/layout.h"
#include "format/resident.h"

namespace heapledger {

struct WriterThread {
  uint32_t index = 0;
  uint64_t tid = 1;
  std::string_view name = "main";
};

// What the header of the file says about the process.
struct WriterProcess {
  uint32_t page_bytes = 4096;
  uint32_t machine = 0;  // ELF e_machine
  uint32_t pid = 0;
  uint32_t parent_pid = 0;
  uint32_t mode = 0;   // format/modes.h
  uint32_t flags = 0;  // HeaderFlag
  uint64_t sample_bytes = 0;
  uint64_t sample_calls = 0;
  uint64_t missed = 0;
  uint32_t stop_reason = 0;  // format::StopReason
  uint32_t stop_errno = 0;
  uint64_t started_ns = 0;  // on the clock on the wall
  bool exited = true;
};

class LedgerWriter {
 public:
  enum class Times { kApart, kAsTheyAre };

  // An empty file that is there already, or none: it is written over.
  explicit LedgerWriter(std::string path, const WriterThread& first = {},
                        Times times = Times::kApart);
  ~LedgerWriter();
  LedgerWriter(const LedgerWriter&) = delete;
  LedgerWriter& operator=(const LedgerWriter&) = delete;

  // From here on it is so late, unless it is later already.
  void at(uint64_t ns);
  uint64_t now() const { return now_; }

  // From here on the entries are of this thread.
  void thread(const WriterThread& thread);

  void malloc(uint64_t pointer, uint64_t size, uint32_t site);
  void free(uint64_t pointer);
  void site(uint32_t id, uint32_t parent, uint32_t module, uint64_t pc);
  // A site that has a name and no address; module 0: not known.
  void frame(uint32_t id, uint32_t parent, uint32_t module, std::string_view name,
             std::string_view file, uint32_t line);
  void module(uint32_t id, uint64_t start, uint64_t end, uint64_t bias, std::string_view path,
              std::string_view build_id = {});
  void unload(uint32_t module);
  void memory(uint64_t rss_bytes);
  // Right before the sample of the same moment.
  void resident(uint64_t total, uint64_t swapped, std::span<const format::ResidentRange> ranges);
  void info(format::InfoKey key, std::string_view text);
  void site_before(uint32_t site, uint64_t calls, uint64_t bytes, uint64_t peak);

  // Completes the file; `ended_ns` is when the process ended on the clock on the wall.
  void finish(uint32_t page_bytes, uint64_t ended_ns);
  void finish(const WriterProcess& process);

 private:
  uint64_t step(size_t text_bytes = 0);  // makes room; the time of the next entry
  void write_thread(const WriterThread& thread, uint64_t time);
  void start_filling();
  void flush();
  void write(const void* bytes, size_t count, uint64_t offset);

  std::string path_;
  int fd_ = -1;
  Times times_;
  uint32_t thread_ = 0;
  uint64_t file_bytes_ = 0;
  uint64_t now_ = 0;
  uint64_t rss_peak_ = 0;
  format::ExtentHeader header_{};
  std::vector<unsigned char> payload_;
  format::EncoderState state_;
};

}  // namespace heapledger
