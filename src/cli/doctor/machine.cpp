// The machine's side of the diagnosis.
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "analyzer/error.h"
#include "cli/doctor/checks.h"
#include "cli/doctor/folder.h"
#include "cli/run/environment.h"
#include "cli/run/library.h"
#include "cli/run/output.h"
#include "format/layout.h"
#include "text/text.h"

namespace heapledger::cli::doctor {
namespace {

constexpr uint64_t kLeastBytes = format::kMinHeaderBytes + format::kExtentBytes;
constexpr uint64_t kLittleBytes = uint64_t{1} << 30;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The first word of a file of one line; empty when it is not there.
std::string word_in(const char* path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

Check check_runtime() {
  try {
    const run::RuntimeLibrary library;
    return {Mark::kOk, "recorder", escaped(library.preload_path()), ""};
  } catch (const Error& error) {
    return {Mark::kProblem, "recorder", printable(error.what()), ""};
  }
}

Check check_output(const std::string& wanted) {
  std::string pattern = wanted;
  if (pattern.empty()) pattern = run::word_value(variable("HEAPLEDGER"), "out");
  if (pattern.empty()) pattern = run::kDefaultPattern;
  const run::OutputPattern output(pattern);
  try {
    output.check_place();
  } catch (const Error& error) {
    return {Mark::kProblem, "output", printable(error.what()), ""};
  }
  const FolderFacts facts = look_at_folder(output.folder());
  std::string place = output.folder() == "." ? "this folder" : escaped(output.folder());
  place += ", on " + (facts.file_system.empty() ? "a file system" : facts.file_system) + " with " +
           human_bytes(facts.free_bytes) + " free";
  const char* const elsewhere = "Choose another place with -o FOLDER/%e.%p.ledger.";
  if (facts.write_error != 0 || facts.map_error != 0) {
    const int error = facts.write_error != 0 ? facts.write_error : facts.map_error;
    return {Mark::kProblem, "output",
            place +
                (facts.write_error != 0 ? ": cannot be written to: "
                                        : ": cannot map files, which recording needs: ") +
                std::strerror(error),
            elsewhere};
  }
  if (facts.free_bytes < kLeastBytes) {
    return {Mark::kProblem, "output", place + ": too little for a ledger", elsewhere};
  }
  if (facts.free_bytes < kLittleBytes) {
    return {Mark::kNote, "output", place + ": a long recording may fill it, and stops there",
            elsewhere};
  }
  if (facts.remote) {
    return {Mark::kNote, "output", place + ": slow, as it is on another machine", elsewhere};
  }
  return {Mark::kOk, "output", place, ""};
}

Check check_clock(const ClockFacts& clock) {
  if (clock.steady) {
    return {Mark::kOk, "clock",
            fmt::format("the processor's counter: steady, {:.2f} ns a tick, {:.0f} ns a reading",
                        clock.ns_per_tick, clock.ns_per_reading),
            ""};
  }
  return {Mark::kNote, "clock",
          fmt::format("the processor's counter is not steady, so the kernel's clock is used: "
                      "{:.0f} ns a reading in place of {:.0f}",
                      clock.ns_per_kernel_reading, clock.ns_per_reading),
          "Nothing is wrong; recording is a little slower."};
}

rlim_t limit_of(int what) {
  struct rlimit limit;
  return ::getrlimit(static_cast<__rlimit_resource>(what), &limit) == 0 ? limit.rlim_cur
                                                                        : RLIM_INFINITY;
}

Check check_file_limit() {
  const rlim_t files = limit_of(RLIMIT_FSIZE);
  if (files == RLIM_INFINITY) return {Mark::kOk, "file size", "no limit", ""};
  const bool none = files < kLeastBytes;
  return {none ? Mark::kProblem : Mark::kNote, "file size",
          "limited to " + human_bytes(files) +
              (none ? ", too little for a ledger" : "; recording stops at that size"),
          "Raise it: ulimit -f unlimited."};
}

Check check_memory_limit() {
  const rlim_t memory = limit_of(RLIMIT_AS);
  if (memory == RLIM_INFINITY) return {Mark::kOk, "memory", "no limit", ""};
  return {Mark::kNote, "memory",
          "limited to " + human_bytes(memory) +
              "; the recorder's own few MiB count, and those of the analysis",
          "Raise it if the program comes close: ulimit -v unlimited."};
}

Check check_core_limit() {
  const rlim_t core = limit_of(RLIMIT_CORE);
  return {Mark::kOk, "core dumps",
          core == 0               ? "off (ulimit -c 0)"
          : core == RLIM_INFINITY ? "on"
                                  : "on, up to " + human_bytes(core),
          ""};
}

Check check_ptrace() {
  const std::string scope = word_in("/proc/sys/kernel/yama/ptrace_scope");
  const char* const meaning = scope == "0"   ? "every process of the same user"
                              : scope == "1" ? "children only"
                              : scope == "2" ? "administrators only"
                              : scope == "3" ? "nobody"
                                             : "not restricted";
  return {Mark::kOk, "ptrace", std::string(meaning) + " (recording needs none)", ""};
}

Check check_seccomp() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("Seccomp:", 0) != 0 || line.find_first_of("12") == std::string::npos) continue;
    return {Mark::kNote, "call filter",
            "a filter on system calls is in force here (seccomp; a container, say)",
            "Try a short recording: if the filter forbids what it needs, the ledger says so."};
  }
  return {Mark::kOk, "call filter", "none", ""};
}

void check_variables(std::vector<Check>& checks) {
  const std::string preload = variable("LD_PRELOAD");
  if (!preload.empty()) {
    checks.push_back({Mark::kNote, "LD_PRELOAD", "is set already: " + escaped(preload),
                      "The recorder goes in front of it; unset it if it is not wanted."});
  }
  const std::string request = variable("HEAPLEDGER");
  if (!request.empty()) {
    checks.push_back({Mark::kNote, "HEAPLEDGER", "is set: " + escaped(request),
                      "Its words hold for heapledger run too; unset it if that is not wanted."});
  }
}

Check check_debuginfod() {
  const std::string servers = variable("DEBUGINFOD_URLS");
  if (servers.empty()) {
    return {Mark::kOk, "debuginfod", "no server is named in DEBUGINFOD_URLS", ""};
  }
  return {Mark::kOk, "debuginfod", escaped(servers) + " (asked with --debuginfod)", ""};
}

}  // namespace

void check_machine(const std::string& pattern, Diagnosis& diagnosis) {
  diagnosis.clock = measure_clock();
  std::vector<Check>& checks = diagnosis.machine;
  checks = {check_runtime(),    check_output(pattern), check_clock(diagnosis.clock),
            check_file_limit(), check_memory_limit(),  check_core_limit(),
            check_ptrace(),     check_seccomp(),       check_debuginfod()};
  check_variables(checks);
}

}  // namespace heapledger::cli::doctor
