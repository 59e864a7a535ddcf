#include "cli/view/going_on.h"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <utility>

#include "analyzer/error.h"
#include "analyzer/seal/writers.h"
#include "cli/shared/live_ledgers.h"
#include "cli/shared/running_heap.h"
#include "cli/shared/runs.h"
#include "cli/shared/warnings.h"
#include "cores/to_ledger.h"

namespace heapledger::cli::view {
namespace {

namespace fs = std::filesystem;

// What one look at a heap is read from.
struct Look {
  explicit Look(const std::string& name) : file(name) {}

  TemporaryFile file;  // it outlives those that read it
  std::optional<Opened> opened;
};

uint64_t bytes_of(const std::string& path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0 ? static_cast<uint64_t>(facts.st_size) : 0;
}

}  // namespace

std::optional<uint32_t> writer_of(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    const std::optional<format::FileHeader> header = read_ledger_header(path);
    if (header && seal::has_writer(path, header->pid)) return header->pid;
  }
  return std::nullopt;
}

NamedLedgers found_again(const std::vector<std::string>& paths) {
  const fs::path folder = fs::path(paths.front()).parent_path();
  const bool is_run = folder.extension() == kRunFolderEnding &&
                      std::all_of(paths.begin(), paths.end(), [&folder](const std::string& path) {
                        return fs::path(path).parent_path() == folder;
                      });
  return is_run ? NamedLedgers{folder.string()} : NamedLedgers(paths);
}

std::optional<uint32_t> process_named(const NamedLedgers& named) {
  if (named.names.size() != 1) return std::nullopt;
  const std::string& name = named.names.front();
  uint32_t pid = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
  std::error_code ignored;
  const bool is_number = error == std::errc() && end == name.data() + name.size();
  return is_number && !fs::exists(name, ignored) ? std::optional(pid) : std::nullopt;
}

std::string LiveProcess::title() const {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/" + std::to_string(pid_) + "/exe", error);
  return (error ? "process" : program.filename().string()) + "." + std::to_string(pid_);
}

server::Shown LiveProcess::look(const server::Told& told, const std::stop_token& stop) {
  told(0, 0, "reading the heap");
  server::Shown shown;
  shown.title = title();
  auto look = std::make_shared<Look>(shown.title);
  {
    // Its memory grows and its threads come and go, so it is looked up anew each time.
    const RunningHeap running(pid_);
    const cores::LiveHeap heap = running.read();
    if (started_ns_ != 0 && heap.started_ns != started_ns_) {
      throw Error("process " + std::to_string(pid_) + " is another program by now",
                  ErrorKind::kSystem);
    }
    started_ns_ = heap.started_ns;
    shown.warnings = heap.problems;
    for (std::string& left_out : cores::write_ledger(heap, look->file.path())) {
      shown.warnings.push_back(std::move(left_out));
    }
  }
  NameOptions names = names_;
  names.told = told;
  names.stop = stop;
  names.progress = false;
  look->opened.emplace(NamedLedgers{look->file.path()}, names);
  shown.ledgers = &look->opened->ledgers();
  shown.paths = {"process " + std::to_string(pid_)};
  const std::vector<std::string> more = warnings(shown.ledgers->facts(), shown.ledgers->refusals());
  shown.warnings.insert(shown.warnings.end(), more.begin(), more.end());
  shown.goes_on = shown.is_one_look = true;
  shown.held_bytes = bytes_of(look->file.path());
  shown.holder = std::move(look);
  return shown;
}

}  // namespace heapledger::cli::view
