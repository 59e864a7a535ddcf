#include "cores/live_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "text/text.h"

namespace heapledger::cores {
namespace {

using format::LiveKind;
using format::LiveTable;

constexpr uint32_t kLargestItem = 1u << 16;
constexpr uint32_t kMostItems = 1u << 24;
constexpr uint32_t kMostParts = 1u << 16;
constexpr int kLooks = 8;  // at a record that changes while it is read

uint32_t smallest_item(uint32_t kind) {
  switch (static_cast<LiveKind>(kind)) {
    case LiveKind::kBlocks:
      return sizeof(format::LiveRecord);
    case LiveKind::kSites:
      return sizeof(format::LiveNode);
    case LiveKind::kAccounts:
      return sizeof(format::LiveAccount);
    case LiveKind::kModules:
      return sizeof(format::LiveModule);
    case LiveKind::kThreads:
      return sizeof(format::LiveThread);
  }
  return UINT32_MAX;
}

const char* name_of(uint32_t kind) {
  constexpr const char* kNames[] = {"", "blocks", "sites", "accounts", "modules", "threads"};
  return kNames[kind];
}

bool is_plausible(const LiveTable& table) {
  return table.item_bytes >= smallest_item(table.kind) && table.item_bytes <= kLargestItem &&
         table.part_items > 0 && table.part_items <= kMostItems && table.parts <= kMostParts;
}

}  // namespace

LiveParts::LiveParts(const Memory& memory, const ForeignBytes& header, const FoundTables& found,
                     std::vector<std::string>& problems)
    : memory_(memory),
      big_endian_(found.shape.big_endian),
      moved_(found.address - found.self),
      problems_(problems) {
  uint32_t count = header.word32(offsetof(format::LiveHeader, table_count));
  for (uint32_t i = 0; i < std::min(count, 8u); ++i) {
    LiveTable table = decode_table(header, i);
    if (table.kind == 0 || table.kind > format::kLiveKinds) continue;
    if (is_plausible(table)) {
      find_parts(table, header);
    } else {
      problems_.push_back(fmt::format("the table of {} makes no sense", name_of(table.kind)));
    }
  }
}

// Whether nothing that was taken so far lies there, too.
bool LiveParts::take(uint64_t address, uint64_t bytes) {
  uint64_t end = address + bytes;
  if (end < address) return false;
  auto after = ends_.upper_bound(address);
  if (after != ends_.end() && after->first < end) return false;
  if (after != ends_.begin() && std::prev(after)->second > address) return false;
  ends_.emplace(address, end);
  return true;
}

void LiveParts::find_parts(const LiveTable& table, const ForeignBytes& header) {
  uint64_t missing = 0;
  Table& into = tables_[table.kind];
  if (into.item_bytes != 0) return;  // twice: the first counts
  into.item_bytes = table.item_bytes;
  // Of blocks each part stands alone. The rest is found by its index, so a gap ends it; and so no
  // index is ever larger than what was read.
  bool may_have_gaps = table.kind == static_cast<uint32_t>(LiveKind::kBlocks);
  for (uint32_t i = 0; i < table.parts; ++i) {
    uint64_t first = uint64_t{i} * table.part_items;
    uint64_t address = header.word64(table.places + uint64_t{i} * 8);
    if (first >= table.used) break;
    if (address == 0 && may_have_gaps) continue;
    if (address == 0) break;
    uint64_t items = std::min<uint64_t>(table.part_items, table.used - first);
    unsigned char byte;
    if (!memory_.read_all(address + moved_, {&byte, 1}) ||
        !take(address + moved_, items * table.item_bytes)) {
      ++missing;
      if (may_have_gaps) continue;
      break;
    }
    into.parts.push_back({first, address + moved_, items});
  }
  if (missing > 0) {
    problems_.push_back(fmt::format("{} of the table of {} cannot be read",
                                    counted(missing, "part"), name_of(table.kind)));
  }
}

std::vector<unsigned char> LiveParts::read(const Part& part, uint32_t item_bytes) const {
  // Piece by piece: what the header claims may be far more than there is.
  constexpr size_t kReadBytes = size_t{1} << 20;
  std::vector<unsigned char> bytes;
  const uint64_t wanted = part.items * item_bytes;
  size_t got = 0;
  while (got == bytes.size() && got < wanted) {
    bytes.resize(static_cast<size_t>(std::min<uint64_t>(wanted, got + kReadBytes)));
    got += memory_.read(part.address + got, std::span(bytes).subspan(got));
  }
  if (got < wanted) {
    problems_.push_back(fmt::format("{} of the tables at {:#x} cannot be read",
                                    counted(wanted - got, "byte"), part.address + got));
  }
  bytes.resize(got / item_bytes * item_bytes);
  return bytes;
}

void LiveParts::for_each(LiveKind kind, const Item& item) const {
  const Table& from = table(kind);
  for (const Part& part : from.parts) {
    std::vector<unsigned char> bytes = read(part, from.item_bytes);
    for (size_t at = 0; at < bytes.size(); at += from.item_bytes) {
      item(part.first + at / from.item_bytes,
           ForeignBytes({bytes.data() + at, from.item_bytes}, big_endian_));
    }
  }
}

void LiveParts::for_each_block(const std::function<void(const ForeignBytes&)>& block) const {
  const Table& from = table(LiveKind::kBlocks);
  const size_t step = from.item_bytes;
  for (const Part& part : from.parts) {
    std::vector<unsigned char> before = read(part, from.item_bytes);
    std::vector<unsigned char> bytes(before.size());
    bytes.resize(memory_.read(part.address, bytes) / step * step);
    for (size_t at = 0; at < bytes.size(); at += step) {
      unsigned char* now = bytes.data() + at;
      unsigned char* last = before.data() + at;
      for (int look = 0; look < kLooks && std::memcmp(now, last, step) != 0; ++look) {
        std::memcpy(last, now, step);
        memory_.read_all(part.address + at, {now, step});
      }
      block(ForeignBytes({now, step}, big_endian_));
    }
  }
}

}  // namespace heapledger::cores
