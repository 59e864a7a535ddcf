#include "cores/elf_symbol.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "cores/memory.h"
#include "elf/reader.h"

namespace heapledger::cores {
namespace {

constexpr uint32_t kSectionSymbols = 2;
constexpr uint32_t kSectionDynamicSymbols = 11;
constexpr uint64_t kMostSections = 65536;
constexpr size_t kSymbolsAtOnce = 1024;

struct Section {
  uint32_t type;
  uint64_t offset;
  uint64_t bytes;
  uint32_t link;
};

class SymbolFinder {
 public:
  SymbolFinder(ByteWindows& file, const Shape& shape, std::string_view name)
      : file_(file), shape_(shape), name_(name), wide_(shape.word_bytes == 8) {}

  std::optional<uint64_t> find() {
    std::vector<unsigned char> header(64);
    header.resize(file_.read(0, header));
    elf::ElfFields fields(header, shape_);
    sections_at_ = fields.word(wide_ ? 40 : 32);
    section_bytes_ = fields.half(wide_ ? 58 : 46);
    uint64_t count = std::min<uint64_t>(fields.half(wide_ ? 60 : 48), kMostSections);
    for (uint64_t i = 0; i < count; ++i) {
      std::optional<Section> table = section(i);
      if (!table) return std::nullopt;
      if (table->type != kSectionSymbols && table->type != kSectionDynamicSymbols) continue;
      std::optional<Section> names = section(table->link);
      if (!names) continue;
      if (std::optional<uint64_t> value = find_in(*table, *names)) return value;
    }
    return std::nullopt;
  }

 private:
  std::optional<Section> section(uint64_t number) {
    std::vector<unsigned char> bytes(wide_ ? 64 : 40);
    uint64_t at = sections_at_ + number * section_bytes_;
    if (section_bytes_ < bytes.size() || at < sections_at_) return std::nullopt;
    if (file_.read(at, bytes) != bytes.size()) return std::nullopt;
    elf::ElfFields fields(bytes, shape_);
    return Section{fields.whole(4), fields.word(wide_ ? 24 : 16), fields.word(wide_ ? 32 : 20),
                   fields.whole(wide_ ? 40 : 24)};
  }

  std::optional<uint64_t> find_in(const Section& table, const Section& names) {
    const size_t each = wide_ ? 24 : 16;
    std::vector<unsigned char> buffer(each * kSymbolsAtOnce);
    uint64_t end =
        std::min(file_.size(),
                 table.bytes > UINT64_MAX - table.offset ? UINT64_MAX : table.offset + table.bytes);
    for (uint64_t at = table.offset; at < end;) {
      auto wanted = static_cast<size_t>(std::min<uint64_t>(buffer.size(), end - at));
      size_t got = file_.read(at, std::span(buffer).first(wanted));
      for (size_t i = 0; i + each <= got; i += each) {
        elf::ElfFields symbol{std::span(buffer).subspan(i, each), shape_};
        bool defined = symbol.half(wide_ ? 6 : 14) != 0;
        if (defined && is_named(names, symbol.whole(0))) return symbol.word(wide_ ? 8 : 4);
      }
      if (got < wanted || got < each) break;
      at += got;
    }
    return std::nullopt;
  }

  bool is_named(const Section& names, uint32_t offset) {
    if (offset >= names.bytes || names.offset > UINT64_MAX - offset) return false;
    std::string text(name_.size() + 1, '\xff');
    std::span<unsigned char> bytes(reinterpret_cast<unsigned char*>(text.data()), text.size());
    return file_.read(names.offset + offset, bytes) == bytes.size() && text.back() == '\0' &&
           std::string_view(text).substr(0, name_.size()) == name_;
  }

  ByteWindows& file_;
  const Shape& shape_;
  std::string_view name_;
  bool wide_;
  uint64_t sections_at_ = 0;
  uint64_t section_bytes_ = 0;
};

}  // namespace

std::optional<uint64_t> find_elf_symbol(ByteWindows& file, const Shape& shape,
                                        std::string_view name) {
  return SymbolFinder(file, shape, name).find();
}

}  // namespace heapledger::cores
