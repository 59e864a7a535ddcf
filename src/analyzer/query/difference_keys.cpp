#include "analyzer/query/difference_keys.h"

namespace heapledger {
namespace {

constexpr size_t kMaxDepth = 4097;

std::string name_of_file(const std::string& path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

// So that no name can be mistaken for two.
void append(std::string& key, const std::string& text) {
  key += std::to_string(text.size()) + ":" + text;
}

}  // namespace

DifferenceKeys::DifferenceKeys(Ledgers& before, Ledgers& after, GroupBy by)
    : by_(by), same_(&before == &after) {
  sides_[0].ledgers = &before;
  sides_[1].ledgers = &after;
  for (Side& side : sides_) {
    const SiteCatalog& catalog = side.ledgers->sites();
    side.stacks.assign(catalog.size(), kUnknown);
    for (uint32_t i = 0; i < catalog.module_count(); ++i) {
      const SiteModule& module = catalog.module_at(i);
      side.build_ids[name_of_file(module.path)].insert(module.build_id);
    }
  }
}

bool DifferenceKeys::agree(const std::string& module) const {
  if (same_) return true;
  const std::string base = name_of_file(module);
  auto before = sides_[0].build_ids.find(base);
  auto after = sides_[1].build_ids.find(base);
  if (before == sides_[0].build_ids.end() || after == sides_[1].build_ids.end()) return false;
  return !before->second.contains("") && before->second == after->second;
}

// A mark, such as where a stack is cut, is called the same everywhere; code in no module is
// somewhere else in every process.
std::string DifferenceKeys::unnamed(size_t side, const std::string& name,
                                    const std::string& module) {
  bool is_mark = module.empty() && name.starts_with('[');
  if (same_ || is_mark || (!module.empty() && agree(module))) return name;
  const std::string base = name_of_file(module);
  bool in_both = sides_[0].build_ids.contains(base) && sides_[1].build_ids.contains(base);
  if (!module.empty() && in_both) unmatched_.insert(base);
  return name + (side == 0 ? "\nbefore" : "\nafter");
}

std::string DifferenceKeys::frame_text(size_t side, const NamedFrame& frame) {
  std::string text;
  if (frame.function.empty()) {
    append(text, unnamed(side, frame.name, frame.module));
  } else {
    append(text, frame.function);
    append(text, name_of_file(frame.file));
  }
  return text + ";";
}

uint32_t DifferenceKeys::text_key(const std::string& text) {
  auto [found, is_new] = texts_.try_emplace(text, next_);
  if (is_new) ++next_;
  return found->second;
}

// What is at one address, the innermost first: those inlined there, and the function itself.
const std::vector<uint32_t>& DifferenceKeys::place_keys(size_t number, uint32_t site) {
  Side& side = sides_[number];
  const SiteCatalog& catalog = side.ledgers->sites();
  Place place{catalog.address_of(site), catalog.module_of(site)};
  auto [found, is_new] = side.places.try_emplace(place);
  if (!is_new) return found->second;
  for (const NamedFrame& frame : side.ledgers->frames(site)) {
    found->second.push_back(text_key("frame " + frame_text(number, frame)));
    if (!frame.inlined) break;
  }
  return found->second;
}

// Callers are shared by many sites, so every frame of the tree is looked at once.
uint32_t DifferenceKeys::stack_key(size_t number, uint32_t site) {
  Side& side = sides_[number];
  const SiteCatalog& catalog = side.ledgers->sites();
  std::vector<uint32_t> open;
  uint32_t key = 0;
  for (uint32_t at = site; catalog.has_frame(at) && open.size() < kMaxDepth;) {
    if (side.stacks[at] != kUnknown) {
      key = side.stacks[at];
      break;
    }
    open.push_back(at);
    at = catalog.parent_of(at);
  }
  for (size_t i = open.size(); i-- > 0;) {
    const std::vector<uint32_t>& frames = place_keys(number, open[i]);
    // Frame by frame: whether one is inlined into the next may differ from build to build.
    for (size_t f = frames.size(); f-- > 0;) {
      auto [found, is_new] = stacks_.try_emplace({key, frames[f]}, next_);
      if (is_new) ++next_;
      key = found->second;
    }
    side.stacks[open[i]] = key;
  }
  return key;
}

uint32_t DifferenceKeys::key(size_t side, const Row& row) {
  switch (by_) {
    case GroupBy::kSite:
      return stack_key(side, row.site);
    case GroupBy::kFunction:
    case GroupBy::kLine:
      if (!row.function.empty() || !row.file.empty()) return text_key("name " + row.name);
      return text_key("code " + unnamed(side, row.name, row.module));
    case GroupBy::kThread:
      // Where a thread has no name, its number stands for it, and that means nothing later.
      if (row.name == "thread " + std::to_string(row.key)) return text_key("no name");
      return text_key("name " + row.name);
    default:
      return text_key("name " + row.name);
  }
}

std::string DifferenceKeys::weak_key(const Row& row) const {
  if (same_) return {};
  bool by_path = by_ == GroupBy::kFile || by_ == GroupBy::kModule ||
                 (by_ == GroupBy::kLine && !row.file.empty());
  return by_path ? name_of_file(row.name) : std::string();
}

}  // namespace heapledger
