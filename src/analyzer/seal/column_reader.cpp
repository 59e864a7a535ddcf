#include "analyzer/seal/column_reader.h"

#include <cstring>

#include "format/entry_encoder.h"
#include "format/varint.h"

namespace heapledger::seal {
namespace {

using format::Kind;

}  // namespace

inline bool ColumnCursor::number(uint64_t& value) {
  if (at_ >= end_) [[unlikely]] {
    return false;
  }
  const unsigned char* after = format::get_varint(at_, end_, value);
  if (after == nullptr) [[unlikely]] {
    return false;
  }
  at_ = after;
  return true;
}

inline bool ColumnCursor::byte(unsigned char& value) {
  if (at_ >= end_) [[unlikely]] {
    return false;
  }
  value = *at_++;
  return true;
}

bool ColumnCursor::bytes(uint64_t count, std::string_view& value) {
  if (count > static_cast<uint64_t>(end_ - at_)) return false;
  value = {reinterpret_cast<const char*>(at_), static_cast<size_t>(count)};
  at_ += count;
  return true;
}

// --- notes ---

NoteReader::NoteReader(const Columns& columns) {
  for (unsigned i = 0; i < kNoteColumns; ++i) at_[i] = ColumnCursor(columns[i]);
}

bool NoteReader::begin_filling(uint64_t& notes) {
  time_ = 0;
  return at_[kNoteCounts].number(notes);
}

bool NoteReader::next(NoteParts& note) {
  unsigned char tag;
  uint64_t delta;
  if (!at_[kNoteTags].byte(tag) || !at_[kNoteTimes].number(delta)) return false;
  note.time = time_ += delta;
  note.kind = format::upper_of(tag);
  if (note.kind < format::kFirstLongKind) return false;
  uint64_t length;
  if (format::shape_of(tag) == 0) {
    return at_[kNoteFields].number(length) && at_[kNoteFields].bytes(length, note.fields);
  }
  uint64_t id, parent, module, pc;
  if (!at_[kSiteIds].number(id) || !at_[kSiteParents].number(parent) ||
      !at_[kSiteModules].number(module) || !at_[kSitePcs].number(pc)) {
    return false;
  }
  site_id_ += unzigzag(id);
  site_pc_ += unzigzag(pc);
  unsigned char* end = format::put_varint(buffer_, site_id_);
  end = format::put_varint(end, site_id_ - unzigzag(parent));
  end = format::put_varint(end, module);
  end = format::put_varint(end, site_pc_);
  note.fields = {reinterpret_cast<const char*>(buffer_), static_cast<size_t>(end - buffer_)};
  return true;
}

bool NoteReader::within() const {
  for (const ColumnCursor& cursor : at_) {
    if (!cursor.within()) return false;
  }
  return true;
}

// --- entries ---

ColumnReader::ColumnReader(const Columns& columns) : notes_(columns) {
  for (unsigned i = 0; i < kColumns; ++i) at_[i] = ColumnCursor(columns[i]);
  births_.reserve(columns[kBirthCodes].size());
}

bool ColumnReader::within() const {
  for (unsigned i = kNoteColumns; i < kColumns; ++i) {
    if (!at_[i].within()) return false;
  }
  return notes_.within();
}

bool ColumnReader::next(uint32_t bytes, Bytes& payload) {
  time_ = previous_ = 0;
  uint64_t entries, rest_bytes, notes;
  if (!at_[kShapes].number(entries) || !at_[kShapes].number(rest_bytes) ||
      !notes_.begin_filling(notes) || rest_bytes > bytes) {
    return false;
  }
  // Room for one short entry that begins where the payload ends.
  payload.resize(bytes + format::kMaxShortEntryBytes);
  unsigned char* const from = payload.data();
  unsigned char* const end = from + (bytes - rest_bytes);
  unsigned char* to = from;
  for (uint64_t i = 0; i < entries; ++i) {
    unsigned char tag;
    if (to >= end || !at_[kTags].byte(tag)) return false;
    to = tag == 0 ? note(to, end) : entry(tag, to);
    if (to == nullptr) return false;
  }
  std::string_view rest;
  if (to != end || !at_[kRest].bytes(rest_bytes, rest)) return false;
  if (!rest.empty()) std::memcpy(to, rest.data(), rest.size());
  payload.resize(bytes);
  return true;
}

inline bool ColumnReader::birth(uint64_t size, uint64_t& address) {
  uint64_t code, folded;
  if (!at_[kBirthCodes].number(code)) return false;
  const unsigned its_class = size_class(size);
  if (code == 0) {
    if (!at_[kBirthAddresses].number(folded)) return false;
    address = format::unfold_pointer(folded, last_new_);
  } else {
    const std::vector<uint64_t>& deaths = deaths_[its_class];
    uint64_t number = last_death_[its_class] + unzigzag(code - 1);
    if (number >= deaths.size()) return false;
    address = deaths[number];
    last_death_[its_class] = number;
  }
  births_.push_back({address, its_class});
  last_new_ = address;
  return true;
}

inline bool ColumnReader::death(uint64_t& address) {
  uint64_t code, folded;
  if (!at_[kDeathCodes].number(code)) return false;
  if (code == 0) {
    if (!at_[kDeathAddresses].number(folded)) return false;
    address = format::unfold_pointer(folded, previous_);
    return true;
  }
  uint64_t number = last_birth_ + 1 + unzigzag(code - 1);
  if (number >= births_.size()) return false;
  last_birth_ = number;
  address = births_[number].address;
  deaths_[births_[number].size_class].push_back(address);
  return true;
}

inline bool ColumnReader::put_pointer(uint64_t address, unsigned char*& to) {
  to = format::put_varint(to, format::fold_pointer(address, previous_));
  previous_ = address;
  return true;
}

unsigned char* ColumnReader::entry(unsigned char tag, unsigned char* to) {
  const unsigned shape = format::shape_of(tag);
  const unsigned upper = format::upper_of(tag);
  *to++ = tag;
  bool other = shape == format::kShapeOther;
  uint64_t delta = other ? 0 : upper;
  if (shape == 0) return nullptr;
  if (format::has_time_behind(tag)) {
    if (!at_[other ? kOtherTimes : kTimes].number(delta)) return nullptr;
    to = format::put_varint(to, delta);
  }
  time_ += delta;
  Kind kind = other                         ? static_cast<Kind>(upper)
              : shape == format::kShapeFree ? Kind::kFree
                                            : Kind::kMalloc;
  if (kind == Kind::kCallocSameTime) kind = Kind::kCalloc;
  if (kind > Kind::kFree || kind == Kind::kEnd) return nullptr;
  uint64_t address;
  if (kind >= Kind::kRealloc && kind != Kind::kMalloc) {
    if (!death(address)) return nullptr;
    put_pointer(address, to);
    if (kind > Kind::kReallocArray) return to;
    uint64_t duration;
    if (!at_[kOtherTimes].number(duration)) return nullptr;
    to = format::put_varint(to, duration);
    time_ += duration;
  }
  uint64_t site, size;
  if (!at_[kSites].number(site) || !at_[kSizes].number(size) || !birth(size, address)) {
    return nullptr;
  }
  put_pointer(address, to);
  to = format::put_varint(to, site);
  to = format::put_varint(to, size);
  if (kind >= Kind::kPosixMemalign && kind <= Kind::kMemalign) {
    uint64_t alignment;
    if (!at_[kAlignments].number(alignment)) return nullptr;
    to = format::put_varint(to, alignment);
  }
  return to;
}

unsigned char* ColumnReader::note(unsigned char* to, const unsigned char* end) {
  NoteParts note;
  if (!notes_.next(note)) return nullptr;
  unsigned char time[format::kMaxVarintBytes + 8];
  auto time_bytes = static_cast<size_t>(format::put_varint(time, note.time - time_) - time);
  time_ = note.time;
  const size_t length = time_bytes + note.fields.size();
  const auto kind = static_cast<Kind>(note.kind);
  const size_t length_bytes = format::length_bytes_of(kind);
  if (1 + length_bytes + length > static_cast<size_t>(end - to)) return nullptr;
  *to++ = format::make_tag(format::kShapeOther, note.kind);
  format::put_length(to, kind, length);
  to += length_bytes;
  std::memcpy(to, time, time_bytes);
  to += time_bytes;
  if (!note.fields.empty()) std::memcpy(to, note.fields.data(), note.fields.size());
  return to + note.fields.size();
}

}  // namespace heapledger::seal
