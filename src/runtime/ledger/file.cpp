#include "runtime/ledger/file.h"

#include <atomic>
#include <cerrno>

#include "format/checksum.h"
#include "format/live_tables.h"
#include "runtime/ledger/beacon.h"
#include "runtime/ledger/clock.h"
#include "runtime/ledger/live_image.h"
#include "runtime/ledger/settings_in_force.h"
#include "runtime/os/descriptor_gate.h"

namespace heapledger::runtime {
namespace {

using format::BlockHeader;
using format::FileHeader;
using format::kBlockBytes;
using format::StopReason;

constexpr unsigned kMaxNumber = 100'000;
constexpr uint32_t kReserveBlocks = 256;
constexpr uint32_t kNoBlock = UINT32_MAX;

// Blocks that are mapped ahead of need, for the time when no system call may be made.
struct Reserve {
  // Where they are, a page's address, plus how many have been taken; 0: there are none.
  std::atomic<uintptr_t> state{0};
  uint32_t first = kNoBlock;  // in the file; the rest belongs to whoever has `changing`
  std::atomic<bool> changing{false};
};
constexpr uintptr_t kTakenMask = 4095;
static_assert(kReserveBlocks < kTakenMask);

struct File {
  PathText path;
  os::FileId id;
  FileHeader* header = nullptr;
  uint32_t header_bytes = 0;
  std::atomic<uint32_t> blocks{0};
  std::atomic<Status> status{Status::kIdle};

  std::atomic<uint32_t> filters{0};  // of system calls: installed, or being installed
  Reserve reserve;
};
constinit File file;

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

uint64_t offset_of(uint32_t block) {
  return file.header_bytes + uint64_t{block} * kBlockBytes;
}

uint64_t blocks_for(size_t bytes) {
  return (bytes + kBlockBytes - 1) / kBlockBytes;
}

// Opens our file, and only ours (the path may lead elsewhere by now), for as long as `operation`
// takes: a function of the descriptor that returns 0 or -errno. Writing up to `end` is within
// RLIMIT_FSIZE, or -EFBIG.
template <typename Operation>
long with_file(uint64_t end, Operation operation) {
  if (end > os::file_size_limit()) return -EFBIG;
  os::DescriptorHold hold;
  if (!hold) return -EBUSY;
  int fd = os::open_file(file.path.data());
  if (fd < 0) return fd;
  hold.set(fd);
  os::FileId id;
  bool ours = os::file_id(fd, id) == 0 && id == file.id;
  long result = ours ? operation(fd) : -ESTALE;
  hold.close(fd);
  return result;
}

uint32_t claim_blocks(uint32_t count) {
  return file.blocks.fetch_add(count, std::memory_order_relaxed);
}

// Maps `count` blocks that were claimed. Null, with -errno in `error`, when that fails.
unsigned char* map_blocks(uint32_t first, uint32_t count, long& error) {
  uint64_t offset = offset_of(first);
  size_t bytes = size_t{count} * kBlockBytes;
  void* at = nullptr;
  error = with_file(offset + bytes, [&](int fd) {
    long result = os::reserve(fd, offset, bytes);
    if (result != 0) return result;
    at = os::map_file(fd, offset, bytes);
    return at == nullptr ? long{-ENOMEM} : 0;
  });
  return static_cast<unsigned char*>(at);
}

unsigned char* reserve_at(uintptr_t state) {
  return reinterpret_cast<unsigned char*>(state & ~kTakenMask);
}

// Blocks out of the reserve; null when it is used up.
unsigned char* take_reserved(uint32_t count = 1) {
  uintptr_t state = file.reserve.state.load(std::memory_order_acquire);
  while (reserve_at(state) != nullptr && (state & kTakenMask) + count <= kReserveBlocks) {
    if (file.reserve.state.compare_exchange_weak(state, state + count, std::memory_order_acq_rel)) {
      return reserve_at(state) + (state & kTakenMask) * kBlockBytes;
    }
  }
  return nullptr;
}

// Held by whoever expects a filter, or no longer does. Waits for another, but not for long: system
// calls are still allowed here.
class ReserveChange {
 public:
  ReserveChange() {
    for (unsigned i = 0; i < 1000 && !held_; ++i) {
      if (i > 0) os::yield_processor();
      held_ = !file.reserve.changing.exchange(true, std::memory_order_acquire);
    }
  }
  ~ReserveChange() {
    if (held_) file.reserve.changing.store(false, std::memory_order_release);
  }
  ReserveChange(const ReserveChange&) = delete;
  ReserveChange& operator=(const ReserveChange&) = delete;

  explicit operator bool() const { return held_; }

 private:
  bool held_ = false;
};

void fill_reserve() {
  Reserve& reserve = file.reserve;
  if (reserve.state.load(std::memory_order_relaxed) != 0) return;
  if (reserve.first == kNoBlock) reserve.first = claim_blocks(kReserveBlocks);
  long error = 0;
  unsigned char* at = map_blocks(reserve.first, kReserveBlocks, error);
  reserve.state.store(reinterpret_cast<uintptr_t>(at), std::memory_order_release);
}

// What was taken meanwhile stays; the place in the file is for the next reserve if nothing was.
void give_back_reserve() {
  Reserve& reserve = file.reserve;
  uintptr_t state = reserve.state.exchange(0, std::memory_order_acq_rel);
  if (state == 0) return;
  auto taken = static_cast<uint32_t>(state & kTakenMask);
  size_t bytes = size_t{kReserveBlocks - taken} * kBlockBytes;
  uint64_t offset = offset_of(reserve.first + taken);
  os::unmap(reserve_at(state) + size_t{taken} * kBlockBytes, bytes);
  with_file(0, [&](int fd) {
    os::give_back(fd, offset, bytes);
    return 0L;
  });
  if (taken != 0) reserve.first = kNoBlock;
}

// The file cannot grow, with -errno; 0: because of a filter.
void stop_growing(long error) {
  stop_recording(filter_expected() ? StopReason::kSeccomp : reason_of(-error),
                 filter_expected() ? 0 : -error);
}

// Appends a block header and what follows it, `count` blocks in all. Returns 0 or -errno.
long append(BlockHeader& header, const void* content, size_t bytes, uint32_t count) {
  if (filter_expected()) {
    unsigned char* at = take_reserved(count);
    if (at != nullptr) {
      __builtin_memcpy(at + sizeof header, content, bytes);
      __builtin_memcpy(at, &header, sizeof header);
      return 0;
    }
    if (filter_expected()) return -ENOSPC;  // else it was refused meanwhile
  }
  uint64_t offset = offset_of(claim_blocks(count));
  return with_file(offset + uint64_t{count} * kBlockBytes, [&](int fd) {
    iovec parts[2] = {{&header, sizeof header}, {const_cast<void*>(content), bytes}};
    return os::write_all_at(fd, parts, 2, offset);
  });
}

void complete_chunk(BlockHeader& header, const unsigned char* payload) {
  header.magic = format::kChunkMagic;
  header.checksum = format::checksum(payload, header.bytes);
  header.header_checksum = format::checksum(&header, offsetof(BlockHeader, header_checksum));
}

// Tries `attempt`, a function of a path that returns -EEXIST where that is taken, with the wanted
// path and then with numbered ones.
template <typename Attempt>
long with_free_name(const PathText& wanted, Attempt attempt) {
  file.path = wanted;
  long result = attempt(file.path.data());
  for (unsigned number = 2; result == -EEXIST && number < kMaxNumber; ++number) {
    if (!numbered_name(wanted, number, file.path)) return -ENAMETOOLONG;
    result = attempt(file.path.data());
  }
  return result;
}

void fill_header(const LedgerRequest& request) {
  FileHeader& header = *file.header;
  header.version = format::kVersion;
  header.header_bytes = file.header_bytes;
  header.block_bytes = kBlockBytes;
  header.time_shift = clock_choice.shift;
  header.page_bytes = os::page_bytes();
  header.machine = os::kMachine;
  header.pid = os::process_id();
  header.parent_pid = os::parent_process_id();
  header.run_id = request.run_id;
  header.start = clock_pair();
  const settings::Settings& asked = settings_in_force;
  // Paused, it is still one of live mode.
  header.mode = static_cast<uint32_t>(live_tables_wanted() ? settings::Mode::kLive : asked.mode);
  header.sample_calls = asked.sample_calls;
  header.sample_bytes = asked.sample_calls == 0 ? asked.sample_bytes : 0;
  header.flags = (asked.weigh_time ? format::kFlagTime : 0u) |
                 (asked.maps ? format::kFlagMaps : 0u) |
                 (asked.guard != settings::Guard::kOff ? format::kFlagGuard : 0u);
  if (request.parent != nullptr) {
    header.origin = static_cast<uint32_t>(format::Origin::kForked);
    header.parent_window = request.parent->window;
    header.parent_offset = request.parent->offset;
    header.parent_seq = request.parent->seq;
  }
  __builtin_memcpy(header.magic, format::kFileMagic, sizeof header.magic);
}

long map_header(int fd) {
  long error = os::file_id(fd, file.id);
  if (error == 0) error = os::reserve(fd, 0, file.header_bytes);
  if (error != 0) return error;
  file.header = static_cast<FileHeader*>(os::map_file(fd, 0, file.header_bytes));
  return file.header == nullptr ? -ENOMEM : 0;
}

}  // namespace

long create_ledger(const LedgerRequest& request) {
  if (!raise_beacon()) return -ENOMEM;
  uint32_t page = os::page_bytes();
  file.header_bytes = page > format::kMinHeaderBytes ? page : format::kMinHeaderBytes;
  file.blocks.store(0, std::memory_order_relaxed);
  if (file.header_bytes > os::file_size_limit()) return -EFBIG;
  os::DescriptorHold hold;
  if (!hold) return -EBUSY;
  // The file gets its name when its header is complete, so that whoever finds it can read it; or,
  // on a file system that has no nameless files, at once.
  long result = os::create_nameless(request.path->data());
  bool nameless = result >= 0;
  if (!nameless) result = with_free_name(*request.path, os::create_file);
  if (result < 0) return result;
  int fd = static_cast<int>(result);
  hold.set(fd);
  result = map_header(fd);
  if (result == 0) {
    fill_header(request);
    auto give_name = [fd](const char* path) { return os::give_name(fd, path); };
    if (nameless) result = with_free_name(*request.path, give_name);
  }
  hold.close(fd);
  if (result != 0) return result;
  file.status.store(Status::kRecording, std::memory_order_release);
  __atomic_store_n(&beacon->alone, 1, __ATOMIC_RELAXED);
  beacon->recording = 1;
  return 0;
}

void unmap_header(FileHeader* header) {
  if (header != nullptr) os::unmap(header, file.header_bytes);
}

void forget_ledger() {
  unsigned char* reserve = reserve_at(file.reserve.state.exchange(0, std::memory_order_relaxed));
  if (reserve != nullptr) os::unmap(reserve, size_t{kReserveBlocks} * kBlockBytes);
  file.reserve.first = kNoBlock;
  file.reserve.changing.store(false, std::memory_order_relaxed);
  file.header = nullptr;
  file.status.store(Status::kIdle, std::memory_order_relaxed);
}

void remove_ledger() {
  if (file.header == nullptr || filter_expected()) return;
  with_file(0, [](int) { return os::remove_file(file.path.data()); });
}

Status ledger_status() {
  return file.status.load(std::memory_order_acquire);
}

const PathText& ledger_path() {
  return file.path;
}

FileHeader* ledger_header() {
  return file.header;
}

format::Control* ledger_control() {
  auto* bytes = reinterpret_cast<unsigned char*>(file.header);
  return bytes == nullptr ? nullptr
                          : reinterpret_cast<format::Control*>(bytes + format::kControlOffset);
}

BlockHeader* add_window() {
  long error = 0;
  void* at = filter_expected() ? take_reserved() : nullptr;
  // A filter that was refused meanwhile is none.
  if (at == nullptr && !filter_expected()) at = map_blocks(claim_blocks(1), 1, error);
  // What live mode has to tell is not in windows: where the file cannot grow, memory does as well.
  if (at == nullptr && live_tables_wanted()) {
    at = filter_expected() ? nullptr : os::map_private(kBlockBytes);
  } else if (at == nullptr) {
    stop_growing(error);
  }
  return static_cast<BlockHeader*>(at);
}

bool append_chunk(BlockHeader& header, const unsigned char* payload) {
  complete_chunk(header, payload);
  long error = append(header, payload, header.bytes, 1);
  if (live_tables_wanted()) return true;  // see add_window
  if (error < 0) stop_growing(error);
  return error >= 0;
}

void* add_live_block(size_t bytes) {
  auto count = static_cast<uint32_t>(blocks_for(sizeof(BlockHeader) + bytes));
  long error = 0;
  unsigned char* at = map_blocks(claim_blocks(count), count, error);
  if (at == nullptr) {
    stop_growing(error);
    return nullptr;
  }
  auto* header = reinterpret_cast<BlockHeader*>(at);
  header->seq = reinterpret_cast<uint64_t>(header + 1);
  header->base_time = bytes;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  header->magic = format::kLiveBlockMagic;
  return header + 1;
}

bool append_live_block(const void* content, size_t bytes) {
  BlockHeader header = {};
  header.magic = format::kLiveBlockMagic;
  header.seq = reinterpret_cast<uint64_t>(content);
  header.base_time = bytes;
  auto count = static_cast<uint32_t>(blocks_for(sizeof header + bytes));
  long error = append(header, content, bytes, count);
  if (error < 0) stop_growing(error);
  return error >= 0;
}

void stop_recording(StopReason reason, long error) {
  FileHeader* header = file.header;
  if (header == nullptr) return;
  beacon->recording = 0;
  note_live_stop(reason, error);
  std::atomic_ref<uint32_t> stored(header->stop_reason);
  uint32_t none = 0;
  // The time first: a reader that sees the reason finds the rest in place. (No clock where the
  // program may have forbidden it.)
  if (reason != StopReason::kSeccomp && reason != StopReason::kNoTicks)
    header->stop_ticks = now_ticks();
  header->stop_errno = static_cast<uint32_t>(error);
  stored.compare_exchange_strong(none, static_cast<uint32_t>(reason));
  file.status.store(Status::kStopped, std::memory_order_release);
}

void expect_filter() {
  ReserveChange change;
  if (change && beacon->alive != 0 && ledger_status() == Status::kRecording) fill_reserve();
  file.filters.fetch_add(1, std::memory_order_acq_rel);
}

void filter_refused() {
  ReserveChange change;
  if (file.filters.fetch_sub(1, std::memory_order_acq_rel) == 1 && change) give_back_reserve();
}

void filter_installed(StopReason reason) {
  file.filters.fetch_add(1, std::memory_order_acq_rel);
  if (beacon->alive != 0) stop_recording(reason, 0);
}

bool filter_expected() {
  return file.filters.load(std::memory_order_acquire) != 0;
}

}  // namespace heapledger::runtime
