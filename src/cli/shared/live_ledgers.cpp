#include "cli/shared/live_ledgers.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

#include "analyzer/error.h"
#include "analyzer/seal/writers.h"
#include "analyzer/stop_reason.h"
#include "cli/shared/exit_status.h"
#include "cli/shared/raw_ledger.h"
#include "cores/ledger_memory.h"
#include "cores/to_ledger.h"
#include "format/layout.h"
#include "format/live_tables.h"
#include "text/text.h"

namespace heapledger::cli {
namespace {

// Temporary files, and what they stand for. Some are made while others are read.
class StandIns {
 public:
  void put(const std::string& path, std::string shown) {
    const std::lock_guard lock(mutex_);
    files_[path] = std::move(shown);
  }
  void forget(const std::string& path) {
    const std::lock_guard lock(mutex_);
    files_.erase(path);
  }
  std::string shown(const std::string& path) {
    const std::lock_guard lock(mutex_);
    auto found = files_.find(path);
    return found == files_.end() ? path : found->second;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> files_;
};

StandIns& stand_ins() {
  static StandIns files;
  return files;
}

class StandIn final : public ByteSource {
 public:
  StandIn(std::unique_ptr<ByteSource> file, std::string name)
      : file_(std::move(file)), name_(std::move(name)) {}

  const std::string& name() const override { return name_; }
  uint64_t size() override { return file_->size(); }
  uint64_t next_data(uint64_t offset) override { return file_->next_data(offset); }
  size_t read(uint64_t offset, void* to, size_t count) override {
    return file_->read(offset, to, count);
  }

 private:
  std::unique_ptr<ByteSource> file_;
  std::string name_;
};

format::FileHeader header_of(const std::string& path) {
  format::FileHeader header{};
  if (open_file(path)->read(0, &header, sizeof header) != sizeof header) return {};
  return header;
}

const char* remedy(uint32_t reason) {
  switch (static_cast<format::StopReason>(reason)) {
    case format::StopReason::kDiskFull:
    case format::StopReason::kQuota:
      return "Make room, or write the ledger elsewhere (-o), and record again";
    case format::StopReason::kFileSizeLimit:
      return "Raise the limit (ulimit -f), and record again";
    case format::StopReason::kNoDescriptors:
      return "Raise the limit (ulimit -n), or record with --tables file, which opens nothing at "
             "the end";
    case format::StopReason::kNoPermission:
    case format::StopReason::kFileGone:
      return "If the program gives up rights or changes its root, record with --tables file, which "
             "opens nothing at the end, or look while it runs: heapledger snapshot PID";
    default:
      return "Record with --tables file, or look while it runs: heapledger snapshot PID";
  }
}

std::string no_tables(const std::string& path) {
  const std::string told =
      path + ": was recorded in live mode with the tables in the program's memory, and ";
  const format::FileHeader header = header_of(path);
  if (header.stop_reason != 0) {
    return told + "when it ended they could not be written: " + describe_stop(header) + ". " +
           remedy(header.stop_reason);
  }
  return told +
         "none were written, or the file was cut. If the program runs: heapledger snapshot PID. If "
         "it left a core: "
         "heapledger core EXE CORE. To keep them whatever happens, record with --tables file";
}

// Ledgers of live mode that have nothing to show beside others that have.
void tell_left_out(const std::vector<std::string>& paths) {
  size_t unexplained = 0;
  for (const std::string& path : paths) {
    const format::FileHeader header = header_of(path);
    if (header.stop_reason == 0) {
      ++unexplained;
      continue;
    }
    fmt::print(stderr, "note: {} left out: its tables could not be written: {}. {}\n",
               printable(path), describe_stop(header), remedy(header.stop_reason));
  }
  if (unexplained == 0) return;
  fmt::print(stderr,
             "note: {} of live mode without tables left out: {} ended by exec, _exit, a "
             "crash or SIGKILL\n",
             counted(unexplained, "ledger"), unexplained == 1 ? "it" : "they");
}

void tell(const std::string& path, const std::vector<std::string>& problems) {
  for (const std::string& text : problems) {
    fmt::print(stderr, "{}: note: {}\n", printable(path), printable(text));
  }
}

}  // namespace

TemporaryFile::TemporaryFile(std::string shown)
    : fd_(::memfd_create("heapledger", MFD_CLOEXEC)), path_(fmt::format("/proc/self/fd/{}", fd_)) {
  if (fd_ < 0) {
    throw Error("no memory for a file: " + std::generic_category().message(errno),
                ErrorKind::kSystem);
  }
  stand_ins().put(path_, std::move(shown));
}

TemporaryFile::~TemporaryFile() {
  stand_ins().forget(path_);
  ::close(fd_);
}

std::string shown_path(const std::string& path) {
  return stand_ins().shown(path);
}

std::unique_ptr<ByteSource> open_shown(const std::string& path) {
  std::unique_ptr<ByteSource> file = open_file(path);
  std::string shown = shown_path(path);
  if (shown == path) return file;
  return std::make_unique<StandIn>(std::move(file), std::move(shown));
}

PlainLedgers::PlainLedgers(std::vector<std::string> paths) {
  std::vector<std::string> without;
  for (std::string& path : paths) {
    if (!cores::is_live_ledger(path)) {
      paths_.push_back(std::move(path));
      continue;
    }
    std::optional<cores::LiveHeap> heap = cores::read_live_ledger(path);
    if (!heap) {
      without.push_back(std::move(path));
      continue;
    }
    files_.push_back(std::make_unique<TemporaryFile>(path));
    paths_.push_back(files_.back()->path());
    tell(path, heap->problems);
    if (heap->is_cut) status_ = kExitBadData;
    tell(path, cores::write_ledger(*heap, paths_.back()));
  }
  if (paths_.empty() && !without.empty()) throw Error(no_tables(without.front()), ErrorKind::kData);
  tell_left_out(without);
}

bool make_plain(const std::string& path) {
  if (!cores::is_live_ledger(path)) return false;
  std::optional<cores::LiveHeap> heap = cores::read_live_ledger(path);
  if (!heap) return false;
  if (seal::has_writer(path, heap->pid)) return false;
  // What could not be read now, somebody may read later; but not what was never written.
  const bool cut = heap->stop_reason == static_cast<uint32_t>(format::kTablesCut);
  if (!heap->problems.empty() && !cut) return false;
  RawLedger plain(*heap, path, false);
  struct stat facts {};
  if (::stat(path.c_str(), &facts) == 0) (void)::chmod(plain.path().c_str(), facts.st_mode & 07777);
  if (::rename(plain.path().c_str(), path.c_str()) != 0) {
    throw Error("cannot replace " + path + ": " + std::generic_category().message(errno),
                ErrorKind::kSystem);
  }
  return true;
}

bool has_lost_tables(const std::string& path) {
  if (!cores::is_live_ledger(path)) return false;
  const format::FileHeader header = header_of(path);
  if (header.pid == 0 || header.stop_reason != 0) return false;
  return !seal::has_writer(path, header.pid) && !cores::read_live_ledger(path);
}

}  // namespace heapledger::cli
