#include "cores/elf_notes.h"

#include <algorithm>
#include <utility>

#include "cores/elf_registers.h"

namespace heapledger::cores {
namespace {

// The kinds of notes.
constexpr uint32_t kThreadState = 1;
constexpr uint32_t kProcess = 3;
constexpr uint32_t kStartValues = 6;
constexpr uint32_t kI386Tls = 0x200;
constexpr uint32_t kArmTls = 0x401;
constexpr uint32_t kMappedFiles = 0x46494C45;

constexpr uint32_t kMostThreadState = 4096;
constexpr uint32_t kMostMappedFiles = 64 * 1024 * 1024;
constexpr uint32_t kMostStartValues = 4096;
constexpr size_t kLongestPath = 4096;

using Bytes = std::vector<unsigned char>;

std::string text_in(const Bytes& bytes, size_t at, size_t most) {
  if (at >= bytes.size()) return {};
  most = std::min(most, bytes.size() - at);
  auto begin = bytes.begin() + static_cast<ptrdiff_t>(at);
  return {begin, std::find(begin, begin + static_cast<ptrdiff_t>(most), 0)};
}

class NotesReader {
 public:
  NotesReader(const elf::ReadAt& read, const Shape& shape) : read_(read), shape_(shape) {}

  void take(const elf::ElfNote& note) {
    if (note.name == "CORE") {
      if (note.type == kThreadState) return thread(contents(note, kMostThreadState));
      if (note.type == kProcess) return process(contents(note, kMostThreadState));
      if (note.type == kStartValues) return start_values(contents(note, kMostStartValues));
      if (note.type == kMappedFiles) return mapped_files(contents(note, kMostMappedFiles));
    } else if (note.name == "LINUX" && !notes_.threads.empty()) {
      if (note.type == kI386Tls) return i386_tls(contents(note, kMostThreadState));
      if (note.type == kArmTls) return arm_tls(contents(note, kMostThreadState));
    }
  }

  CoreNotes take_notes() { return std::move(notes_); }

 private:
  bool wide() const { return shape_.word_bytes == 8; }

  Bytes contents(const elf::ElfNote& note, uint32_t most) {
    Bytes bytes(std::min(note.bytes, most));
    bytes.resize(read_(note.at, bytes));
    return bytes;
  }

  void thread(const Bytes& bytes) {
    // struct elf_prstatus: signals, ids, times, then the registers, then one flag.
    size_t registers = wide() ? 112 : 72;
    size_t after = wide() ? 8 : 4;
    if (bytes.size() < registers + after) return;
    Thread found;
    found.tid = elf::ElfFields(bytes, shape_).whole(wide() ? 32 : 24);
    auto area = std::span(bytes).subspan(registers, bytes.size() - registers - after);
    decode_registers(area, shape_, found);
    i386_selector_ = i386_thread_selector(area, shape_);
    notes_.threads.push_back(std::move(found));
  }

  void process(const Bytes& bytes) {
    // struct elf_prpsinfo; where user ids have 16 bits, it is four bytes shorter.
    bool short_ids = !wide() && bytes.size() == 124;
    size_t pid = wide() ? 24 : short_ids ? 12 : 16;
    notes_.pid = elf::ElfFields(bytes, shape_).whole(pid);
    notes_.program = text_in(bytes, pid + 16, 16);
    notes_.arguments = text_in(bytes, pid + 32, 80);
    while (!notes_.arguments.empty() && notes_.arguments.back() == ' ') {
      notes_.arguments.pop_back();
    }
  }

  void start_values(const Bytes& bytes) {
    elf::ElfFields fields(bytes, shape_);
    size_t word = shape_.word_bytes;
    for (size_t at = 0; at + 2 * word <= bytes.size(); at += 2 * word) {
      uint64_t kind = fields.word(at);
      uint64_t value = fields.word(at + word);
      if (kind == 0) break;
      if (kind == 3) notes_.start.program_headers = value;
      if (kind == 6 && value >= 512 && value <= (1U << 24)) notes_.start.page_bytes = value;
      if (kind == 9) notes_.start.entry = value;
      if (kind == 25) notes_.start.random = value;
      if (kind == 31) notes_.start.path = value;
    }
    notes_.start_bytes.assign(bytes.begin(), bytes.end());
  }

  // A count, the unit of offsets, three words for each part, and then all names.
  void mapped_files(const Bytes& bytes) {
    if (!notes_.files.empty()) return;
    elf::ElfFields fields(bytes, shape_);
    size_t word = shape_.word_bytes;
    uint64_t unit = fields.word(word);
    if (bytes.size() < 2 * word) return;
    uint64_t count = std::min<uint64_t>(fields.word(0), (bytes.size() - 2 * word) / (3 * word));
    size_t name = (2 + 3 * static_cast<size_t>(count)) * word;
    for (size_t i = 0; i < count && name < bytes.size(); ++i) {
      size_t at = (2 + 3 * i) * word;
      auto begin = bytes.begin() + static_cast<ptrdiff_t>(name);
      auto end = std::find(begin, bytes.end(), 0);
      Region part;
      part.start = fields.word(at);
      part.end = fields.word(at + word);
      bool fits = !__builtin_mul_overflow(fields.word(at + 2 * word), unit, &part.file_offset);
      auto length = static_cast<size_t>(end - begin);
      if (fits && length <= kLongestPath) part.path.assign(begin, end);
      if (part.start < part.end && !part.path.empty()) notes_.files.push_back(std::move(part));
      name += length + 1;
    }
    drop_overlaps();
  }

  void drop_overlaps() {
    auto& files = notes_.files;
    std::stable_sort(files.begin(), files.end(),
                     [](const Region& a, const Region& b) { return a.start < b.start; });
    uint64_t free_from = 0;
    std::erase_if(files, [&](const Region& part) {
      if (part.start < free_from) return true;
      free_from = part.end;
      return false;
    });
  }

  // A list of segments, of which the thread's selector names one.
  void i386_tls(const Bytes& bytes) {
    elf::ElfFields fields(bytes, shape_);
    for (size_t at = 0; at + 16 <= bytes.size(); at += 16) {
      if (fields.whole(at) != i386_selector_ >> 3U) continue;
      notes_.threads.back().thread_pointer = fields.whole(at + 4);
    }
  }

  void arm_tls(const Bytes& bytes) {
    if (bytes.size() < shape_.word_bytes) return;
    notes_.threads.back().thread_pointer = elf::ElfFields(bytes, shape_).word(0);
  }

  const elf::ReadAt& read_;
  Shape shape_;
  CoreNotes notes_;
  uint32_t i386_selector_ = 0;
};

}  // namespace

CoreNotes read_core_notes(const elf::ReadAt& read, const Shape& shape,
                          const std::vector<elf::ElfSegment>& segments, uint64_t file_bytes) {
  NotesReader reader(read, shape);
  // Segments that lie over one another must not make more notes than a file can hold.
  uint64_t left = file_bytes;
  for (const elf::ElfSegment& segment : segments) {
    if (segment.type != elf::kSegmentNote || segment.offset >= file_bytes) continue;
    uint64_t bytes = std::min(segment.file_bytes, left);
    left -= bytes;
    elf::for_each_note(read, shape, segment.offset, bytes, segment.alignment,
                       [&](const elf::ElfNote& note) { reader.take(note); });
  }
  return reader.take_notes();
}

}  // namespace heapledger::cores
