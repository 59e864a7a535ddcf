// The stored form of a table, all of it varints (format/varint.h) and raw characters:
//
//   version 1
//   texts:   how many, without text 0; each: length, characters
//   frames:  how many different ones; each: function, file, line * 2 + inlined
//   modules: how many; each: path and build id and remark (length, characters), source,
//            how many addresses; each, rising: distance from the last, how many frames, each as its
//            number in the list of frames
//
// Every number costs at least a byte, so what is read never needs more memory than a fixed multiple
// of the bytes it is read from.
#include <algorithm>
#include <cassert>
#include <stdexcept>
#include <utility>

#include "format/varint.h"
#include "symbols/symbol_table_parts.h"

namespace heapledger {
namespace {

constexpr uint64_t kVersion = 1;

[[noreturn]] void damaged() {
  throw std::runtime_error("the stored symbols are damaged; seal the ledger again");
}

struct FrameHash {
  size_t operator()(const SymbolFrame& frame) const {
    uint64_t mixed = (uint64_t{frame.function} << 32 | frame.file) * 0x9E3779B97F4A7C15ull;
    mixed ^= mixed >> 29;
    mixed += uint64_t{frame.line} << 1 | (frame.inlined ? 1 : 0);
    return static_cast<size_t>(mixed * 0xD6E8FEB86659FD93ull);
  }
};

class Writer {
 public:
  void number(uint64_t value) {
    unsigned char room[16];
    const unsigned char* const end = format::put_varint(room, value);
    bytes_.append(reinterpret_cast<const char*>(room), static_cast<size_t>(end - room));
  }
  void text(std::string_view text) {
    number(text.size());
    bytes_ += text;
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes)
      : at_(reinterpret_cast<const unsigned char*>(bytes.data())), end_(at_ + bytes.size()) {}

  uint64_t number() {
    uint64_t value = 0;
    at_ = format::get_varint(at_, end_, value);
    if (at_ == nullptr) damaged();
    return value;
  }
  // A number of things that take `bytes` each at the least.
  uint64_t count(uint64_t bytes = 1) {
    const uint64_t value = number();
    if (value > left() / bytes) damaged();
    return value;
  }
  uint32_t below(uint64_t limit) {
    const uint64_t value = number();
    if (value >= limit) damaged();
    return static_cast<uint32_t>(value);
  }
  std::string_view text() {
    const uint64_t length = count();
    const char* const start = reinterpret_cast<const char*>(at_);
    at_ += length;
    return {start, static_cast<size_t>(length)};
  }
  uint64_t left() const { return static_cast<uint64_t>(end_ - at_); }

 private:
  const unsigned char* at_;
  const unsigned char* end_;
};

template <typename Addresses>
std::vector<uint64_t> sorted_addresses(const Addresses& addresses) {
  std::vector<uint64_t> sorted;
  sorted.reserve(addresses.size());
  addresses.for_each([&sorted](uint64_t address, const auto& piece) {
    if (piece.count != 0) sorted.push_back(address);
  });
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

}  // namespace

// Texts and frames are numbered in the order in which the modules' addresses use them, so that the
// bytes do not depend on the order in which threads have filled the table.
std::string SymbolTable::encode() const {
  const Parts& parts = *parts_;
  std::vector<std::vector<uint64_t>> sorted;
  std::vector<SymbolFrame> different;
  tsl::robin_map<SymbolFrame, uint32_t, FrameHash> numbers;
  for (const Parts::Module& module : parts.modules) {
    sorted.push_back(sorted_addresses(module.addresses));
    for (const uint64_t address : sorted.back()) {
      const auto piece = *module.addresses.find(address);
      for (uint32_t i = 0; i < piece.count; ++i) {
        const SymbolFrame& frame = parts.frames[piece.first + i];
        assert(frame.function < parts.texts.size() && frame.file < parts.texts.size());
        if (numbers.try_emplace(frame, static_cast<uint32_t>(different.size())).second) {
          different.push_back(frame);
        }
      }
    }
  }

  std::vector<uint32_t> used{0};
  std::vector<uint32_t> text_numbers(parts.texts.size(), 0);
  for (const SymbolFrame& frame : different) {
    for (const uint32_t text : {frame.function, frame.file}) {
      if (text == 0 || text_numbers[text] != 0) continue;
      text_numbers[text] = static_cast<uint32_t>(used.size());
      used.push_back(text);
    }
  }
  Writer to;
  to.number(kVersion);
  to.number(used.size() - 1);
  for (size_t i = 1; i < used.size(); ++i) to.text(parts.texts[used[i]]);
  to.number(different.size());
  for (const SymbolFrame& frame : different) {
    to.number(text_numbers[frame.function]);
    to.number(text_numbers[frame.file]);
    to.number(uint64_t{frame.line} << 1 | (frame.inlined ? 1 : 0));
  }

  to.number(parts.modules.size());
  for (size_t m = 0; m < parts.modules.size(); ++m) {
    const Parts::Module& module = parts.modules[m];
    to.text(module.path);
    to.text(module.build_id);
    to.text(module.remark);
    to.number(static_cast<uint64_t>(module.source));
    to.number(sorted[m].size());
    uint64_t last = 0;
    for (const uint64_t address : sorted[m]) {
      const Parts::Piece piece = *module.addresses.find(address);
      to.number(address - last);
      to.number(piece.count);
      for (uint32_t i = 0; i < piece.count; ++i) {
        to.number(numbers.at(parts.frames[piece.first + i]));
      }
      last = address;
    }
  }
  return to.take();
}

SymbolTable SymbolTable::decode(std::string_view bytes) {
  Reader from(bytes);
  if (from.number() != kVersion) {
    throw std::runtime_error("the symbols were stored by a newer heapledger; use that one");
  }
  SymbolTable table;
  Parts& parts = *table.parts_;
  const uint64_t texts = from.count();
  for (uint64_t i = 1; i <= texts; ++i) {
    if (parts.texts.intern(from.text()) != i) damaged();  // the same text twice
  }

  std::vector<SymbolFrame> different;
  for (uint64_t left = from.count(3); left > 0; --left) {
    SymbolFrame& frame = different.emplace_back();
    frame.function = from.below(texts + 1);
    frame.file = from.below(texts + 1);
    const uint64_t line = from.number();
    if (line >> 33 != 0) damaged();
    frame.line = static_cast<uint32_t>(line >> 1);
    frame.inlined = (line & 1) != 0;
  }

  const uint64_t modules = from.count();
  std::vector<SymbolFrame> frames;
  for (uint64_t m = 0; m < modules; ++m) {
    const std::string_view path = from.text();
    const std::string_view build_id = from.text();
    const std::string_view remark = from.text();
    if (table.module(path, build_id) != m) damaged();
    const uint32_t source = from.below(static_cast<uint64_t>(SymbolSource::kNothing) + 1);
    table.set_source(static_cast<uint32_t>(m), static_cast<SymbolSource>(source), remark);
    const uint64_t addresses = from.count(3);
    uint64_t address = 0;
    for (uint64_t a = 0; a < addresses; ++a) {
      const uint64_t distance = from.number();
      if (a != 0 && (distance == 0 || address + distance < address)) damaged();
      address += distance;
      frames.clear();
      const uint64_t count = from.count();
      if (count == 0) damaged();
      for (uint64_t left = count; left > 0; --left) {
        frames.push_back(different[from.below(different.size())]);
      }
      table.set(static_cast<uint32_t>(m), address, frames);
    }
  }
  if (from.left() != 0) damaged();
  return table;
}

}  // namespace heapledger
