#include "runtime/unwind/cfi_find.h"

#include <arch_registers.h>

namespace heapledger::runtime {
namespace {

// DW_EH_PE encodings: the low four bits are the format, the next three the base.
constexpr uint8_t kOmit = 0xFF;
constexpr uint8_t kIndirect = 0x80;
constexpr uint8_t kPcRelative = 0x10;
constexpr uint8_t kDataRelative = 0x30;
constexpr uint8_t kSignedFourBytes = 0x0B;

ByteCursor bytes_from(uint64_t address, const CfiModule& module) {
  if (address < module.start || address >= module.end) return {nullptr, nullptr};
  return {reinterpret_cast<const unsigned char*>(address),
          reinterpret_cast<const unsigned char*>(module.end)};
}

uint64_t address_of(const ByteCursor& cursor) {
  return reinterpret_cast<uint64_t>(cursor.at());
}

// A CIE or FDE: its bytes after the length; `start` is where the id field is.
struct Record {
  ByteCursor body;
  uint64_t start;
  uint32_t id;  // 0: a CIE; else the distance back from `start` to the CIE
};

// False at the terminator or on damage.
bool next_record(ByteCursor& cursor, Record& record) {
  uint64_t length = cursor.fixed<uint32_t>();
  if (length == 0xFFFF'FFFF) length = cursor.fixed<uint64_t>();
  if (length < 4 || cursor.failed()) return false;
  record.start = address_of(cursor);
  record.body = cursor.take(length);
  record.id = record.body.fixed<uint32_t>();
  return !record.body.failed();
}

// What the augmentation string promises.
bool read_augmentation(ByteCursor& body, const char* letters, const CfiModule& module,
                       CfiFunction& function) {
  if (letters[0] == '\0') return true;
  if (letters[0] != 'z') return false;
  ByteCursor data = body.take(body.uleb());
  for (const char* letter = letters + 1; *letter != '\0'; ++letter) {
    switch (*letter) {
      case 'R':
        function.pointer_encoding = data.fixed<uint8_t>();
        break;
      case 'P': {
        auto encoding = data.fixed<uint8_t>();
        read_encoded(data, encoding & static_cast<uint8_t>(~kIndirect), module);
        break;
      }
      case 'L':
        data.fixed<uint8_t>();
        break;
      case 'S':
        function.signal_frame = true;
        break;
      default:  // 'B' and whatever comes: the rest is data we have stepped over already
        return !data.failed();
    }
  }
  return !data.failed();
}

bool read_cie(uint64_t address, const CfiModule& module, CfiFunction& function) {
  ByteCursor cursor = bytes_from(address, module);
  Record record;
  if (!next_record(cursor, record) || record.id != 0) return false;
  ByteCursor& body = record.body;
  auto version = body.fixed<uint8_t>();
  if (version != 1 && version != 3 && version != 4) return false;
  const char* letters = reinterpret_cast<const char*>(body.at());
  while (!body.failed() && body.fixed<char>() != '\0') {
  }
  if (body.failed()) return false;
  if (version == 4) body.skip(2);  // address and segment sizes
  function.code_factor = body.uleb();
  function.data_factor = body.sleb();
  uint64_t return_register = version == 1 ? body.fixed<uint8_t>() : body.uleb();
  if (return_register != arch::kReturnAddress) return false;
  function.pointer_encoding = 0;
  function.signal_frame = false;
  function.augmented = letters[0] == 'z';
  if (!read_augmentation(body, letters, module, function)) return false;
  function.initial = body;
  return !body.failed();
}

// Reads the FDE at `record`.
bool read_fde(Record& record, const CfiModule& module, CfiFunction& function) {
  if (record.id == 0 || !read_cie(record.start - record.id, module, function)) return false;
  ByteCursor& body = record.body;
  function.begin = read_encoded(body, function.pointer_encoding, module);
  uint64_t length = read_encoded(body, function.pointer_encoding & 0x0F, module);
  function.end = function.begin + length;
  if (function.augmented) body.skip(body.uleb());
  function.program = body;
  return !body.failed();
}

bool covers(const CfiFunction& function, uint64_t pc) {
  return pc >= function.begin && pc < function.end;
}

bool search_all(uint64_t eh_frame, uint64_t pc, const CfiModule& module, CfiFunction& function) {
  ByteCursor cursor = bytes_from(eh_frame, module);
  Record record;
  while (next_record(cursor, record)) {
    if (read_fde(record, module, function) && covers(function, pc)) return true;
  }
  return false;
}

// The sorted table of .eh_frame_hdr: pairs of signed 32-bit distances from the header, first the
// function's begin, then its FDE.
bool search_table(ByteCursor table, uint64_t count, uint64_t pc, const CfiModule& module,
                  CfiFunction& function) {
  if (count == 0 || table.left() / 8 < count) return false;
  const unsigned char* entries = table.at();
  auto entry = [&](uint64_t index, unsigned half) {
    int32_t distance;
    memcpy(&distance, entries + index * 8 + half * 4, sizeof distance);
    return module.header + static_cast<uint64_t>(int64_t{distance});
  };
  uint64_t low = 0;  // the last entry whose begin is not above pc
  uint64_t high = count;
  while (high - low > 1) {
    uint64_t middle = low + (high - low) / 2;
    (entry(middle, 0) <= pc ? low : high) = middle;
  }
  if (entry(low, 0) > pc) return false;
  ByteCursor cursor = bytes_from(entry(low, 1), module);
  Record record;
  return next_record(cursor, record) && read_fde(record, module, function) && covers(function, pc);
}

}  // namespace

uint64_t read_encoded(ByteCursor& cursor, uint8_t encoding, const CfiModule& module) {
  if (encoding == kOmit) return 0;
  uint64_t place = address_of(cursor);
  uint64_t value = 0;
  switch (encoding & 0x0F) {
    case 0x00:
    case 0x04:
    case 0x0C:
      value = cursor.fixed<uint64_t>();
      break;
    case 0x01:
      value = cursor.uleb();
      break;
    case 0x02:
      value = cursor.fixed<uint16_t>();
      break;
    case 0x03:
      value = cursor.fixed<uint32_t>();
      break;
    case 0x09:
      value = static_cast<uint64_t>(cursor.sleb());
      break;
    case 0x0A:
      value = static_cast<uint64_t>(int64_t{cursor.fixed<int16_t>()});
      break;
    case kSignedFourBytes:
      value = static_cast<uint64_t>(int64_t{cursor.fixed<int32_t>()});
      break;
    default:
      cursor.skip(UINT64_MAX);
      return 0;
  }
  if ((encoding & 0x70) == kPcRelative) value += place;
  if ((encoding & 0x70) == kDataRelative) value += module.header;
  if ((encoding & kIndirect) != 0) value = bytes_from(value, module).fixed<uint64_t>();
  return value;
}

CfiRecord next_cfi_record(ByteCursor& cursor, const CfiModule& module, CfiFunction& function) {
  ByteCursor length = cursor;
  uint64_t at = address_of(cursor);
  if (length.fixed<uint32_t>() == 0) return CfiRecord::kEnd;
  Record record;
  if (!next_record(cursor, record)) return CfiRecord::kDamaged;
  if (record.id == 0) {
    return read_cie(at, module, function) ? CfiRecord::kCommon : CfiRecord::kDamaged;
  }
  return read_fde(record, module, function) ? CfiRecord::kFunction : CfiRecord::kDamaged;
}

bool find_cfi(const CfiModule& module, uint64_t pc, CfiFunction& function) {
  if (module.header == 0) return search_all(module.frames, pc, module, function);
  ByteCursor cursor = bytes_from(module.header, module);
  auto version = cursor.fixed<uint8_t>();
  auto frame_encoding = cursor.fixed<uint8_t>();
  auto count_encoding = cursor.fixed<uint8_t>();
  auto table_encoding = cursor.fixed<uint8_t>();
  if (version != 1) return false;
  uint64_t eh_frame = read_encoded(cursor, frame_encoding, module);
  if (cursor.failed()) return false;
  if (count_encoding != kOmit && table_encoding == (kDataRelative | kSignedFourBytes)) {
    uint64_t count = read_encoded(cursor, count_encoding, module);
    if (!cursor.failed()) return search_table(cursor, count, pc, module, function);
  }
  return search_all(eh_frame, pc, module, function);
}

}  // namespace heapledger::runtime
