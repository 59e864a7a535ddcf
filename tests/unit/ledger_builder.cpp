#include "ledger_builder.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "format/checksum.h"

namespace heapledger::test {

using format::ExtentHeader;
using format::Kind;
using format::LongEntry;

namespace {

constexpr size_t kRoom = 128;  // the encoder stores past the end of what it writes

template <typename Struct>
void put(std::string& to, size_t offset, const Struct& value) {
  std::memcpy(to.data() + offset, &value, sizeof value);
}

}  // namespace

WindowBuilder::WindowBuilder(LedgerBuilder& ledger, uint32_t id, size_t place)
    : ledger_(&ledger), place_(place), payload_(format::kPayloadBytes + kRoom) {
  header_.magic = format::kWindowMagic;
  header_.window = id;
  current_thread_ = id;
  state_.time = units(0);
  start_filling();
}

void WindowBuilder::start_filling() {
  std::fill(payload_.begin(), payload_.end(), static_cast<unsigned char>(0));
  header_.base_time = state_.time;
  header_.thread = current_thread_;
  state_.cursor = payload_.data();
  state_.pointer = 0;
}

uint64_t WindowBuilder::units(uint64_t time) const {
  return (ledger_->header.start.ticks >> ledger_->header.time_shift) + time;
}

uint32_t WindowBuilder::used() const {
  return static_cast<uint32_t>(state_.cursor - payload_.data());
}

void WindowBuilder::make_room(size_t bytes) {
  if (used() + bytes + format::kMaxShortEntryBytes > format::kPayloadBytes) flush();
}

WindowBuilder& WindowBuilder::flush() {
  ExtentHeader chunk = header_;
  chunk.magic = format::kChunkMagic;
  chunk.bytes = used();
  chunk.checksum = format::checksum(payload_.data(), chunk.bytes);
  chunk.header_checksum = format::checksum(&chunk, offsetof(ExtentHeader, header_checksum));
  std::string& block = ledger_->blocks_[ledger_->add_block()];
  put(block, 0, chunk);
  std::memcpy(block.data() + sizeof chunk, payload_.data(), chunk.bytes);
  ++header_.seq;
  start_filling();
  return *this;
}

WindowBuilder& WindowBuilder::malloc(uint64_t time, uint64_t pointer, uint64_t size,
                                     uint32_t site) {
  make_room(0);
  append_malloc(state_, units(time), pointer, site, size);
  return *this;
}

WindowBuilder& WindowBuilder::allocate(Kind kind, uint64_t time, uint64_t pointer, uint64_t size,
                                       uint32_t site) {
  make_room(0);
  append_allocation(state_, kind, units(time), pointer, site, size);
  return *this;
}

WindowBuilder& WindowBuilder::calloc_at_once(uint64_t pointer, uint64_t size, uint32_t site) {
  make_room(0);
  append_calloc(state_, format::SameTime(), pointer, site, size);
  return *this;
}

WindowBuilder& WindowBuilder::aligned(Kind kind, uint64_t time, uint64_t pointer, uint64_t size,
                                      uint64_t alignment, uint32_t site) {
  make_room(0);
  append_aligned(state_, kind, units(time), pointer, site, size, alignment);
  return *this;
}

WindowBuilder& WindowBuilder::free(uint64_t time, uint64_t pointer) {
  make_room(0);
  append_free(state_, units(time), pointer);
  return *this;
}

WindowBuilder& WindowBuilder::free_by(Kind kind, uint64_t time, uint64_t pointer) {
  make_room(0);
  append_other_free(state_, kind, units(time), pointer);
  return *this;
}

WindowBuilder& WindowBuilder::resize(uint64_t time, uint64_t old_pointer, uint64_t end_time,
                                     uint64_t pointer, uint64_t size, uint32_t site, Kind kind) {
  make_room(0);
  append_resize(state_, kind, units(time), old_pointer, units(end_time), pointer, site, size);
  return *this;
}

WindowBuilder& WindowBuilder::thread(uint64_t time, uint32_t index, uint64_t tid,
                                     std::string_view name) {
  make_room(name.size() + LongEntry::kLongOverhead + 32);
  current_thread_ = index;
  LongEntry(state_, Kind::kThread, units(time))
      .number(index)
      .number(tid)
      .bytes(name.data(), name.size())
      .finish();
  return *this;
}

WindowBuilder& WindowBuilder::thread_name(uint64_t time, std::string_view name) {
  make_room(name.size() + LongEntry::kLongOverhead);
  LongEntry(state_, Kind::kThreadName, units(time)).bytes(name.data(), name.size()).finish();
  return *this;
}

WindowBuilder& WindowBuilder::site(uint64_t time, uint32_t id, uint32_t parent, uint32_t module,
                                   uint64_t pc) {
  make_room(LongEntry::kLongOverhead + 64);
  LongEntry(state_, Kind::kSite, units(time))
      .number(id)
      .number(parent)
      .number(module)
      .number(pc)
      .finish();
  return *this;
}

WindowBuilder& WindowBuilder::code(uint64_t time, uint32_t number, uint32_t module, uint64_t pc) {
  make_room(LongEntry::kLongOverhead + 64);
  LongEntry(state_, Kind::kCode, units(time)).number(number).number(module).number(pc).finish();
  return *this;
}

WindowBuilder& WindowBuilder::chain(uint64_t time, uint32_t id, uint32_t parent,
                                    std::initializer_list<uint32_t> codes) {
  make_room(LongEntry::kLongOverhead + 64 + codes.size() * 8);
  LongEntry entry(state_, Kind::kChain, units(time));
  entry.number(id).number(id - parent);
  for (uint32_t code : codes) entry.number(code);
  entry.finish();
  return *this;
}

WindowBuilder& WindowBuilder::module(uint64_t time, uint32_t id, uint64_t start, uint64_t end,
                                     uint64_t bias, std::string_view build_id,
                                     std::string_view path, uint64_t epoch) {
  make_room(build_id.size() + path.size() + LongEntry::kLongOverhead + 64);
  LongEntry(state_, Kind::kModule, units(time))
      .number(id)
      .number(epoch)
      .number(start)
      .number(end)
      .number(bias)
      .number(build_id.size())
      .bytes(build_id.data(), build_id.size())
      .bytes(path.data(), path.size())
      .finish();
  return *this;
}

WindowBuilder& WindowBuilder::unload(uint64_t time, uint32_t module) {
  make_room(LongEntry::kLongOverhead + 16);
  LongEntry(state_, Kind::kUnload, units(time)).number(module).finish();
  return *this;
}

WindowBuilder& WindowBuilder::memory(uint64_t time, uint64_t rss, uint64_t peak) {
  make_room(LongEntry::kLongOverhead + 64);
  LongEntry(state_, Kind::kMemory, units(time))
      .number(rss)
      .number(peak)
      .number(ledger_->header.start.ticks + (time << ledger_->header.time_shift))
      .number(ledger_->header.start.monotonic_ns + (time << ledger_->header.time_shift))
      .finish();
  return *this;
}

WindowBuilder& WindowBuilder::memory(uint64_t time, uint64_t rss, uint64_t peak,
                                     uint64_t file_rss) {
  make_room(LongEntry::kLongOverhead + 64);
  LongEntry(state_, Kind::kMemory, units(time))
      .number(rss)
      .number(peak)
      .number(ledger_->header.start.ticks + (time << ledger_->header.time_shift))
      .number(ledger_->header.start.monotonic_ns + (time << ledger_->header.time_shift))
      .number(file_rss)
      .finish();
  return *this;
}

WindowBuilder& WindowBuilder::resident(uint64_t time, uint64_t total,
                                       const std::vector<format::ResidentRange>& ranges) {
  make_room(format::kMaxResidentEntryBytes);
  LongEntry entry(state_, Kind::kResident, units(time));
  entry.number(total).number(0);
  for (const format::ResidentRange& range : ranges) {
    entry.number(static_cast<uint64_t>(range.kind))
        .number(range.start)
        .number(range.bytes)
        .number(range.resident);
  }
  entry.finish();
  return *this;
}

WindowBuilder& WindowBuilder::marker(uint64_t time, std::string_view text) {
  make_room(text.size() + LongEntry::kLongOverhead);
  LongEntry(state_, Kind::kMarker, units(time)).bytes(text.data(), text.size()).finish();
  return *this;
}

WindowBuilder& WindowBuilder::event(uint64_t time, const format::HeapEvent& event) {
  make_room(format::kMaxHeapEventBytes + LongEntry::kLongOverhead);
  format::append_heap_event(state_, units(time), event);
  return *this;
}

WindowBuilder& WindowBuilder::heap(uint64_t time, uint32_t id, format::HeapKind kind,
                                   std::string_view name) {
  make_room(name.size() + LongEntry::kLongOverhead + 16);
  LongEntry(state_, Kind::kHeap, units(time))
      .number(id)
      .number(static_cast<uint32_t>(kind))
      .bytes(name.data(), name.size())
      .finish();
  return *this;
}

WindowBuilder& WindowBuilder::frame(uint64_t time, uint32_t id, uint32_t parent,
                                    format::FrameKind kind, std::string_view file, uint32_t line,
                                    std::string_view name) {
  make_room(file.size() + name.size() + LongEntry::kLongOverhead + 48);
  LongEntry(state_, Kind::kFrame, units(time))
      .number(id)
      .number(parent)
      .number(static_cast<uint32_t>(kind))
      .number(0)
      .number(line)
      .number(file.size())
      .bytes(file.data(), file.size())
      .bytes(name.data(), name.size())
      .finish();
  return *this;
}

WindowBuilder& WindowBuilder::info(uint64_t time, format::InfoKey key, std::string_view text) {
  make_room(text.size() + LongEntry::kLongOverhead + 16);
  LongEntry(state_, Kind::kInfo, units(time))
      .number(static_cast<uint64_t>(key))
      .bytes(text.data(), text.size())
      .finish();
  return *this;
}

WindowBuilder& WindowBuilder::fork(uint64_t time) {
  make_room(LongEntry::kLongOverhead);
  LongEntry(state_, Kind::kFork, units(time)).finish();
  return *this;
}

WindowBuilder& WindowBuilder::unknown_kind(uint64_t time, std::string_view fields) {
  make_room(fields.size() + LongEntry::kLongOverhead);
  LongEntry(state_, static_cast<Kind>(63), units(time))
      .bytes(fields.data(), fields.size())
      .finish();
  return *this;
}

LedgerBuilder::LedgerBuilder() {
  std::memcpy(header.magic, format::kFileMagic, sizeof header.magic);
  header.version = format::kVersion;
  header.header_bytes = format::kMinHeaderBytes;
  header.extent_bytes = format::kExtentBytes;
  header.page_bytes = 4096;
  header.machine = 62;
  header.pid = 42;
  header.parent_pid = 7;
  header.start = {kStartTicks, 9'000'000'000, kStartRealtime};
  header.latest[1] = {kStartTicks + 1'000'000'000, 10'000'000'000, kStartRealtime + 1'000'000'000};
  header.latest_index = 1;
}

LedgerBuilder::LedgerBuilder(LedgerBuilder&& other) noexcept {
  *this = std::move(other);
}

LedgerBuilder& LedgerBuilder::operator=(LedgerBuilder&& other) noexcept {
  header = other.header;
  blocks_ = std::move(other.blocks_);
  windows_ = std::move(other.windows_);
  for (auto& [id, window] : windows_) window.ledger_ = this;
  return *this;
}

WindowBuilder& LedgerBuilder::window(uint32_t id) {
  auto found = windows_.find(id);
  if (found != windows_.end()) return found->second;
  return windows_.try_emplace(id, *this, id, add_block()).first->second;
}

LedgerBuilder& LedgerBuilder::hole() {
  add_block();
  return *this;
}

size_t LedgerBuilder::add_block() {
  blocks_.emplace_back(format::kExtentBytes, '\0');
  return blocks_.size() - 1;
}

std::string LedgerBuilder::bytes() {
  std::string file(header.header_bytes, '\0');
  put(file, 0, header);
  for (auto& [id, window] : windows_) {
    std::string& block = blocks_[window.place_];
    put(block, 0, window.header_);
    std::memcpy(block.data() + sizeof window.header_, window.payload_.data(),
                format::kPayloadBytes);
  }
  for (const std::string& block : blocks_) file += block;
  return file;
}

size_t extent_offset(size_t number) {
  return format::kMinHeaderBytes + number * format::kExtentBytes;
}

}  // namespace heapledger::test
