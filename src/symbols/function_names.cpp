#include "symbols/function_names.h"

#include <dwarf.h>

#include <algorithm>

#include "symbols/demangle.h"
#include "symbols/dwarf_sections.h"
#include "symbols/unit_index.h"

namespace heapledger {
namespace {

// Names of local classes hold the names of the functions that they are in, and so on.
constexpr int kMostNesting = 16;
constexpr size_t kMostCharacters = size_t{1} << 16;

// At most this many units' scopes are kept; each is some megabytes for the largest.
constexpr size_t kMostUnits = 16;

const char* own_text(Dwarf_Die& entry, unsigned name) {
  Dwarf_Attribute attribute;
  return dwarf_formstring(dwarf_attr_integrate(&entry, name, &attribute));
}

const char* mangled_name(Dwarf_Die& entry) {
  const char* const name = own_text(entry, DW_AT_linkage_name);
  return name != nullptr ? name : own_text(entry, DW_AT_MIPS_linkage_name);
}

// The entry where the name was declared first.
Dwarf_Die declaration_of(Dwarf_Die entry) {
  for (int i = 0; i < kMostNesting; ++i) {
    Dwarf_Attribute attribute;
    Dwarf_Die next;
    if (dwarf_attr(&entry, DW_AT_abstract_origin, &attribute) == nullptr &&
        dwarf_attr(&entry, DW_AT_specification, &attribute) == nullptr) {
      break;
    }
    if (dwarf_formref_die(&attribute, &next) == nullptr) break;
    entry = next;
  }
  return entry;
}

}  // namespace

void FunctionNames::forget() {
  mangled_.clear();
  files_.clear();
}

uint32_t FunctionNames::name_of(Dwarf_Die entry, bool plain) {
  const char* name = mangled_name(entry);
  if (name == nullptr && plain) name = own_text(entry, DW_AT_name);
  if (name != nullptr) {
    const auto [known, is_new] = mangled_.try_emplace(name, 0);
    if (is_new) known.value() = texts_.intern(demangle(name));
    return known->second;
  }
  Dwarf_Die declared = declaration_of(entry);
  File& file = file_of(dwarf_cu_getdwarf(declared.cu));
  const auto [known, is_new] = file.names.try_emplace(dwarf_dieoffset(&declared), 0);
  if (!is_new) return known->second;
  const uint32_t number = texts_.intern(whole_name(declared, 0));
  file.names[dwarf_dieoffset(&declared)] = number;
  return number;
}

FunctionNames::File& FunctionNames::file_of(Dwarf* dwarf) {
  const auto [found, is_new] = files_.try_emplace(dwarf);
  if (is_new) found->second.units = all_units(dwarf);
  return found->second;
}

const UnitScopes* FunctionNames::scopes_of(Dwarf_Die& entry, File& file) {
  const uint64_t offset = dwarf_dieoffset(&entry);
  const auto after =
      std::upper_bound(file.units.begin(), file.units.end(), offset,
                       [](uint64_t wanted, const UnitPlace& unit) { return wanted < unit.start; });
  if (after == file.units.begin()) return nullptr;
  const UnitPlace& unit = *std::prev(after);
  if (const auto known = file.scopes.find(unit.start); known != file.scopes.end()) {
    return &known->second;
  }
  if (file.scopes.size() >= kMostUnits) file.scopes.clear();
  const DwarfSections sections = sections_of(dwarf_cu_getdwarf(entry.cu));
  Abbrevs abbrevs;
  abbrevs.load(sections.abbrev, unit);
  return &file.scopes.try_emplace(unit.start, sections.info, unit, abbrevs).first->second;
}

// The name of a declaration with all that is around it; "" for one that has no name.
std::string FunctionNames::whole_name(Dwarf_Die entry, int depth) {
  const char* const own = dwarf_diename(&entry);
  if (own == nullptr || *own == '\0') return {};
  std::vector<uint64_t> around;  // the innermost first
  {
    File& file = file_of(dwarf_cu_getdwarf(entry.cu));
    const UnitScopes* const scopes = scopes_of(entry, file);
    const UnitScopes::Scope* scope =
        scopes != nullptr ? scopes->find(dwarf_dieoffset(&entry)) : nullptr;
    while (scope != nullptr && (scope = scopes->parent(*scope)) != nullptr) {
      around.push_back(scope->entry);
    }
  }
  std::string name(own);
  for (const uint64_t offset : around) {
    Dwarf_Die scope;
    if (dwarf_offdie(dwarf_cu_getdwarf(entry.cu), offset, &scope) == nullptr) break;
    const int tag = dwarf_tag(&scope);
    name.insert(0, scope_name(scope, depth).append("::"));
    if (name.size() > kMostCharacters) return own;
    // A function's or a redeclared class's name is whole already.
    Dwarf_Attribute attribute;
    if (tag == DW_TAG_subprogram ||
        dwarf_attr(&scope, DW_AT_specification, &attribute) != nullptr) {
      break;
    }
  }
  return name;
}

std::string FunctionNames::scope_name(Dwarf_Die entry, int depth) {
  const int tag = dwarf_tag(&entry);
  Dwarf_Attribute attribute;
  const bool redeclared = dwarf_attr(&entry, DW_AT_specification, &attribute) != nullptr;
  if (tag == DW_TAG_subprogram || redeclared) {
    if (tag == DW_TAG_subprogram) {
      if (const char* const mangled = mangled_name(entry)) return demangle(mangled);
    }
    if (depth < kMostNesting) {
      std::string whole = whole_name(declaration_of(entry), depth + 1);
      if (!whole.empty()) return whole;
    }
  }
  const char* const name = dwarf_diename(&entry);
  if (name != nullptr && *name != '\0') return name;
  return tag == DW_TAG_namespace ? "(anonymous namespace)" : std::string(kUnnamedClass);
}

}  // namespace heapledger
