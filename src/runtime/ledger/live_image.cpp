#include "runtime/ledger/live_image.h"

#include <arch_order.h>

#include <cerrno>
#include <cstring>

#include "runtime/ledger/clock.h"
#include "runtime/ledger/file.h"
#include "runtime/ledger/settings_in_force.h"
#include "runtime/os/add_shared.h"
#include "runtime/os/os.h"
#include "runtime/os/together.h"

namespace heapledger::runtime {

using format::LiveHeader;
using format::LiveKind;
using format::LiveTable;

LiveHeader* live_header = nullptr;
HEAPLEDGER_TOGETHER constinit std::atomic<bool> live_image_ready{false};
std::atomic<uint64_t>* live_block_places = nullptr;
std::atomic<uint64_t>* live_account_places = nullptr;

namespace {

constexpr uint32_t kPlacesOffset = 4096;
constexpr uint32_t kTextBytes = 16384;
// Ticks are nanoseconds or a little shorter: 32 bits of these units are some 70 days.
constexpr uint32_t kTimeShift = 22;

struct Layout {
  LiveKind kind;
  uint32_t item_bytes;
  uint32_t part_items;
  uint32_t parts;
};
// In the order of LiveKind.
constexpr Layout kLayouts[format::kLiveKinds] = {
    {LiveKind::kBlocks, sizeof(format::LiveRecord), 1u << 16, 4096},
    {LiveKind::kSites, sizeof(format::LiveNode), 1u << 18, 128},
    {LiveKind::kAccounts, sizeof(format::LiveAccount), 1u << 14, 2048},
    {LiveKind::kModules, sizeof(format::LiveModule), 1u << 9, 8},
    {LiveKind::kThreads, sizeof(format::LiveThread), 1u << 12, 16},
};

constexpr uint32_t all_places() {
  uint32_t count = 0;
  for (const Layout& layout : kLayouts) count += layout.parts;
  return count;
}
constexpr uint32_t kTextsOffset = kPlacesOffset + all_places() * 8;
constexpr uint32_t kMappedBytes = (kTextsOffset + kTextBytes + 4095) / 4096 * 4096;
static_assert(sizeof(LiveHeader) <= kPlacesOffset);

HEAPLEDGER_TOGETHER constinit std::atomic<uint32_t> text_end{0};

LiveTable& table_of(LiveKind kind) {
  return live_header->tables[static_cast<uint32_t>(kind) - 1];
}

size_t part_bytes(const LiveTable& table) {
  return size_t{table.item_bytes} * table.part_items;
}

bool in_file() {
  return settings_in_force.tables == settings::Tables::kFile;
}

// Zeroed memory of the kind that was asked for.
void* get_memory(size_t bytes) {
  if (filter_expected()) return nullptr;
  return in_file() ? add_live_extent(bytes) : os::map_private(bytes);
}

void give_back(void* memory, size_t bytes) {
  if (!in_file()) os::unmap(memory, bytes);  // in the file it stays, and stays empty
}

std::atomic<uint64_t>* live_places(LiveKind kind) {
  auto* base = reinterpret_cast<unsigned char*>(live_header);
  return reinterpret_cast<std::atomic<uint64_t>*>(base + table_of(kind).places);
}

void describe(LiveHeader& header) {
  header.byte_order = format::kLiveByteOrder;
  header.version = format::kLiveVersion;
  header.word_bytes = sizeof(void*);
  header.mapped_bytes = kMappedBytes;
  header.machine = os::kMachine;
  header.page_bytes = os::page_bytes();
  header.time_shift = kTimeShift;
  header.texts = kTextsOffset;
  header.start = clock_pair();
  const settings::Settings& asked = settings_in_force;
  if (asked.live_sampled) {
    header.flags = format::kLiveSampled;
    header.sample_calls = asked.sample_calls;
    header.sample_bytes = asked.sample_calls == 0 ? asked.sample_bytes : 0;
  }
  uint64_t places = kPlacesOffset;
  for (uint32_t i = 0; i < format::kLiveKinds; ++i) {
    const Layout& layout = kLayouts[i];
    header.tables[i] = {static_cast<uint32_t>(layout.kind),
                        layout.item_bytes,
                        layout.part_items,
                        layout.parts,
                        places,
                        0};
    places += uint64_t{layout.parts} * 8;
  }
  header.table_count = format::kLiveKinds;
}

// The ledger, too, says where the header is.
void name_process(LiveHeader& header) {
  auto* ledger = reinterpret_cast<unsigned char*>(ledger_header());
  auto* place = reinterpret_cast<uint64_t*>(ledger + format::kLiveAddressOffset);
  __atomic_store_n(place, reinterpret_cast<uint64_t>(&header), __ATOMIC_RELEASE);
  header.self = reinterpret_cast<uint64_t>(&header);
  header.pid = os::process_id();
  header.parent_pid = os::parent_process_id();
}

}  // namespace

bool raise_live_image() {
  auto* header = static_cast<LiveHeader*>(get_memory(kMappedBytes));
  if (header == nullptr) return false;
  describe(*header);
  name_process(*header);
  text_end.store(0, std::memory_order_relaxed);
  // Last: whoever finds the magic finds the rest. In two steps, so that it is nowhere else.
  os::keep_store_order();
  memcpy(header->magic + 8, format::kLiveMagicTail, 8);
  memcpy(header->magic, format::kLiveMagicHead, 8);
  live_header = header;
  live_block_places = live_places(LiveKind::kBlocks);
  live_account_places = live_places(LiveKind::kAccounts);
  live_image_ready.store(true, std::memory_order_release);
  return true;
}

bool inherit_live_image() {
  if (in_file()) return raise_live_image();
  // The parent's threads keep their numbers: some of the blocks are theirs.
  live_header->first_thread = static_cast<uint32_t>(table_of(LiveKind::kThreads).used);
  name_process(*live_header);
  return true;
}

void forget_live_image() {
  if (!live_tables_in_memory()) live_image_ready.store(false, std::memory_order_release);
}

void* live_part(LiveKind kind, uint32_t part) {
  const LiveTable& table = table_of(kind);
  if (part >= table.parts) return nullptr;
  std::atomic<uint64_t>& place = live_places(kind)[part];
  uint64_t present = place.load(std::memory_order_acquire);
  if (present != 0) return reinterpret_cast<void*>(present);
  void* fresh = get_memory(part_bytes(table));
  if (fresh == nullptr) return nullptr;
  if (place.compare_exchange_strong(present, reinterpret_cast<uint64_t>(fresh),
                                    std::memory_order_acq_rel)) {
    return fresh;
  }
  give_back(fresh, part_bytes(table));
  return reinterpret_cast<void*>(present);
}

void note_live_use(LiveKind kind, uint64_t items) {
  std::atomic_ref<uint64_t> used(table_of(kind).used);
  uint64_t seen = used.load(std::memory_order_relaxed);
  while (seen < items && !used.compare_exchange_weak(seen, items, std::memory_order_relaxed)) {
  }
}

void clear_live_texts() {
  text_end.store(0, std::memory_order_relaxed);
  live_header->text_bytes = 0;
}

// Only the thread that describes the process comes here.
void add_live_text(format::InfoKey key, const char* text, size_t bytes) {
  uint32_t at = text_end.load(std::memory_order_relaxed);
  if (bytes == 0 || bytes + 8 > kTextBytes - at) return;
  unsigned char* to = reinterpret_cast<unsigned char*>(live_header) + kTextsOffset + at;
  uint32_t words[2] = {static_cast<uint32_t>(key), static_cast<uint32_t>(bytes)};
  memcpy(to, words, sizeof words);
  memcpy(to + sizeof words, text, bytes);
  at += static_cast<uint32_t>(sizeof words + bytes);
  text_end.store(at, std::memory_order_relaxed);
  live_header->text_bytes = at;
}

namespace {

template <typename Item>
Item* item_at(LiveKind kind, uint32_t index) {
  uint32_t items = table_of(kind).part_items;
  auto* part = static_cast<Item*>(live_part(kind, index / items));
  if (part == nullptr) return nullptr;
  note_live_use(kind, uint64_t{index} + 1);
  return part + index % items;
}

}  // namespace

format::LiveModule* live_module(uint32_t id) {
  return item_at<format::LiveModule>(LiveKind::kModules, id);
}

void set_live_module_gone(uint32_t id) {
  if (format::LiveModule* place = live_module(id); place != nullptr) place->state = 2;
}

uint32_t add_live_thread(uint32_t index, uint32_t tid, const char* name) {
  index += live_header->first_thread;
  if (index >= format::kLiveOtherThreads) return format::kLiveOtherThreads;
  auto* place = item_at<format::LiveThread>(LiveKind::kThreads, index);
  if (place == nullptr) return format::kLiveOtherThreads;
  strncpy(place->name, name, sizeof place->name - 1);
  __atomic_store_n(&place->tid, tid, __ATOMIC_RELEASE);
  return index;
}

void rename_live_thread(uint32_t number, const char* name) {
  if (number >= format::kLiveOtherThreads) return;
  auto* place = item_at<format::LiveThread>(LiveKind::kThreads, number);
  if (place != nullptr) strncpy(place->name, name, sizeof place->name - 1);
}

namespace {

void set_stop(format::StopReason reason, long error) {
  uint32_t none = 0;
  if (!__atomic_compare_exchange_n(&live_header->stop_reason, &none, static_cast<uint32_t>(reason),
                                   false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    return;
  }
  live_header->stop_errno = static_cast<uint32_t>(error);
}

}  // namespace

void miss_live_block() {
  os::add_shared(live_header->missed, 1);
  if (live_header->stop_reason != 0) return;
  if (filter_expected()) {
    set_stop(format::StopReason::kSeccomp, 0);
  } else {
    set_stop(format::StopReason::kNoMemory, ENOMEM);
  }
}

void note_live_stop(format::StopReason reason, long error) {
  // Not ready: what is there is the parent's.
  if (!live_tables_wanted() || !live_image_ready.load(std::memory_order_acquire)) return;
  set_stop(reason, error);
  __atomic_fetch_or(&live_header->flags, format::kLiveStopped, __ATOMIC_RELAXED);
}

void set_live_clock(const format::ClockPair& now, uint64_t rss_bytes) {
  uint32_t next = live_header->latest_index + 1;
  live_header->latest[next & 1] = now;
  os::keep_store_order();
  live_header->latest_index = next;
  if (rss_bytes != 0) live_header->rss_bytes = rss_bytes;
}

bool live_tables_in_memory() {
  return live_tables_wanted() && !in_file();
}

namespace {

bool write_table(const LiveTable& table) {
  std::atomic<uint64_t>* places = live_places(static_cast<LiveKind>(table.kind));
  for (uint32_t part = 0; part < table.parts; ++part) {
    uint64_t first = uint64_t{part} * table.part_items;
    uint64_t address = places[part].load(std::memory_order_acquire);
    if (first >= table.used || address == 0) continue;
    uint64_t items = table.used - first;
    if (items > table.part_items) items = table.part_items;
    if (!append_live_extent(reinterpret_cast<void*>(address), items * table.item_bytes))
      return false;
  }
  return true;
}

}  // namespace

void write_live_image() {
  if (in_file()) return;
  if (!append_live_extent(live_header, kMappedBytes)) return;
  // The blocks, by far the most of it, last: where not all can be written, the rest is there.
  for (uint32_t i = format::kLiveKinds; i-- > 0;) {
    if (!write_table(live_header->tables[i])) return;
  }
}

}  // namespace heapledger::runtime
