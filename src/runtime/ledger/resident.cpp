#include "runtime/ledger/resident.h"

#include <cstring>

#include "format/resident.h"
#include "runtime/ledger/file.h"
#include "runtime/ledger/live_image.h"
#include "runtime/ledger/settings_in_force.h"
#include "runtime/ledger/smaps.h"
#include "runtime/os/descriptor_gate.h"
#include "runtime/os/os.h"
#include "runtime/os/own_memory.h"
#include "runtime/os/together.h"

namespace heapledger::runtime {

using format::ResidentKind;
using format::ResidentRange;

namespace {

constexpr uint64_t kShare = 100;              // a look may cost one part of so many
constexpr uint64_t kAheadNs = 1'500'000;      // what may be spent before its time has passed …
constexpr uint64_t kAtExitNs = 8'000'000;     // … and at the end
constexpr uint64_t kShortLifeNs = 2'000'000;  // of a process that is not worth a look
constexpr uint64_t kNewHeight = 64;           // one part of so many above all before
constexpr uint64_t kMuchElse = 8;             // or changed by one part of so many
constexpr uint64_t kNoise = 256 * 1024;       // as the kernel counts in each processor apart
constexpr uint64_t kLookNs = 150'000;         // what a look may cost in itself …
constexpr uint64_t kPageNs = 25;              // … and for each page, until it was measured
constexpr uint64_t kUsual = 16;               // as that says; 32: it takes twice as long
constexpr uint64_t kPatience = 8;             // times as long as expected, then it is given up
constexpr uint64_t kLargestGuard = 1 << 20;

struct Looks {
  uint64_t spent_ns = 0;
  uint64_t last = 0;  // resident memory then
  uint64_t most = 0;
  uint64_t slowness[2] = {kUsual, kUsual};  // of the last two
};
HEAPLEDGER_TOGETHER constinit Looks looks = {};

// What the kernel says of a page in /proc/self/pagemap: it is there. The page of zeros, which is
// there for all that have only read, is not resident but looks so; few of ours are only read. (That
// nobody else has it, which would tell, is not so for what a forked child has from its parent.)
constexpr uint64_t kPresent = uint64_t{1} << 63;
constinit uint64_t page_words[512] = {};

// What a look has found; for whoever is at work.
struct ResidentFound {
  uint64_t total;
  uint64_t swapped;
  unsigned count;
  uint64_t rest[format::kResidentKinds];
  ResidentRange ranges[format::kMaxResidentRanges];
};
constinit ResidentFound resident_found = {};

void add_range(const ResidentRange& range) {
  if (range.resident == 0) return;
  if (range.kind == ResidentKind::kRecorder) {
    resident_found.rest[static_cast<unsigned>(range.kind)] += range.resident;
    return;
  }
  if (resident_found.count < format::kMaxResidentRanges) {
    resident_found.ranges[resident_found.count++] = range;
    return;
  }
  ResidentRange* least = &resident_found.ranges[0];
  for (ResidentRange& other : resident_found.ranges) {
    if (other.resident < least->resident) least = &other;
  }
  const ResidentRange& small = range.resident <= least->resident ? range : *least;
  resident_found.rest[static_cast<unsigned>(small.kind)] += small.resident;
  if (&small != &range) *least = range;
}

bool begins_with(const char* text, const char* with) {
  return strncmp(text, with, strlen(with)) == 0;
}

// Puts mappings that belong together into one range: those of a file, with what is zeroed behind
// its data.
class Sorter {
 public:
  void add(const MappedMemory& mapping) {
    resident_found.total += mapping.resident;
    resident_found.swapped += mapping.swapped;
    if (mapping.inode != 0) {
      if (mapping.inode != inode_ || mapping.shared) begin_file(mapping);
      add_to_file(mapping);
    } else if (is_zeroed_data(mapping)) {
      add_to_file(mapping);
      inode_ = 0;
    } else {
      end_file();
      add_private(mapping);
    }
    before_ = mapping;
  }

  void end_file() {
    if (file_.bytes != 0) add_range(file_);
    file_ = {};
    inode_ = 0;
  }

 private:
  void begin_file(const MappedMemory& mapping) {
    end_file();
    inode_ = mapping.inode;
    file_ = {ResidentKind::kFile, mapping.start, 0, 0};
    bool ours = begins_with(mapping.name, "libheapledger") ||
                os::own_part(mapping.start, mapping.end).bytes != 0;
    if (ours) file_.kind = ResidentKind::kRecorder;
  }

  void add_to_file(const MappedMemory& mapping) {
    file_.bytes = mapping.end - file_.start;
    file_.resident += mapping.resident;
    if (mapping.executable && file_.kind == ResidentKind::kFile) file_.kind = ResidentKind::kCode;
  }

  bool is_zeroed_data(const MappedMemory& mapping) const {
    return inode_ != 0 && mapping.name[0] == '\0' && mapping.writable && before_.writable &&
           !before_.shared && mapping.start == before_.end;
  }

  void add_private(const MappedMemory& mapping) const {
    if (mapping.resident == 0) return;
    os::OwnPart own = os::own_part(mapping.start, mapping.end);
    uint64_t ours = own.bytes >= mapping.end - mapping.start ? mapping.resident : own.resident;
    if (ours > mapping.resident) ours = mapping.resident;
    add_range({ResidentKind::kRecorder, 0, 0, ours});
    add_range(
        {kind_of(mapping), mapping.start, mapping.end - mapping.start, mapping.resident - ours});
  }

  ResidentKind kind_of(const MappedMemory& mapping) const {
    if (strcmp(mapping.name, "[heap]") == 0) return ResidentKind::kHeap;
    if (strcmp(mapping.name, "[stack]") == 0) return ResidentKind::kMainStack;
    bool is_named = mapping.name[0] != '\0';
    if (is_named && strstr(mapping.name, "stack") != nullptr) return ResidentKind::kThreadStack;
    if (is_named && !begins_with(mapping.name, "[anon:")) return ResidentKind::kCode;  // [vdso]
    return is_behind_guard(mapping) || holds_thread(mapping.start, mapping.end)
               ? ResidentKind::kThreadStack
               : ResidentKind::kAnonymous;
  }

  bool is_behind_guard(const MappedMemory& mapping) const {
    return !before_.accessible && before_.inode == 0 && before_.end == mapping.start &&
           before_.end - before_.start <= kLargestGuard && mapping.writable;
  }

  MappedMemory before_;
  ResidentRange file_;
  uint64_t inode_ = 0;  // of the file that file_ is about; 0: none that goes on
};

uint64_t usual_ns(uint64_t rss) {
  return kLookNs + rss / 4096 * kPageNs;
}

// One of two may have had bad luck.
uint64_t expected_ns(uint64_t rss) {
  uint64_t slowness = looks.slowness[0] < looks.slowness[1] ? looks.slowness[0] : looks.slowness[1];
  return usual_ns(rss) * slowness / kUsual;
}

bool has_changed(uint64_t rss) {
  uint64_t change = rss > looks.last ? rss - looks.last : looks.last - rss;
  return rss > looks.most + looks.most / kNewHeight + kNoise ||
         change > looks.last / kMuchElse + kNoise;
}

bool is_time_to_look(uint64_t lived_ns, uint64_t rss, LookAt when) {
  if (rss == 0 || settings_in_force.mode != settings::Mode::kTrace || live_tables_wanted()) {
    return false;
  }
  if (lived_ns < kShortLifeNs || (when == LookAt::kSample && !has_changed(rss))) return false;
  uint64_t ahead = when == LookAt::kExit ? kAtExitNs : kAheadNs;
  return looks.spent_ns + expected_ns(rss) <= ahead + lived_ns / kShare;
}

size_t resident_bytes(uintptr_t at, size_t bytes, int pagemap) {
  const size_t page = os::page_bytes();
  size_t first = at / page;
  const size_t last = (at + bytes + page - 1) / page;
  size_t count = 0;
  while (first < last) {
    size_t wanted = last - first < 512 ? last - first : 512;
    long got =
        os::read_at(pagemap, page_words, wanted * sizeof(uint64_t), first * sizeof(uint64_t));
    if (got < static_cast<long>(sizeof(uint64_t))) break;
    size_t words = static_cast<size_t>(got) / sizeof(uint64_t);
    for (size_t i = 0; i < words; ++i) count += (page_words[i] & kPresent) != 0 ? 1 : 0;
    first += words;
  }
  return count * page;
}

void count_own_memory() {
  os::DescriptorHold hold;
  if (!hold) return;
  int fd = os::open_readonly("/proc/self/pagemap");
  if (fd < 0) return;
  hold.set(fd);
  os::count_own(resident_bytes, fd);
  hold.close(fd);
}

// False when it cannot be read, or takes too long.
bool read_mappings(uint64_t begin_ns, uint64_t rss) {
  os::DescriptorHold hold;
  if (!hold) return false;
  int fd = os::open_readonly("/proc/self/smaps");
  if (fd < 0) return false;
  hold.set(fd);
  const uint64_t limit = begin_ns + kPatience * expected_ns(rss);
  resident_found.total = resident_found.swapped = resident_found.count = 0;
  for (uint64_t& rest : resident_found.rest) rest = 0;
  SmapsReader reader(fd);
  Sorter sorter;
  MappedMemory mapping;
  bool in_time = true;
  while (in_time && reader.next(mapping)) {
    sorter.add(mapping);
    in_time = os::thread_time_ns() < limit;
  }
  sorter.end_file();
  hold.close(fd);
  return in_time && resident_found.total != 0;
}

void enter_found(Window& window, uint64_t time) {
  format::LongEntry entry(window.encoder, format::Kind::kResident, time);
  entry.number(resident_found.total).number(resident_found.swapped);
  auto put = [&entry](const ResidentRange& range) {
    entry.number(static_cast<uint64_t>(range.kind))
        .number(range.start)
        .number(range.bytes)
        .number(range.resident);
  };
  for (unsigned i = 0; i < resident_found.count; ++i) put(resident_found.ranges[i]);
  for (unsigned kind = 0; kind < format::kResidentKinds; ++kind) {
    if (resident_found.rest[kind] != 0)
      put({static_cast<ResidentKind>(kind), 0, 0, resident_found.rest[kind]});
  }
  entry.finish();
}

}  // namespace

void look_at_mappings(Window& window, uint64_t time, uint64_t monotonic_ns, uint64_t rss,
                      LookAt when) {
  uint64_t start_ns = ledger_header()->start.monotonic_ns;
  uint64_t lived_ns = monotonic_ns > start_ns ? monotonic_ns - start_ns : 0;
  if (!is_time_to_look(lived_ns, rss, when)) return;
  // With room for the sample that comes after it.
  if (!room_for(window, format::kMaxResidentEntryBytes + 64)) return;
  uint64_t begin_ns = os::thread_time_ns();
  count_own_memory();
  bool read = read_mappings(begin_ns, rss);
  uint64_t took_ns = os::thread_time_ns() - begin_ns;
  looks.spent_ns += took_ns;
  looks.slowness[1] = looks.slowness[0];
  looks.slowness[0] = took_ns * kUsual / usual_ns(rss) + 1;
  if (!read) {
    looks.slowness[1] = looks.slowness[0];
    return;
  }
  looks.last = rss;
  if (rss > looks.most) looks.most = rss;
  enter_found(window, time);
}

void restart_looks() {
  looks = Looks{};
}

}  // namespace heapledger::runtime
