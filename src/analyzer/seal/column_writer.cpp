#include "analyzer/seal/column_writer.h"

#include <algorithm>

#include "format/functions.h"

namespace heapledger::seal {
namespace {

using format::Entry;
using format::Kind;

constexpr unsigned kSlotBits = 18;
constexpr unsigned kProbes = 16;  // an address that finds no place is written as such

}  // namespace

ColumnWriter::ColumnWriter() : slots_(size_t{1} << kSlotBits) {
  clear();
}

void ColumnWriter::clear() {
  for (ColumnBuffer& column : columns_) column.clear();
  if (++epoch_ == 0) {
    std::fill(slots_.begin(), slots_.end(), Slot{});
    epoch_ = 1;
  }
  births_ = last_birth_ = 0;
  deaths_.fill(0);
  last_death_.fill(0);
  last_new_ = site_id_ = site_pc_ = 0;
}

uint64_t ColumnWriter::add(std::span<const unsigned char> payload) {
  time_ = note_time_ = previous_ = notes_ = 0;
  const unsigned char* from = payload.data();
  const unsigned char* end = from + payload.size();
  format::EntryDecoder decoder(from, end, 0);
  uint64_t entries = 0;
  for (Entry next;; ++entries) {
    const unsigned char* start = decoder.position();
    if (!decoder.next(next)) break;
    entry(next, *start);
    time_ = next.end_time;
  }
  const unsigned char* rest = decoder.position();
  put(kNoteCounts, notes_);
  put(kShapes, entries);
  put(kShapes, static_cast<uint64_t>(end - rest));
  columns_[kRest].put_bytes(rest, static_cast<size_t>(end - rest));
  return time_;
}

void ColumnWriter::add_plain(std::span<const unsigned char> payload) {
  put(kNoteCounts, 0);
  put(kShapes, 0);
  put(kShapes, payload.size());
  columns_[kRest].put_bytes(payload.data(), payload.size());
}

void ColumnWriter::entry(const Entry& entry, unsigned char tag) {
  if (static_cast<unsigned>(entry.kind) >= format::kFirstLongKind) return note(entry, tag);
  columns_[kTags].put_byte(tag);
  if (format::has_time_behind(tag)) {
    const bool other = format::shape_of(tag) == format::kShapeOther;
    put(other ? kOtherTimes : kTimes, entry.time - time_);
  }
  switch (format::event_of(entry.kind)) {
    case format::Event::kDeath:
      return death(entry.pointer);
    case format::Event::kResize:
      death(entry.old_pointer);
      put(kOtherTimes, entry.end_time - entry.time);
      break;
    default:
      break;
  }
  birth(entry.pointer, entry.size);
  put(kSites, entry.site);
  put(kSizes, entry.size);
  if (entry.kind >= Kind::kPosixMemalign && entry.kind <= Kind::kMemalign) {
    put(kAlignments, entry.alignment);
  }
}

void ColumnWriter::note(const Entry& entry, unsigned char tag) {
  columns_[kTags].put_byte(0);
  ++notes_;
  put(kNoteTimes, entry.time - note_time_);
  note_time_ = entry.time;
  if (entry.kind == Kind::kSite && site_note(entry)) {
    columns_[kNoteTags].put_byte(tag);
    return;
  }
  columns_[kNoteTags].put_byte(static_cast<unsigned char>(tag & ~3u));
  put(kNoteFields, entry.fields.size());
  columns_[kNoteFields].put_bytes(entry.fields.data(), entry.fields.size());
}

bool ColumnWriter::site_note(const Entry& entry) {
  format::FieldReader fields(entry.fields);
  uint64_t id, parent, module, pc;
  if (!fields.number(id) || !fields.number(parent) || !fields.number(module) ||
      !fields.number(pc) || !fields.rest().empty()) {
    return false;
  }
  put(kSiteIds, zigzag(id - site_id_));
  put(kSiteParents, zigzag(id - parent));
  put(kSiteModules, module);
  put(kSitePcs, zigzag(pc - site_pc_));
  site_id_ = id;
  site_pc_ = pc;
  return true;
}

ColumnWriter::Slot* ColumnWriter::find(uint64_t address, unsigned role, bool insert) {
  constexpr uint64_t kGoldenRatio = 0x9E3779B97F4A7C15ull;
  const size_t home = ((address + role) * kGoldenRatio) >> (64 - kSlotBits);
  for (size_t i = 0; i < kProbes; ++i) {
    Slot& slot = slots_[(home + i) & (slots_.size() - 1)];
    if (slot.epoch != epoch_) {
      if (!insert) return nullptr;
      slot = {address, kNone, epoch_, static_cast<uint8_t>(role), 0};
      return &slot;
    }
    if (slot.address == address && slot.role == role) return &slot;
  }
  return nullptr;
}

void ColumnWriter::birth(uint64_t address, uint64_t size) {
  const unsigned its_class = size_class(size);
  Slot* dead = find(address, its_class, false);
  if (dead != nullptr && dead->number != kNone) {
    uint32_t& last = last_death_[its_class];
    put(kBirthCodes, 1 + zigzag(uint64_t{dead->number} - uint64_t{last}));
    last = dead->number;
    dead->number = kNone;
  } else {
    put(kBirthCodes, 0);
    put(kBirthAddresses, format::fold_pointer(address, last_new_));
  }
  if (Slot* live = find(address, kLive, true)) {
    live->size_class = static_cast<uint8_t>(its_class);
    live->number = births_;
  }
  ++births_;
  previous_ = last_new_ = address;
}

void ColumnWriter::death(uint64_t address) {
  Slot* live = find(address, kLive, false);
  if (live != nullptr && live->number != kNone) {
    put(kDeathCodes, 1 + zigzag(uint64_t{live->number} - uint64_t{last_birth_} - 1));
    last_birth_ = live->number;
    live->number = kNone;
    const uint32_t number = deaths_[live->size_class]++;
    if (Slot* dead = find(address, live->size_class, true)) dead->number = number;
  } else {
    put(kDeathCodes, 0);
    put(kDeathAddresses, format::fold_pointer(address, previous_));
  }
  previous_ = address;
}

}  // namespace heapledger::seal
