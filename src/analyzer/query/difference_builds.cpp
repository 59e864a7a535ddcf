#include "analyzer/query/difference_builds.h"

#include "analyzer/query/wrappers.h"

namespace heapledger {

std::string base_name_of(const std::string& path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string plain_function(const std::string& function) {
  std::string_view name = qualified_name(function);
  for (const char* copy : {".part.", ".constprop.", ".isra.", ".cold", ".lto_priv.", " [clone"}) {
    name = name.substr(0, name.find(copy));
  }
  return std::string(name);
}

DifferenceBuilds::DifferenceBuilds(Ledgers& before, Ledgers& after) : same_(&before == &after) {
  for (size_t side : {0u, 1u}) {
    const SiteCatalog& catalog = (side == 0 ? before : after).sites();
    for (uint32_t i = 0; i < catalog.module_count(); ++i) {
      const SiteModule& module = catalog.module_at(i);
      sides_[side][base_name_of(module.path)].insert(module.build_id);
    }
  }
}

bool DifferenceBuilds::agree(const std::string& module) const {
  if (same_) return true;
  const std::string base = base_name_of(module);
  auto before = sides_[0].find(base);
  auto after = sides_[1].find(base);
  if (before == sides_[0].end() || after == sides_[1].end()) return false;
  return !before->second.contains("") && before->second == after->second;
}

// A mark, such as where a stack is cut, is called the same everywhere; code in no module is
// somewhere else in every process.
std::string DifferenceBuilds::unnamed(size_t side, const std::string& name,
                                      const std::string& module) {
  bool is_mark = module.empty() && name.starts_with('[');
  if (same_ || is_mark || (!module.empty() && agree(module))) return name;
  const std::string base = base_name_of(module);
  bool in_both = sides_[0].contains(base) && sides_[1].contains(base);
  if (!module.empty() && in_both) unmatched_.insert(base);
  return name + (side == 0 ? "\nbefore" : "\nafter");
}

}  // namespace heapledger
