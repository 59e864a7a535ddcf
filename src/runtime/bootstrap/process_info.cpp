#include "runtime/bootstrap/process_info.h"

#include <heapledger.h>

#include "runtime/ledger/clock.h"
#include "runtime/os/descriptor_gate.h"

namespace heapledger::runtime {

using format::InfoKey;

constinit ProcessInfo process_info = {};

namespace {

constexpr size_t kPieceBytes = 2048;
constinit char scratch[kMaxPath] = {};

void enter(Window& window, InfoKey key, const char* text, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    size_t piece = bytes - done < kPieceBytes ? bytes - done : kPieceBytes;
    if (!room_for(window, piece + format::LongEntry::kLongOverhead)) return;
    format::LongEntry(window.encoder, format::Kind::kInfo, now_units())
        .number(static_cast<uint64_t>(key))
        .bytes(text + done, piece)
        .finish();
    done += piece;
  }
}

void enter_command(Window& window) {
  os::DescriptorHold hold;
  int fd = os::open_readonly("/proc/self/cmdline");
  if (fd < 0) return;
  hold.set(fd);
  long got;
  while ((got = os::read_some(fd, scratch, sizeof scratch)) > 0) {
    enter(window, InfoKey::kCommand, scratch, static_cast<size_t>(got));
  }
  hold.close(fd);
}

}  // namespace

const char* ProcessInfo::executable_name() const {
  const char* slash = strrchr(executable.data(), '/');
  return slash == nullptr ? executable.data() : slash + 1;
}

void gather_process_info() {
  long got = os::read_link("/proc/self/exe", scratch, sizeof scratch);
  process_info.executable.clear();
  if (got > 0) process_info.executable.add(scratch, static_cast<size_t>(got));
  process_info.folder.clear();
  if (os::current_folder(scratch, sizeof scratch) > 0) process_info.folder.add(scratch);
  process_info.host.clear();
  if (os::host_name(scratch, sizeof scratch) > 0) process_info.host.add(scratch);
}

void enter_process_info(Window& window) {
  const ProcessInfo& info = process_info;
  enter_command(window);
  enter(window, InfoKey::kExecutable, info.executable.data(), info.executable.size());
  enter(window, InfoKey::kHost, info.host.data(), info.host.size());
  enter(window, InfoKey::kFolder, info.folder.data(), info.folder.size());
  enter(window, InfoKey::kParentLedger, info.parent_ledger.data(), info.parent_ledger.size());
  enter(window, InfoKey::kRuntime, HEAPLEDGER_VERSION, sizeof HEAPLEDGER_VERSION - 1);
}

}  // namespace heapledger::runtime
