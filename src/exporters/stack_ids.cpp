#include "exporters/stack_ids.h"

#include <algorithm>
#include <cstring>

namespace heapledger {
namespace {

// The finalizer of splitmix64: every bit of the result depends on every bit of the number.
uint64_t scramble(uint64_t number) {
  number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9u;
  number = (number ^ number >> 27) * 0x94D049BB133111EBu;
  return number ^ number >> 31;
}

enum Kind : uint64_t { kAddress = 1, kNamed = 2, kUnknown = 3 };

// What a module is known by in another process: its build id, or without one its file's name.
std::string_view name_of(const SiteModule& module) {
  if (!module.build_id.empty()) return module.build_id;
  const std::string_view path = module.path;
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

void StackHash::add(uint64_t word) {
  a_ = scramble(a_ + word + 0x9E3779B97F4A7C15u);
  b_ = scramble((b_ ^ word) * 0xD6E8FEB86659FD93u + a_);
}

void StackHash::add(std::string_view text) {
  add(uint64_t{text.size()});
  for (size_t at = 0; at < text.size(); at += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, text.data() + at, std::min(sizeof word, text.size() - at));
    add(word);
  }
}

std::string StackHash::bytes() const {
  std::string all(2 * sizeof(uint64_t), '\0');
  std::memcpy(all.data(), &a_, sizeof a_);
  std::memcpy(all.data() + sizeof a_, &b_, sizeof b_);
  return all;
}

// Parents come before their children.
std::vector<StackHash> stack_hashes(const SiteCatalog& catalog) {
  std::vector<uint64_t> modules;
  for (uint32_t i = 0; i < catalog.module_count(); ++i) {
    StackHash hash;
    if (i != SiteCatalog::kNoModule) hash.add(name_of(catalog.module_at(i)));
    modules.push_back(hash.first());
  }
  std::vector<StackHash> all(catalog.size());
  for (uint32_t site = 1; site < catalog.size(); ++site) {
    StackHash& hash = all[site];
    if (!catalog.has_frame(site)) {
      hash.add(uint64_t{kUnknown});
      continue;
    }
    hash = all[catalog.parent_of(site)];
    const NamedCall* const named = catalog.named_call_of(site);
    hash.add(uint64_t{named == nullptr ? kAddress : kNamed});
    hash.add(modules[catalog.module_of(site)]);
    if (named == nullptr) {
      hash.add(catalog.address_of(site));
    } else {
      hash.add(named->name);
      hash.add(named->file);
      hash.add(uint64_t{named->line});
    }
  }
  return all;
}

}  // namespace heapledger
