#include "runtime/unwind/mappings.h"

#include <atomic>
#include <cstring>

#include "runtime/ledger/file.h"
#include "runtime/os/descriptor_gate.h"
#include "runtime/os/os.h"
#include "runtime/unwind/objects.h"

namespace heapledger::runtime {
namespace {

// Names of objects, one after the other; used up for good.
constexpr size_t kNameBytes = 256 * 1024;
constexpr size_t kMaxName = 4096;
struct Names {
  std::atomic<size_t> used{0};
  char text[kNameBytes];
};
constinit Names mapped_names = {};

// One line of the list.
struct Mapping {
  uint64_t start = 0;
  uint64_t end = 0;
  uint64_t offset = 0;
  uint64_t device = 0;
  uint64_t inode = 0;
  bool readable = false;
};

// Reads the list through a small buffer: the program's stack may be small.
class Lines {
 public:
  explicit Lines(int fd) : fd_(fd) {}

  // The next line, up to its name; false at the end.
  bool next(Mapping& line) {
    if (peek() < 0) return false;
    line.start = hexadecimal('-');
    line.end = hexadecimal(' ');
    line.readable = take() == 'r';
    skip_past(' ');
    line.offset = hexadecimal(' ');
    line.device = hexadecimal(':') << 32;
    line.device |= hexadecimal(' ');
    line.inode = 0;
    while (peek() >= '0' && peek() <= '9') {
      line.inode = line.inode * 10 + static_cast<uint64_t>(take() - '0');
    }
    return !failed_;
  }

  // The name at the end of the line goes to `to`, terminated; its length.
  size_t name(char* to, size_t room) {
    while (peek() == ' ') take();
    size_t bytes = 0;
    while (peek() >= 0 && peek() != '\n' && bytes + 1 < room) to[bytes++] = take();
    to[bytes] = '\0';
    return bytes;
  }

  void skip_line() { skip_past('\n'); }

 private:
  int peek() {
    if (at_ == filled_) {
      long got = os::read_some(fd_, buffer_, sizeof buffer_);
      at_ = 0;
      filled_ = got > 0 ? static_cast<size_t>(got) : 0;
      if (filled_ == 0) return -1;
    }
    return static_cast<unsigned char>(buffer_[at_]);
  }

  char take() {
    if (peek() < 0) {
      failed_ = true;
      return '\n';
    }
    return buffer_[at_++];
  }

  void skip_past(char wanted) {
    while (!failed_ && take() != wanted) {
    }
  }

  uint64_t hexadecimal(char after) {
    uint64_t value = 0;
    for (char digit = take(); digit != after && !failed_; digit = take()) {
      value = value << 4 | static_cast<uint64_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
    }
    return value;
  }

  int fd_;
  size_t at_ = 0;
  size_t filled_ = 0;
  bool failed_ = false;
  char buffer_[512];
};

// Places where there was no object (JIT code): looked at again after 1, 2, 4, … misses, because one
// may have been loaded there since.
struct Miss {
  std::atomic<uint64_t> region;
  std::atomic<uint32_t> times;
};
constexpr unsigned kMisses = 256;
constexpr unsigned kRegionBits = 20;
constinit Miss misses[kMisses] = {};

Miss& miss_at(uint64_t pc) {
  return misses[(pc >> kRegionBits) % kMisses];
}

bool is_worth_a_look(uint64_t pc) {
  Miss& miss = miss_at(pc);
  if (miss.region.load(std::memory_order_relaxed) != pc >> kRegionBits) return true;
  uint32_t times = miss.times.fetch_add(1, std::memory_order_relaxed) + 1;
  return (times & (times - 1)) == 0;
}

void note_miss(uint64_t pc) {
  Miss& miss = miss_at(pc);
  if (miss.region.exchange(pc >> kRegionBits, std::memory_order_relaxed) != pc >> kRegionBits) {
    miss.times.store(1, std::memory_order_relaxed);
  }
}

// The mapping of `pc` has been found: keeps its name.
const char* keep_name(Lines& lines) {
  size_t at = mapped_names.used.load(std::memory_order_relaxed);
  do {
    if (kNameBytes - at < kMaxName) return "(too many modules to name)";
  } while (!mapped_names.used.compare_exchange_weak(at, at + kMaxName, std::memory_order_relaxed));
  char* name = mapped_names.text + at;
  size_t bytes = lines.name(name, kMaxName) + 1;
  // Gives back what was not needed, unless another thread has come behind us.
  size_t end = at + kMaxName;
  mapped_names.used.compare_exchange_strong(end, at + bytes, std::memory_order_relaxed);
  return name;
}

// Goes through the list up to `pc`. `first` is the mapping with the beginning of the same file.
bool find_file(Lines& lines, uint64_t pc, Mapping& first) {
  Mapping line;
  while (lines.next(line)) {
    if (line.inode != 0 && line.offset == 0 && line.readable) first = line;
    if (pc >= line.start && pc < line.end) {
      return line.inode != 0 && line.inode == first.inode && line.device == first.device;
    }
    if (line.start > pc) return false;
    lines.skip_line();
  }
  return false;
}

// Reads the file's own headers where they are mapped.
bool describe(const Mapping& first, uint64_t pc, LoadedObject& object) {
  const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(first.start);
  uint64_t room = first.end - first.start;
  if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_phentsize != sizeof(ElfW(Phdr)) ||
      header->e_phoff > room || header->e_phnum > (room - header->e_phoff) / sizeof(ElfW(Phdr))) {
    return false;
  }
  object.headers = reinterpret_cast<const ElfW(Phdr)*>(first.start + header->e_phoff);
  object.header_count = header->e_phnum;
  for (uint32_t i = 0; i < object.header_count; ++i) {
    const ElfW(Phdr)& segment = object.headers[i];
    if (segment.p_type != PT_LOAD || segment.p_offset != 0) continue;
    object.bias = first.start - segment.p_vaddr;
    return set_extent(object) && pc >= object.start && pc < object.end;
  }
  return false;
}

}  // namespace

bool object_in_mappings(uint64_t pc, bool want_name, LoadedObject& object) {
  if (filter_expected() || !is_worth_a_look(pc)) return false;
  os::DescriptorHold hold;
  if (!hold) return false;
  int fd = os::open_readonly("/proc/self/maps");
  if (fd < 0) return false;
  hold.set(fd);
  Lines lines(fd);
  Mapping first;
  bool found = find_file(lines, pc, first);
  if (found && want_name) object.name = keep_name(lines);
  hold.close(fd);
  found = found && describe(first, pc, object);
  if (found) {
    miss_at(pc).region.store(0, std::memory_order_relaxed);
  } else {
    note_miss(pc);
  }
  return found;
}

}  // namespace heapledger::runtime
