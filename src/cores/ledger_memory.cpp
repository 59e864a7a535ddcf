#include "cores/ledger_memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "cores/byte_windows.h"
#include "cores/live_tables.h"
#include "format/layout.h"
#include "format/live_tables.h"
#include "format/modes.h"
#include "text/text.h"

namespace heapledger::cores {
namespace {

using format::ExtentHeader;
using format::FileHeader;

// The parts of the tables at the addresses where they were.
class LedgerMemory : public Memory {
 public:
  explicit LedgerMemory(std::unique_ptr<ByteSource> source)
      : source_(std::move(source)), size_(source_->size()) {
    FileHeader header{};
    if (source_->read(0, &header, sizeof header) != sizeof header) return;
    if (header.extent_bytes != format::kExtentBytes) return;
    header_ = header;
    find_pieces(header.header_bytes);
    index();
  }

  size_t read(uint64_t address, std::span<unsigned char> out) const override {
    auto after = std::upper_bound(
        pieces_.begin(), pieces_.end(), address,
        [](uint64_t wanted, const Piece& piece) { return wanted < piece.address; });
    if (after == pieces_.begin()) return 0;
    const Piece& piece = *std::prev(after);
    uint64_t offset = address - piece.address;
    if (offset >= piece.bytes) return 0;
    // Straight from the file each time: a program that runs may be writing there.
    auto count = static_cast<size_t>(std::min<uint64_t>(out.size(), piece.bytes - offset));
    size_t got = source_->read(piece.offset + offset, out.data(), count);
    if (got < count) fail_shrunk(*source_, size_);
    return got;
  }

  const std::vector<Region>& regions() const override { return regions_; }
  const std::vector<Module>& modules() const override { return modules_; }
  const std::vector<Thread>& threads() const override { return threads_; }
  Shape shape() const override { return {}; }
  uint32_t pid() const override { return header_.pid; }
  const FileHeader& header() const { return header_; }

  std::vector<std::string> problems() const override {
    std::vector<std::string> texts;
    if (missing_ > 0) {
      texts.push_back("the ledger is cut short: " + human_bytes(missing_) +
                      " of its tables are missing, and what was in them is left out. If this is a "
                      "copy, copy it again");
    }
    return texts;
  }
  bool is_cut() const override { return missing_ > 0; }

 private:
  struct Piece {
    uint64_t address;
    uint64_t offset;  // in the file
    uint64_t bytes;
  };

  void find_pieces(uint64_t from) {
    for (uint64_t at = from; at < size_ && size_ - at >= sizeof(ExtentHeader);) {
      ExtentHeader block{};
      if (source_->read(at, &block, sizeof block) != sizeof block) break;
      if (block.magic == format::kLiveBlockMagic && block.base_time <= kLargestPart) {
        add(block.seq, at + sizeof block, block.base_time);
        uint64_t blocks =
            (sizeof block + block.base_time + format::kExtentBytes - 1) / format::kExtentBytes;
        at += blocks * format::kExtentBytes;
        continue;
      }
      // The file may be nothing but a hole of any size.
      uint64_t data = block.magic == 0 ? source_->next_data(at) : at;
      if (data >= size_) break;
      uint64_t stepped = data < from ? 0 : (data - from) / format::kExtentBytes;
      at = std::max(at + format::kExtentBytes, from + stepped * format::kExtentBytes);
    }
  }

  void add(uint64_t address, uint64_t offset, uint64_t bytes) {
    uint64_t there = std::min(bytes, size_ - offset);
    missing_ += bytes - there;
    if (address + there >= address) pieces_.push_back({address, offset, there});
  }

  void index() {
    std::stable_sort(pieces_.begin(), pieces_.end(), [](const Piece& one, const Piece& other) {
      return one.address < other.address;
    });
    // Of two at one place, which no process makes, the first.
    uint64_t end = 0;
    std::erase_if(pieces_, [&end](const Piece& piece) {
      if (piece.address < end) return true;
      end = piece.address + piece.bytes;
      return false;
    });
    for (const Piece& piece : pieces_) {
      Region region;
      region.start = piece.address;
      region.end = piece.address + piece.bytes;
      regions_.push_back(region);
    }
  }

  static constexpr uint64_t kLargestPart = uint64_t{1} << 40;

  FileHeader header_{};
  std::unique_ptr<ByteSource> source_;
  uint64_t size_;
  uint64_t missing_ = 0;  // bytes of pieces that the file ends before
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

std::optional<LiveHeap> read_live_ledger(std::unique_ptr<ByteSource> source) {
  LedgerMemory memory(std::move(source));
  std::optional<FoundTables> found;
  for (const Region& region : memory.regions()) {
    if (!found) found = live_tables_at(memory, region.start);
  }
  if (!found) return std::nullopt;
  LiveHeap heap = read_live_tables(memory, *found);
  const FileHeader& header = memory.header();
  if (header.stop_reason == 0) {
    // First the cause, then what came of it.
    std::vector<std::string> problems = memory.problems();
    heap.problems.insert(heap.problems.begin(), problems.begin(), problems.end());
    heap.is_cut = memory.is_cut();
    return heap;
  }
  // What happened while the tables were written is in the ledger's own header alone.
  const bool cut = !heap.problems.empty() || memory.is_cut();
  heap.stop_reason = cut ? static_cast<uint32_t>(format::kTablesCut) : header.stop_reason;
  heap.stop_errno = header.stop_errno;
  return heap;
}

std::optional<LiveHeap> read_live_ledger(const std::string& path) {
  return read_live_ledger(open_file(path));
}

}  // namespace heapledger::cores
