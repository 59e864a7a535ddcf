// How the ledger file grows: by extents that are mapped, and by extents that are written at once.
#include <arch_order.h>

#include <cerrno>

#include "format/checksum.h"
#include "format/live_tables.h"
#include "runtime/ledger/file_parts.h"
#include "runtime/ledger/live_image.h"
#include "runtime/ledger/reserve.h"

namespace heapledger::runtime {

using format::ExtentHeader;
using format::kExtentBytes;
using format::StopReason;

unsigned char* map_extents(uint32_t first, uint32_t count, long& error) {
  uint64_t offset = offset_of(first);
  size_t bytes = size_t{count} * kExtentBytes;
  void* at = nullptr;
  error = with_file(offset + bytes, [&](int fd) {
    long result = os::reserve(fd, offset, bytes);
    if (result != 0) return result;
    at = os::map_file(fd, offset, bytes);
    return at == nullptr ? long{-ENOMEM} : 0;
  });
  return static_cast<unsigned char*>(at);
}

namespace {

StopReason reason_of(long error) {
  switch (error) {
    case ENOSPC:
      return StopReason::kDiskFull;
    case EDQUOT:
      return StopReason::kQuota;
    case EFBIG:
      return StopReason::kFileSizeLimit;
    case EACCES:
    case EPERM:
    case EROFS:
      return StopReason::kNoPermission;
    case ENOENT:
    case ENOTDIR:
    case ESTALE:
      return StopReason::kFileGone;
    case ENOMEM:
      return StopReason::kNoMemory;
    case EMFILE:
    case ENFILE:
      return StopReason::kNoDescriptors;
    default:
      return StopReason::kIoError;
  }
}

uint64_t blocks_for(size_t bytes) {
  return (bytes + kExtentBytes - 1) / kExtentBytes;
}

// The file cannot grow, with -errno; 0: because of a filter.
void stop_growing(long error) {
  stop_recording(filter_expected() ? StopReason::kSeccomp : reason_of(-error),
                 filter_expected() ? 0 : -error);
}

// Appends an extent header and what follows it, `count` extents in all. Returns 0 or -errno.
long append(ExtentHeader& header, const void* content, size_t bytes, uint32_t count) {
  if (filter_expected()) {
    unsigned char* at = take_reserved(count);
    if (at != nullptr) {
      __builtin_memcpy(at + sizeof header, content, bytes);
      __builtin_memcpy(at, &header, sizeof header);
      return 0;
    }
    if (filter_expected()) return -ENOSPC;  // else it was refused meanwhile
  }
  uint64_t offset = offset_of(claim_extents(count));
  return with_file(offset + uint64_t{count} * kExtentBytes, [&](int fd) {
    iovec parts[2] = {{&header, sizeof header}, {const_cast<void*>(content), bytes}};
    return os::write_all_at(fd, parts, 2, offset);
  });
}

void complete_chunk(ExtentHeader& header, const unsigned char* payload) {
  header.magic = format::kChunkMagic;
  header.checksum = format::checksum(payload, header.bytes);
  header.header_checksum = format::checksum(&header, offsetof(ExtentHeader, header_checksum));
}

}  // namespace

ExtentHeader* add_window() {
  long error = 0;
  void* at = ledger_file.first.exchange(nullptr, std::memory_order_acq_rel);
  if (at == nullptr && filter_expected()) at = take_reserved();
  // A filter that was refused meanwhile is none.
  if (at == nullptr && !filter_expected()) at = map_extents(claim_extents(1), 1, error);
  // What live mode has to tell is not in windows: where the file cannot grow, memory does as well.
  if (at == nullptr && live_tables_wanted()) {
    at = filter_expected() ? nullptr : os::map_private(kExtentBytes);
  } else if (at == nullptr) {
    stop_growing(error);
  }
  return static_cast<ExtentHeader*>(at);
}

bool append_chunk(ExtentHeader& header, const unsigned char* payload) {
  complete_chunk(header, payload);
  long error = append(header, payload, header.bytes, 1);
  if (live_tables_wanted()) return true;  // see add_window
  if (error < 0) stop_growing(error);
  return error >= 0;
}

void* add_live_extent(size_t bytes) {
  auto count = static_cast<uint32_t>(blocks_for(sizeof(ExtentHeader) + bytes));
  long error = 0;
  unsigned char* at = map_extents(claim_extents(count), count, error);
  if (at == nullptr) {
    stop_growing(error);
    return nullptr;
  }
  auto* header = reinterpret_cast<ExtentHeader*>(at);
  header->seq = reinterpret_cast<uint64_t>(header + 1);
  header->base_time = bytes;
  os::keep_store_order();
  header->magic = format::kLiveBlockMagic;
  return header + 1;
}

bool append_live_extent(const void* content, size_t bytes) {
  ExtentHeader header = {};
  header.magic = format::kLiveBlockMagic;
  header.seq = reinterpret_cast<uint64_t>(content);
  header.base_time = bytes;
  auto count = static_cast<uint32_t>(blocks_for(sizeof header + bytes));
  long error = append(header, content, bytes, count);
  if (error < 0) stop_growing(error);
  return error >= 0;
}

}  // namespace heapledger::runtime
