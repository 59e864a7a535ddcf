// Writes a raw ledger from what another tool has recorded: one process, one thread, one window. The
// clock ticks in nanoseconds since the start. Entries are given in the order of time; each is a
// nanosecond at least after the one before, so that the order survives. Whatever cannot be written
// is an Error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "format/entry_encoder.h"
#include "format/layout.h"

namespace heapledger {

class LedgerWriter {
 public:
  // An empty file that is there already: it is written over.
  explicit LedgerWriter(std::string path);
  ~LedgerWriter();
  LedgerWriter(const LedgerWriter&) = delete;
  LedgerWriter& operator=(const LedgerWriter&) = delete;

  // From here on it is so late, unless it is later already.
  void at(uint64_t ns);
  uint64_t now() const { return now_; }

  void malloc(uint64_t pointer, uint64_t size, uint32_t site);
  void free(uint64_t pointer);
  void site(uint32_t id, uint32_t parent, uint32_t module, uint64_t pc);
  void module(uint32_t id, uint64_t start, uint64_t end, uint64_t bias, std::string_view path);
  void unload(uint32_t module);
  void memory(uint64_t rss_bytes);
  void info(format::InfoKey key, std::string_view text);
  void marker(std::string_view text);

  // Completes the file; `ended_ns` is when the process ended on the clock on the wall.
  void finish(uint32_t page_bytes, uint64_t ended_ns);

 private:
  uint64_t step(size_t text_bytes = 0);  // makes room; the time of the next entry
  void start_filling();
  void flush();
  void write(const void* bytes, size_t count, uint64_t offset);

  std::string path_;
  int fd_ = -1;
  uint64_t file_bytes_ = 0;
  uint64_t now_ = 0;
  uint64_t rss_peak_ = 0;
  format::BlockHeader header_{};
  std::vector<unsigned char> payload_;
  format::EncoderState state_;
};

}  // namespace heapledger
