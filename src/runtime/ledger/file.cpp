#include "runtime/ledger/file.h"

#include <cerrno>

#include "runtime/ledger/beacon.h"
#include "runtime/ledger/clock.h"
#include "runtime/ledger/file_parts.h"
#include "runtime/ledger/live_image.h"
#include "runtime/ledger/reserve.h"
#include "runtime/ledger/settings_in_force.h"

namespace heapledger::runtime {

using format::FileHeader;
using format::StopReason;

constinit LedgerFile ledger_file;

namespace {

constexpr unsigned kMaxNumber = 100'000;

// Tries `attempt`, a function of a path that returns -EEXIST where that is taken, with the wanted
// path and then with numbered ones.
template <typename Attempt>
long with_free_name(const PathText& wanted, Attempt attempt) {
  ledger_file.path = wanted;
  long result = attempt(ledger_file.path.data());
  for (unsigned number = 2; result == -EEXIST && number < kMaxNumber; ++number) {
    if (!numbered_name(wanted, number, ledger_file.path)) return -ENAMETOOLONG;
    result = attempt(ledger_file.path.data());
  }
  return result;
}

void fill_header(FileHeader& header, const LedgerRequest& request) {
  header.version = format::kVersion;
  header.header_bytes = ledger_file.header_bytes;
  header.extent_bytes = format::kExtentBytes;
  header.time_shift = clock_choice.shift;
  header.page_bytes = ledger_file.page_bytes;
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

// Reserves the header and `extents`, how many extents come along: the first is wanted at once, as a
// rule. Where there is no room for it, whoever wants it finds out why.
long reserve_beginning(int fd, uint64_t size_limit, uint32_t& extents) {
  extents = 1;
  if (offset_of(1) <= size_limit && os::reserve(fd, 0, offset_of(1)) == 0) return 0;
  extents = 0;
  return os::reserve(fd, 0, offset_of(0));
}

long write_header(int fd, const LedgerRequest& request) {
  FileHeader header = {};
  fill_header(header, request);
  iovec part = {&header, sizeof header};
  return os::write_all_at(fd, &part, 1, 0);
}

// By its name: whoever looks for the ledger of a process finds that among its mappings.
long map_beginning(uint32_t extents) {
  const size_t bytes = offset_of(extents);
  unsigned char* at = nullptr;
  long error = with_file(0, [&](int fd) {
    at = static_cast<unsigned char*>(os::map_file(fd, 0, bytes));
    return at == nullptr ? long{-ENOMEM} : 0;
  });
  if (error != 0) return error;
  os::read_nothing_ahead(at, bytes);  // it is empty, and may stay so for the most part
  ledger_file.header = reinterpret_cast<FileHeader*>(at);
  ledger_file.extents.store(extents, std::memory_order_relaxed);
  ledger_file.first.store(extents == 0 ? nullptr : at + ledger_file.header_bytes,
                          std::memory_order_release);
  return 0;
}

void learn_page_size() {
  if (ledger_file.page_bytes != 0) return;
  uint32_t page = os::page_bytes();
  ledger_file.page_bytes = page;
  ledger_file.header_bytes = page > format::kMinHeaderBytes ? page : format::kMinHeaderBytes;
}

// Makes the file, with its header and room for `extents` extents.
long make_file(const LedgerRequest& request, uint64_t size_limit, uint32_t& extents) {
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
  result = os::file_id(fd, ledger_file.id);
  if (result == 0) result = reserve_beginning(fd, size_limit, extents);
  if (result == 0) result = write_header(fd, request);
  auto give_name = [fd](const char* path) { return os::give_name(fd, path); };
  if (result == 0 && nameless) result = with_free_name(*request.path, give_name);
  hold.close(fd);
  return result;
}

// The folder that `run` has made goes when it ends, if until then there was one ledger. Whoever
// comes later makes it anew.
long make_file_and_folder(const LedgerRequest& request, uint64_t size_limit, uint32_t& extents) {
  long error = make_file(request, size_limit, extents);
  if (error != -ENOENT || request.run_id == 0) return error;
  const long made = os::make_folder_of(request.path->data());
  return made == 0 || made == -EEXIST ? make_file(request, size_limit, extents) : error;
}

}  // namespace

long create_ledger(const LedgerRequest& request) {
  if (!raise_beacon()) return -ENOMEM;
  learn_page_size();
  const uint64_t size_limit = os::file_size_limit();
  if (ledger_file.header_bytes > size_limit) return -EFBIG;
  uint32_t extents = 0;
  if (long error = make_file_and_folder(request, size_limit, extents); error != 0) return error;
  if (long error = map_beginning(extents); error != 0) {
    os::remove_file(ledger_file.path.data());
    return error;
  }
  ledger_file.status.store(Status::kRecording, std::memory_order_release);
  beacon->recording = 1;
  __atomic_store_n(&beacon->alone, 1, __ATOMIC_RELAXED);
  return 0;
}

void unmap_header(FileHeader* header) {
  if (header != nullptr) os::unmap(header, ledger_file.header_bytes);
}

void forget_ledger() {
  forget_reserve();
  if (unsigned char* first = ledger_file.first.exchange(nullptr); first != nullptr) {
    os::unmap(first, format::kExtentBytes);
  }
  ledger_file.header = nullptr;
  ledger_file.status.store(Status::kIdle, std::memory_order_relaxed);
}

void remove_ledger() {
  if (ledger_file.header == nullptr || filter_expected()) return;
  with_file(0, [](int) { return os::remove_file(ledger_file.path.data()); });
}

Status ledger_status() {
  return ledger_file.status.load(std::memory_order_acquire);
}

const PathText& ledger_path() {
  return ledger_file.path;
}

FileHeader* ledger_header() {
  return ledger_file.header;
}

format::Control* ledger_control() {
  auto* bytes = reinterpret_cast<unsigned char*>(ledger_file.header);
  return bytes == nullptr ? nullptr
                          : reinterpret_cast<format::Control*>(bytes + format::kControlOffset);
}

void stop_recording(StopReason reason, long error) {
  FileHeader* header = ledger_file.header;
  if (header == nullptr) return;
  beacon->recording = 0;
  __atomic_store_n(&beacon->alone, 0, __ATOMIC_RELAXED);
  note_live_stop(reason, error);
  std::atomic_ref<uint32_t> stored(header->stop_reason);
  uint32_t none = 0;
  // The time first: a reader that sees the reason finds the rest in place. (No clock where the
  // program may have forbidden it.)
  if (reason != StopReason::kSeccomp && reason != StopReason::kNoTicks)
    header->stop_ticks = now_ticks();
  header->stop_errno = static_cast<uint32_t>(error);
  stored.compare_exchange_strong(none, static_cast<uint32_t>(reason));
  ledger_file.status.store(Status::kStopped, std::memory_order_release);
}

}  // namespace heapledger::runtime
