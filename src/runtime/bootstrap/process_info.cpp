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
constinit char info_scratch[kMaxPath] = {};

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

// Calls `use(text, bytes)` for the words that the kernel says now, piece by piece.
template <typename Use>
void read_command(Use use) {
  os::DescriptorHold hold;
  if (!hold) return;
  int fd = os::open_readonly("/proc/self/cmdline");
  if (fd < 0) return;
  hold.set(fd);
  long got;
  while ((got = os::read_some(fd, info_scratch, sizeof info_scratch)) > 0) {
    use(info_scratch, static_cast<size_t>(got));
  }
  hold.close(fd);
}

// A forked process has the words of its parent as they were before the program could write a title
// over them.
void enter_command(Window& window) {
  const auto& words = process_info.words;
  bool forked = process_info.parent_ledger.size() != 0;
  if (!forked && words.was_cut()) {
    return read_command(
        [&](const char* text, size_t bytes) { enter(window, InfoKey::kCommand, text, bytes); });
  }
  for (size_t done = 0; done < words.size(); done += kPieceBytes) {
    size_t left = words.size() - done;
    enter(window, InfoKey::kCommand, words.data() + done, left < kPieceBytes ? left : kPieceBytes);
  }
  constexpr char kMore[] = "…";
  if (words.was_cut()) enter(window, InfoKey::kCommand, kMore, sizeof kMore);
}

bool begins_with(const char* text, const char* start) {
  return strncmp(text, start, strlen(start)) == 0;
}

const char* base_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

// What was executed, not where a link led. A descriptor, or a link of the kernel's, is no name.
const char* name_of_program() {
  const char* path = os::executed_path();
  bool is_name = path != nullptr && !begins_with(path, "/dev/fd/") && !begins_with(path, "/proc/");
  if (is_name && base_name(path)[0] != '\0') return base_name(path);
  return base_name(process_info.executable.data());
}

// Batch systems and launchers of parallel programs, in the order they are asked.
constexpr const char* kJobs[] = {
    "SLURM_JOB_ID", "PBS_JOBID",      "LSB_JOBID", "JOB_ID",
    "COBALT_JOBID", "PMIX_NAMESPACE", "PMI_JOBID", "OMPI_MCA_ess_base_jobid"};
constexpr const char* kRanks[] = {"PMIX_RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK",
                                  "MV2_COMM_WORLD_RANK", "SLURM_PROCID"};

template <size_t kCapacity, size_t kCount>
void take_first(os::Text<kCapacity>& text, const char* const (&names)[kCount]) {
  text.clear();
  for (const char* name : names) {
    const char* value = environment(name);
    if (value == nullptr || value[0] == '\0') continue;
    text.add(value);
    return;
  }
}

template <size_t kCapacity>
const char* text_or(const os::Text<kCapacity>& text, const char* otherwise) {
  return text.size() > 0 ? text.data() : otherwise;
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
  while (!found && (got = os::read_some(fd, info_scratch + kept, sizeof info_scratch - kept)) > 0) {
    size_t bytes = kept + static_cast<size_t>(got);
    found = memmem(info_scratch, bytes, word, length) != nullptr;
    kept = bytes < length ? bytes : length - 1;
    memmove(info_scratch, info_scratch + bytes - kept, kept);
  }
  hold.close(fd);
  return found;
}

}  // namespace

NameFacts name_facts() {
  const ProcessInfo& info = process_info;
  return {info.name.data(),           info.host.data(),
          text_or(info.job, "nojob"), text_or(info.rank, "0"),
          os::process_id(),           os::read_clocks().realtime_ns / 1'000'000'000u};
}

bool parent_is_recorded() {
  os::Text<64> path;
  path.add("/proc/").add_number(os::parent_process_id()).add("/maps");
  return file_mentions(path.data(), "libheapledger.so");
}

void gather_process_info() {
  long got = os::read_link("/proc/self/exe", info_scratch, sizeof info_scratch);
  process_info.executable.clear();
  if (got > 0) process_info.executable.add(info_scratch, static_cast<size_t>(got));
  process_info.name.clear();
  process_info.name.add(name_of_program());
  process_info.words.clear();
  read_command([](const char* text, size_t bytes) { process_info.words.add(text, bytes); });
  process_info.folder.clear();
  if (os::current_folder(info_scratch, sizeof info_scratch) > 0)
    process_info.folder.add(info_scratch);
  process_info.host.clear();
  if (os::host_name(info_scratch, sizeof info_scratch) > 0) process_info.host.add(info_scratch);
  take_first(process_info.job, kJobs);
  take_first(process_info.rank, kRanks);
}

void enter_process_info(Window& window) {
  const ProcessInfo& info = process_info;
  if (live_tables_wanted()) clear_live_texts();
  enter_command(window);
  enter(window, InfoKey::kExecutable, info.executable.data(), info.executable.size());
  enter(window, InfoKey::kHost, info.host.data(), info.host.size());
  enter(window, InfoKey::kRank, info.rank.data(), info.rank.size());
  enter(window, InfoKey::kJob, info.job.data(), info.job.size());
  enter(window, InfoKey::kFolder, info.folder.data(), info.folder.size());
  enter(window, InfoKey::kParentLedger, info.parent_ledger.data(), info.parent_ledger.size());
  enter(window, InfoKey::kRuntime, HEAPLEDGER_VERSION, sizeof HEAPLEDGER_VERSION - 1);
  enter(window, InfoKey::kAllocator, real_heap_library(), strlen(real_heap_library()));
  enter(window, InfoKey::kBypass, bypass().data(), bypass().size());
}

}  // namespace heapledger::runtime
