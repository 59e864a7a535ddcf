// What addresses mean in the source: for every module and address the functions there, inlined ones
// first. Filled by resolve() (resolve.h) or from what a ledger has stored; asked by whoever names a
// frame. Texts are interned and kept as they come from the debug information, demangled; whoever
// shows them escapes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heapledger {

// One function at an address. An address inside inlined calls has several: the innermost first,
// the function that really is on the stack last. Functions and files are texts of the table; text 0
// is "".
struct SymbolFrame {
  uint32_t function = 0;
  uint32_t file = 0;
  uint32_t line = 0;     // 0: unknown
  bool inlined = false;  // into the next one
  friend bool operator==(const SymbolFrame&, const SymbolFrame&) = default;
};

// Where a module's symbols came from, the best first.
enum class SymbolSource : uint8_t { kDebugInfo, kSymbols, kNothing };

class SymbolTable {
 public:
  SymbolTable();
  ~SymbolTable();
  SymbolTable(SymbolTable&&) noexcept;
  SymbolTable& operator=(SymbolTable&&) noexcept;

  // The number of a text, the same for the same text.
  uint32_t intern(std::string_view text);
  std::string_view text(uint32_t number) const;

  // The number of a module, the same for the same path and build id.
  uint32_t module(std::string_view path, std::string_view build_id);
  std::optional<uint32_t> find_module(std::string_view path, std::string_view build_id) const;

  // What is at `address`: link-time, i.e. return address - 1 - load bias. Modules and texts must be
  // the table's own; else nothing is set.
  void set(uint32_t module, uint64_t address, std::span<const SymbolFrame> frames);
  std::span<const SymbolFrame> find(uint32_t module, uint64_t address) const;  // empty: unknown

  void set_source(uint32_t module, SymbolSource source, std::string_view remark);
  SymbolSource source(uint32_t module) const;
  std::string_view remark(uint32_t module) const;  // for people: "built differently from …"

  // What the table holds; modules are numbered from 0.
  uint32_t module_count() const;
  std::string_view module_path(uint32_t module) const;
  std::string_view module_build_id(uint32_t module) const;
  size_t address_count(uint32_t module) const;
  std::vector<uint64_t> addresses(uint32_t module) const;  // ascending

  // As bytes for the ledger, and back; decode throws std::runtime_error on bytes that make no
  // sense.
  std::string encode() const;
  static SymbolTable decode(std::string_view bytes);

 private:
  struct Parts;
  Parts* parts_;
};

}  // namespace heapledger
