#include "symbols/unit_resolver.h"

#include <dwarf.h>

#include <tsl/robin_map.h>

#include <algorithm>
#include <utility>

#include "symbols/demangle.h"

namespace heapledger {
namespace {

// libdw's memory for the units it has seen, against listing the units again.
constexpr uint64_t kBytesPerHandle = uint64_t{16} << 20;

const char* text_of(Dwarf_Die& entry, unsigned name) {
  Dwarf_Attribute attribute;
  return dwarf_formstring(dwarf_attr_integrate(&entry, name, &attribute));
}

bool number_of(Dwarf_Die& entry, unsigned name, uint64_t& value) {
  Dwarf_Attribute attribute;
  Dwarf_Word word = 0;
  if (dwarf_formudata(dwarf_attr(&entry, name, &attribute), &word) != 0) return false;
  value = word;
  return true;
}

// Whether DW_AT_name is all there is to a function's name in this language.
bool has_plain_names(Dwarf_Die& unit) {
  switch (dwarf_srclang(&unit)) {
    case DW_LANG_C89:
    case DW_LANG_C:
    case DW_LANG_C99:
    case DW_LANG_C11:
    case DW_LANG_Mips_Assembler:
      return true;
    default:
      return false;
  }
}

}  // namespace

UnitResolver::UnitResolver(DwarfFile& file, std::span<const uint64_t> addresses, SymbolName symbol)
    : file_(file), code_(file.file().code()), addresses_(addresses), symbol_(std::move(symbol)) {}

const UnitResolver::Described& UnitResolver::describe(Dwarf* dwarf, const FunctionNode& node,
                                                      bool plain_names, Described& memo) {
  if (memo.done) return memo;
  memo.done = true;
  Dwarf_Die entry;
  if (dwarf_offdie(dwarf, node.entry, &entry) == nullptr) return memo;
  memo.name = names_.name_of(entry, plain_names);
  if (node.inlined) {
    uint64_t line = 0;
    number_of(entry, DW_AT_call_file, memo.call_file);
    if (number_of(entry, DW_AT_call_line, line)) memo.call_line = static_cast<uint32_t>(line);
  }
  return memo;
}

// The symbol's name where the entry has none. It also tells one lambda from the next, which the
// entries do not.
uint32_t UnitResolver::name_by_symbol(uint32_t name, uint32_t index) {
  const bool lambda = texts_[name].find(kUnnamedClass) != std::string_view::npos;
  if (name != 0 && !lambda) return name;
  std::string symbol = symbol_(index);
  if (symbol.empty() || (lambda && !symbol.starts_with("_Z"))) return name;
  if (lambda) symbol.resize(std::min(symbol.find('.'), symbol.size()));  // ".cold"
  return texts_.intern(demangle(symbol.c_str()));
}

void UnitResolver::renew_when_due(const UnitPlace& place) {
  bytes_ += place.end - place.start;
  if (bytes_ < kBytesPerHandle) return;
  bytes_ = 0;
  names_.forget();
  file_.renew();
}

// With split debug information the functions are in a file of their own, the lines are not.
UnitResolver::View UnitResolver::view_of(const UnitPlace& place, Dwarf_Die& entry) {
  View view{file_.dwarf(), file_.sections(), place};
  Dwarf_Die full{};
  if (dwarf_cu_info(entry.cu, nullptr, nullptr, nullptr, &full, nullptr, nullptr, nullptr) != 0 ||
      full.addr == nullptr || full.cu == nullptr) {
    return view;
  }
  Dwarf* const other = dwarf_cu_getdwarf(full.cu);
  UnitPlace there;
  if (other == nullptr || !find_unit(other, dwarf_dieoffset(&full), there)) return view;
  return {other, sections_of(other), there};
}

// A unit while its addresses are named.
struct UnitResolver::Unit {
  Dwarf* dwarf;
  UnitFunctions functions;
  LineProgram program;
  bool plain_names;
  std::vector<Described> described{};
  tsl::robin_map<uint64_t, uint32_t> files{};
};

uint32_t UnitResolver::file_text(Unit& unit, uint64_t number) {
  const auto [entry, is_new] = unit.files.try_emplace(number, 0);
  if (is_new) entry.value() = texts_.intern(unit.program.file(number));
  return entry->second;
}

// From the innermost function outwards: each is in the line from which the one inside was called.
void UnitResolver::add_frames(Unit& unit, uint32_t node, const SourceLine& line) {
  SymbolFrame frame;
  frame.file = line.file == SourceLine::kNoFile ? 0 : file_text(unit, line.file);
  frame.line = line.line;
  for (; node != FunctionNode::kNone; node = unit.functions.nodes[node].parent) {
    const FunctionNode& function = unit.functions.nodes[node];
    const Described& is = describe(unit.dwarf, function, unit.plain_names, unit.described[node]);
    frame.function = is.name;
    frame.inlined = function.inlined;
    frames_.push_back(frame);
    if (!function.inlined) return;
    frame = {};
    if (is.call_file != UINT64_MAX) frame.file = file_text(unit, is.call_file);
    frame.line = is.call_line;
  }
  if (frames_.empty()) frames_.push_back(frame);
}

void UnitResolver::resolve(const UnitWork& work, const Sink& sink) {
  renew_when_due(work.place);
  Dwarf_Die entry;
  if (!file_ || dwarf_offdie(file_.dwarf(), work.place.first_entry, &entry) == nullptr) return;
  const View view = view_of(work.place, entry);
  std::vector<uint64_t> addresses;
  addresses.reserve(work.addresses.size());
  for (const uint32_t index : work.addresses) addresses.push_back(addresses_[index]);

  const char* const folder = text_of(entry, DW_AT_comp_dir);
  uint64_t program = UINT64_MAX;  // beyond any section: no lines
  number_of(entry, DW_AT_stmt_list, program);
  Unit unit{view.dwarf,
            find_functions(view.dwarf, view.sections, view.place, abbrevs_, addresses, code_),
            LineProgram(file_.sections(), program, folder != nullptr ? folder : ""),
            has_plain_names(entry)};
  unit.described.resize(unit.functions.nodes.size());
  const std::vector<SourceLine> lines = unit.program.lines(addresses, code_);
  for (size_t i = 0; i < addresses.size(); ++i) {
    const uint32_t node = unit.functions.at[i];
    if (node == FunctionNode::kNone && lines[i].file == SourceLine::kNoFile) continue;
    frames_.clear();
    add_frames(unit, node, lines[i]);
    SymbolFrame& outermost = frames_.back();
    outermost.inlined = false;
    outermost.function = name_by_symbol(outermost.function, work.addresses[i]);
    sink(work.addresses[i], frames_);
  }
}

}  // namespace heapledger
