#include "cores/ledger_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

#include "analyzer/error.h"
#include "cores/live_tables.h"
#include "format/layout.h"
#include "format/live_tables.h"
#include "format/modes.h"

namespace heapledger::cores {
namespace {

using format::BlockHeader;
using format::FileHeader;

// A file as it is, mapped for as long as this lives.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat facts {};
    if (fd < 0 || ::fstat(fd, &facts) != 0) fail(path, fd);
    size_ = static_cast<size_t>(facts.st_size);
    if (size_ > 0) at_ = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, fd, 0);
    if (at_ == MAP_FAILED) fail(path, fd);
    ::close(fd);
  }
  ~MappedFile() {
    if (at_ != nullptr) ::munmap(at_, size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const unsigned char> bytes() const {
    return {static_cast<const unsigned char*>(at_), size_};
  }

 private:
  [[noreturn]] void fail(const std::string& path, int fd) {
    int error = errno;
    at_ = nullptr;
    if (fd >= 0) ::close(fd);
    throw Error("cannot read " + path + ": " + std::generic_category().message(error), kExitUsage);
  }

  void* at_ = nullptr;
  size_t size_ = 0;
};

// The parts of the tables at the addresses where they were.
class LedgerMemory : public Memory {
 public:
  explicit LedgerMemory(std::span<const unsigned char> file) {
    FileHeader header{};
    if (file.size() < sizeof header) return;
    std::memcpy(&header, file.data(), sizeof header);
    if (header.block_bytes != format::kBlockBytes) return;
    header_ = header;
    for (size_t at = header.header_bytes; at + sizeof(BlockHeader) <= file.size();) {
      BlockHeader block;
      std::memcpy(&block, file.data() + at, sizeof block);
      size_t step = format::kBlockBytes;
      if (block.magic == format::kLiveBlockMagic && block.base_time <= file.size()) {
        size_t from = at + sizeof block;
        size_t bytes = std::min<size_t>(block.base_time, file.size() - from);
        add(block.seq, file.subspan(from, bytes));
        step = (sizeof block + block.base_time + format::kBlockBytes - 1) / format::kBlockBytes *
               format::kBlockBytes;
      }
      at += step;
    }
    index();
  }

  size_t read(uint64_t address, std::span<unsigned char> out) const override {
    auto after = std::upper_bound(
        pieces_.begin(), pieces_.end(), address,
        [](uint64_t wanted, const Piece& piece) { return wanted < piece.address; });
    if (after == pieces_.begin()) return 0;
    const Piece& piece = *std::prev(after);
    uint64_t offset = address - piece.address;
    if (offset >= piece.bytes.size()) return 0;
    size_t count = std::min<size_t>(out.size(), piece.bytes.size() - offset);
    std::memcpy(out.data(), piece.bytes.data() + offset, count);
    return count;
  }

  const std::vector<Region>& regions() const override { return regions_; }
  const std::vector<Module>& modules() const override { return modules_; }
  const std::vector<Thread>& threads() const override { return threads_; }
  Shape shape() const override { return {}; }
  uint32_t pid() const override { return header_.pid; }
  const FileHeader& header() const { return header_; }

 private:
  struct Piece {
    uint64_t address;
    std::span<const unsigned char> bytes;
  };

  void add(uint64_t address, std::span<const unsigned char> bytes) {
    if (address + bytes.size() >= address) pieces_.push_back({address, bytes});
  }

  void index() {
    std::stable_sort(pieces_.begin(), pieces_.end(), [](const Piece& one, const Piece& other) {
      return one.address < other.address;
    });
    // Of two at one place, which no process makes, the first.
    uint64_t end = 0;
    std::erase_if(pieces_, [&end](const Piece& piece) {
      if (piece.address < end) return true;
      end = piece.address + piece.bytes.size();
      return false;
    });
    for (const Piece& piece : pieces_) {
      Region region;
      region.start = piece.address;
      region.end = piece.address + piece.bytes.size();
      regions_.push_back(region);
    }
  }

  FileHeader header_{};
  std::vector<Piece> pieces_;
  std::vector<Region> regions_;
  std::vector<Module> modules_;
  std::vector<Thread> threads_;
};

}  // namespace

bool is_live_ledger(const std::string& path) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return false;
  FileHeader header{};
  ssize_t got = ::pread(fd, &header, sizeof header, 0);
  uint64_t address = 0;
  bool has_address = ::pread(fd, &address, sizeof address, format::kLiveAddressOffset) == 8;
  ::close(fd);
  // A heap that was made a ledger has the mode, but never was in a process.
  return got == sizeof header && has_address && address != 0 &&
         std::memcmp(header.magic, format::kFileMagic, sizeof header.magic) == 0 &&
         header.mode == format::kModeLive;
}

std::optional<LiveHeap> read_live_ledger(std::span<const unsigned char> bytes) {
  LedgerMemory memory(bytes);
  std::optional<FoundTables> found;
  for (const Region& region : memory.regions()) {
    if (!found) found = live_tables_at(memory, region.start);
  }
  if (!found) return std::nullopt;
  LiveHeap heap = read_live_tables(memory, *found);
  // What happened while the tables were written is in the ledger's own header alone.
  if (memory.header().stop_reason != 0) {
    const bool cut = !heap.problems.empty();
    heap.stop_reason =
        cut ? static_cast<uint32_t>(format::kTablesCut) : memory.header().stop_reason;
    heap.stop_errno = memory.header().stop_errno;
  }
  return heap;
}

std::optional<LiveHeap> read_live_ledger(const std::string& path) {
  MappedFile file(path);
  return read_live_ledger(file.bytes());
}

}  // namespace heapledger::cores
