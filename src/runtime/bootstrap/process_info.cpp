#include "runtime/bootstrap/process_info.h"

#include <heapledger.h>

#include "runtime/bootstrap/environment.h"
#include "runtime/bootstrap/resolve.h"
#include "runtime/ledger/clock.h"
#include "runtime/ledger/live_image.h"
#include "runtime/os/descriptor_gate.h"

namespace heapledger::runtime {

using format::InfoKey;

constinit ProcessInfo process_info = {};

namespace {

constexpr size_t kPieceBytes = 2048;
constinit char scratch[kMaxPath] = {};

void enter(Window& window, InfoKey key, const char* text, size_t bytes) {
  if (live_tables_wanted()) add_live_text(key, text, bytes);
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

// Batch systems and launchers of parallel programs, in the order they are asked.
constexpr const char* kJobs[] = {"SLURM_JOB_ID", "PBS_JOBID", "JOB_ID", "COBALT_JOBID"};
constexpr const char* kRanks[] = {"PMIX_RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"};

template <size_t kCapacity, size_t kCount>
void take_first(os::Text<kCapacity>& text, const char* const (&names)[kCount],
                const char* otherwise) {
  text.clear();
  for (const char* name : names) {
    const char* value = environment(name);
    if (value == nullptr || value[0] == '\0') continue;
    text.add(value);
    return;
  }
  text.add(otherwise);
}

// Whether `word` is anywhere in the file.
bool file_mentions(const char* path, const char* word) {
  os::DescriptorHold hold;
  if (!hold) return false;
  int fd = os::open_readonly(path);
  if (fd < 0) return false;
  hold.set(fd);
  const size_t length = strlen(word);
  size_t kept = 0;  // the end of the last piece: the word may be cut in two
  bool found = false;
  long got;
  while (!found && (got = os::read_some(fd, scratch + kept, sizeof scratch - kept)) > 0) {
    size_t bytes = kept + static_cast<size_t>(got);
    found = memmem(scratch, bytes, word, length) != nullptr;
    kept = bytes < length ? bytes : length - 1;
    memmove(scratch, scratch + bytes - kept, kept);
  }
  hold.close(fd);
  return found;
}

}  // namespace

NameFacts name_facts() {
  const ProcessInfo& info = process_info;
  return {info.executable_name(), info.host.data(), info.job.data(),
          info.rank.data(),       os::process_id(), os::read_clocks().realtime_ns / 1'000'000'000u};
}

bool parent_is_recorded() {
  os::Text<64> path;
  path.add("/proc/").add_number(os::parent_process_id()).add("/maps");
  return file_mentions(path.data(), "libheapledger.so");
}

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
  take_first(process_info.job, kJobs, "nojob");
  take_first(process_info.rank, kRanks, "0");
}

void enter_process_info(Window& window) {
  const ProcessInfo& info = process_info;
  if (live_tables_wanted()) clear_live_texts();
  enter_command(window);
  enter(window, InfoKey::kExecutable, info.executable.data(), info.executable.size());
  enter(window, InfoKey::kHost, info.host.data(), info.host.size());
  enter(window, InfoKey::kFolder, info.folder.data(), info.folder.size());
  enter(window, InfoKey::kParentLedger, info.parent_ledger.data(), info.parent_ledger.size());
  enter(window, InfoKey::kRuntime, HEAPLEDGER_VERSION, sizeof HEAPLEDGER_VERSION - 1);
  enter(window, InfoKey::kAllocator, real_heap_library(), strlen(real_heap_library()));
}

}  // namespace heapledger::runtime
