#include "analyzer/naming.h"

#include <algorithm>
#include <exception>
#include <set>
#include <utility>

#include "analyzer/error.h"
#include "analyzer/ledger_facts.h"
#include "analyzer/ledger_file.h"
#include "analyzer/site_catalog.h"
#include "symbols/copy_names.h"

namespace heapledger {
namespace {

// Knows most of what it was shown before: calls are on many stacks.
class SeenBefore {
 public:
  bool operator()(uint32_t module, uint64_t address) {
    constexpr uint64_t kGoldenRatio = 0x9E3779B97F4A7C15ull;
    Place& place = places_[((address ^ module) * kGoldenRatio) >> (64 - kBits)];
    if (place.module == module && place.address == address) return true;
    place = {address, module};
    return false;
  }

 private:
  static constexpr unsigned kBits = 14;
  struct Place {
    uint64_t address = 0;
    uint32_t module = SiteCatalog::kNoModule;
  };
  std::vector<Place> places_ = std::vector<Place>(size_t{1} << kBits);
};

// Link-time addresses of calls, by the catalog's modules.
std::vector<ModuleAddresses> addresses_of(const SiteCatalog& sites) {
  std::vector<ModuleAddresses> modules(sites.module_count());
  for (uint32_t module = 0; module < sites.module_count(); ++module) {
    modules[module].path = sites.module_at(module).path;
    modules[module].build_id = sites.module_at(module).build_id;
  }
  SeenBefore seen;
  for (uint32_t site = 0; site < sites.size(); ++site) {
    if (!sites.has_frame(site) || sites.module_of(site) == SiteCatalog::kNoModule) continue;
    if (sites.named_call_of(site) != nullptr) continue;
    const uint32_t module = sites.module_of(site);
    const uint64_t address = sites.address_of(site) - 1;
    if (!seen(module, address)) modules[module].addresses.push_back(address);
  }
  for (ModuleAddresses& module : modules) {
    std::sort(module.addresses.begin(), module.addresses.end());
    auto end = std::unique(module.addresses.begin(), module.addresses.end());
    module.addresses.erase(end, module.addresses.end());
  }
  return modules;
}

SymbolSource source_in(const SymbolTable& table, const ModuleAddresses& module) {
  std::optional<uint32_t> known = table.find_module(module.path, module.build_id);
  return known ? table.source(*known) : SymbolSource::kNothing;
}

}  // namespace

std::vector<SymbolTable> stored_symbols(const std::vector<std::string>& paths) {
  std::vector<SymbolTable> tables;
  for (const std::string& path : paths) {
    try {
      std::optional<std::string> bytes = LedgerFile(open_file(path)).stored_symbols();
      if (bytes) tables.push_back(SymbolTable::decode(*bytes));
    } catch (const std::exception&) {
      // Whoever reads the ledger itself says what is wrong with it.
    }
  }
  return tables;
}

SymbolTable name_sites(const SiteCatalog& sites, const std::vector<SymbolTable>& stored,
                       const ResolveOptions& options) {
  SymbolTable table;
  std::vector<ModuleAddresses> modules = addresses_of(sites);
  for (ModuleAddresses& module : modules) {
    for (const SymbolTable& from : stored) copy_names(from, module, table);
  }
  std::erase_if(modules, [](const ModuleAddresses& module) { return module.addresses.empty(); });
  resolve(modules, options, table);
  return table;
}

SymbolTable refresh_names(const SiteCatalog& sites, const std::vector<SymbolTable>& stored,
                          const ResolveOptions& options) {
  const SymbolTable fresh = name_sites(sites, {}, options);
  SymbolTable table;
  for (ModuleAddresses& module : addresses_of(sites)) {
    const SymbolTable* best = &fresh;
    for (const SymbolTable& old : stored) {
      if (source_in(old, module) < source_in(*best, module)) best = &old;
    }
    copy_names(*best, module, table);
    copy_names(fresh, module, table);  // what the other did not have
  }
  return table;
}

SymbolShares::SymbolShares(const SiteCatalog& sites, const SymbolTable& names)
    : names_(names), addresses_(addresses_of(sites)) {}

std::string SymbolShares::encode_for(const std::vector<ModuleFacts>& modules) const {
  std::set<std::pair<std::string_view, std::string_view>> wanted;
  for (const ModuleFacts& module : modules) wanted.emplace(module.path, module.build_id);
  SymbolTable share;
  for (const ModuleAddresses& module : addresses_) {
    if (wanted.count({module.path, module.build_id}) == 0) continue;
    ModuleAddresses rest = module;
    copy_names(names_, rest, share);
  }
  return share.encode();
}

}  // namespace heapledger
