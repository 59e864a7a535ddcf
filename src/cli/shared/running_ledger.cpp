#include "cli/shared/running_ledger.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <thread>
#include <vector>

#include "analyzer/error.h"
#include "symbols/read_guard.h"
#include "text/text.h"

namespace heapledger::cli {
namespace {

// A file that the process has mapped to be shared. (Not only from its beginning: a ledger got its
// name after its header was mapped, and the kernel does not know that mapping by it.)
struct Mapped {
  std::string path;
  bool deleted = false;
};

std::string folder_of(pid_t process) {
  return "/proc/" + std::to_string(process);
}

// The kernel writes a line break in a path as \012.
std::string unescaped_path(std::string path) {
  for (size_t at = path.find("\\012"); at != std::string::npos; at = path.find("\\012", at + 1)) {
    path.replace(at, 4, "\n");
  }
  return path;
}

bool read_line(const std::string& line, Mapped& mapped) {
  std::istringstream words(line);
  std::string range, rights, offset, device, inode;
  if (!(words >> range >> rights >> offset >> device >> inode)) return false;
  if (rights.size() != 4 || rights[3] != 's') return false;
  std::getline(words >> std::ws, mapped.path);
  constexpr std::string_view kDeleted = " (deleted)";
  mapped.deleted = mapped.path.ends_with(kDeleted);
  if (mapped.deleted) mapped.path.resize(mapped.path.size() - kDeleted.size());
  mapped.path = unescaped_path(mapped.path);
  return mapped.path.starts_with('/');
}

std::vector<Mapped> mapped_files(pid_t process) {
  std::ifstream maps(folder_of(process) + "/maps");
  std::string line;
  std::vector<Mapped> all;
  std::set<std::string> seen;
  bool any = false;
  while (std::getline(maps, line)) {
    any = true;
    Mapped mapped;
    if (read_line(line, mapped) && seen.insert(mapped.path).second) all.push_back(mapped);
  }
  if (any) return all;
  if (::access(folder_of(process).c_str(), F_OK) != 0) {
    throw Error("There is no process " + std::to_string(process) + ".", ErrorKind::kSystem);
  }
  throw Error("Process " + std::to_string(process) +
                  " does not let its mappings be read: it has ended, or belongs to another user. "
                  "Try as its user, or as root.",
              ErrorKind::kSystem);
}

// Its number as the process itself sees it, within its container.
uint32_t inner_pid(pid_t process) {
  std::ifstream status(folder_of(process) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("NSpid:")) continue;
    std::istringstream numbers(line.substr(6));
    uint32_t last = static_cast<uint32_t>(process);
    for (uint32_t number; numbers >> number;) last = number;
    return last;
  }
  return static_cast<uint32_t>(process);
}

// Opens the file that is mapped, as we see it or as the process does. -1, with errno. (That it is
// the same one is told by what is in it: the inodes of a mapping and of its file differ on
// overlays.)
int open_mapped(pid_t process, const Mapped& mapped) {
  int error = ENOENT;
  for (const std::string& root : {std::string(), folder_of(process) + "/root"}) {
    const std::string path = root + mapped.path;
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) continue;
    const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
      if (root.empty()) error = errno;
      continue;
    }
    return fd;
  }
  errno = error;
  return -1;
}

bool read_header(int fd, format::FileHeader& header) {
  return ::pread(fd, &header, sizeof header, 0) == static_cast<ssize_t>(sizeof header) &&
         std::memcmp(header.magic, format::kFileMagic, sizeof header.magic) == 0 &&
         header.header_bytes >= format::kMinHeaderBytes;
}

bool looks_like_ledger(const Mapped& mapped) {
  return mapped.path.find(".ledger") != std::string::npos;
}

[[noreturn]] void refuse_orders(pid_t process, const std::vector<Mapped>& files) {
  const std::string who = "Process " + std::to_string(process);
  for (const Mapped& mapped : files) {
    if (!looks_like_ledger(mapped)) continue;
    if (mapped.deleted) {
      throw Error(who + " is recorded into " + quoted(mapped.path) +
                      ", which has been deleted: orders cannot reach it any more.",
                  ErrorKind::kSystem);
    }
    const int fd = open_mapped(process, mapped);
    if (fd >= 0) {
      ::close(fd);
      continue;
    }
    throw Error(who + " is recorded into " + quoted(mapped.path) + ", which cannot be opened: " +
                    std::strerror(errno) + ". Try as the user of that process, or as root.",
                ErrorKind::kSystem);
  }
  throw Error(who +
                  " is not recorded: it has no ledger mapped. Start it with `heapledger run`; "
                  "with `--mode off` nothing is recorded until `heapledger ctl` says so.",
              ErrorKind::kSystem);
}

}  // namespace

RunningLedger::RunningLedger(pid_t process) : pid_(inner_pid(process)) {
  const std::vector<Mapped> files = mapped_files(process);
  format::FileHeader header{};
  for (const Mapped& mapped : files) {
    if (mapped.deleted) continue;
    const int fd = open_mapped(process, mapped);
    if (fd < 0) continue;
    const bool ledger = read_header(fd, header);
    if (!ledger || (fd_ >= 0 && header.pid != pid_)) {
      ::close(fd);
      continue;
    }
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
    path_ = mapped.path;
    own_ = header.pid == pid_;
    if (own_) break;
  }
  if (fd_ < 0) refuse_orders(process, files);
  void* page = ::mmap(nullptr, format::kMinHeaderBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  if (page == MAP_FAILED) {
    const int error = errno;
    ::close(fd_);
    throw Error(quoted(path_) + " cannot be mapped: " + std::strerror(error) + ".",
                ErrorKind::kSystem);
  }
  header_ = static_cast<format::FileHeader*>(page);
  control_ = reinterpret_cast<format::Control*>(static_cast<unsigned char*>(page) +
                                                format::kControlOffset);
}

RunningLedger::~RunningLedger() {
  ::munmap(header_, format::kMinHeaderBytes);
  ::close(fd_);
}

template <typename Act>
auto RunningLedger::guarded(Act act) const {
  const ReadGuard guard;
  const auto result = act();
  if (!guard.failed()) return result;
  throw Error(
      quoted(path_) +
          " has been cut, or its disk fails: orders cannot reach the program through it any "
          "more. Its recording goes on, if at all, without its beginning; start the program "
          "anew to record it.",
      ErrorKind::kSystem);
}

format::FileHeader RunningLedger::header() const {
  return guarded([&] { return *header_; });
}

format::Control RunningLedger::control() const {
  return guarded([&] { return *control_; });
}

uint64_t RunningLedger::send(const std::string& words) {
  if (words.size() >= sizeof control_->words) {
    throw Error("That is too long: an order has at most " +
                    std::to_string(sizeof control_->words - 1) + " bytes.",
                ErrorKind::kQuestion);
  }
  ::flock(fd_, LOCK_EX);
  return guarded([&] {
    __atomic_store_n(&control_->pid, 0, __ATOMIC_SEQ_CST);
    std::memset(control_->words, 0, sizeof control_->words);
    std::memcpy(control_->words, words.data(), words.size());
    const uint64_t number = __atomic_add_fetch(&control_->requested, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&control_->pid, pid_, __ATOMIC_SEQ_CST);
    return number;
  });
}

bool RunningLedger::is_done(uint64_t number) const {
  return guarded([&] { return __atomic_load_n(&control_->done, __ATOMIC_ACQUIRE) >= number; });
}

format::ControlResult RunningLedger::result() const {
  return guarded([&] { return static_cast<format::ControlResult>(control_->result); });
}

namespace {

void expect_done(format::ControlResult result) {
  using format::ControlResult;
  switch (result) {
    case ControlResult::kDone:
      return;
    case ControlResult::kUnknownOrder:
      throw Error("The program's runtime does not know this order: it is of another version.",
                  ErrorKind::kSystem);
    case ControlResult::kWrongWords:
      throw Error(
          "These words cannot be changed while a program runs. Those that can: mode, sample, "
          "sample-calls, weigh, stacks-for, log.",
          ErrorKind::kQuestion);
    case ControlResult::kNotRecording:
      throw Error("Recording has stopped for good; `heapledger ctl PID status` says why.",
                  ErrorKind::kSystem);
    case ControlResult::kNotNow:
      break;
  }
  throw Error("The program was just changing its mode by itself. Try again.", ErrorKind::kSystem);
}

}  // namespace

// A forked process that has just begun its own ledger no longer looks at its parent's: the order is
// given again, there.
void give_order(int process, const std::string& order, double wait,
                const std::function<void(const RunningLedger&)>& check) {
  using Clock = std::chrono::steady_clock;
  auto ledger = std::make_unique<RunningLedger>(process);
  if (check) check(*ledger);
  uint64_t number = ledger->send(order);
  const auto limit = std::chrono::duration<double>(wait);
  const auto start = Clock::now();
  unsigned looks = 0;
  while (!ledger->is_done(number)) {
    if (Clock::now() - start >= limit) {
      throw Error("Process " + std::to_string(process) +
                      " has not allocated or freed anything in the meantime; the order stays, and "
                      "is carried out with its next call.",
                  ErrorKind::kSystem);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (++looks % 50 != 0) continue;
    auto again = std::make_unique<RunningLedger>(process);
    if (again->path() == ledger->path()) continue;
    ledger = std::move(again);
    number = ledger->send(order);
  }
  expect_done(ledger->result());
}

}  // namespace heapledger::cli
