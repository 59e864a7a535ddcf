// What the files that make up the ledger file (file.h) share: file.cpp, growth.cpp, reserve.cpp.
#pragma once

#include <atomic>
#include <cerrno>

#include "runtime/ledger/file.h"
#include "runtime/os/descriptor_gate.h"

namespace heapledger::runtime {

struct LedgerFile {
  os::FileId id;
  format::FileHeader* header = nullptr;
  uint32_t page_bytes = 0;  // of the machine
  uint32_t header_bytes = 0;
  // The first extent, which is mapped along with the header, until somebody takes it.
  std::atomic<unsigned char*> first{nullptr};
  std::atomic<uint32_t> extents{0};
  std::atomic<Status> status{Status::kIdle};
  PathText path;
};
extern LedgerFile ledger_file __attribute__((visibility("hidden")));

inline uint64_t offset_of(uint32_t extent) {
  return ledger_file.header_bytes + uint64_t{extent} * format::kExtentBytes;
}

inline uint32_t claim_extents(uint32_t count) {
  return ledger_file.extents.fetch_add(count, std::memory_order_relaxed);
}

// Opens our file, and only ours (the path may lead elsewhere by now), for as long as `operation`
// takes: a function of the descriptor that returns 0 or -errno. Writing up to `end` is within
// RLIMIT_FSIZE, or -EFBIG.
template <typename Operation>
long with_file(uint64_t end, Operation operation) {
  if (end > os::file_size_limit()) return -EFBIG;
  os::DescriptorHold hold;
  if (!hold) return -EBUSY;
  int fd = os::open_file(ledger_file.path.data());
  if (fd < 0) return fd;
  hold.set(fd);
  os::FileId id;
  bool ours = os::file_id(fd, id) == 0 && id == ledger_file.id;
  long result = ours ? operation(fd) : -ESTALE;
  hold.close(fd);
  return result;
}

// Maps `count` extents that were claimed. Null, with -errno in `error`, when that fails.
unsigned char* map_extents(uint32_t first, uint32_t count, long& error);

}  // namespace heapledger::runtime
