#include "analyzer/site_catalog.h"

#include <random>

namespace heapledger {
namespace {

constexpr size_t kFirstSlots = 256;
constexpr size_t kMaxSiteFrames = 4097;  // the largest depth limit, and a mark

}  // namespace

uint64_t SiteCatalog::hash(uint64_t address, uint32_t parent, uint32_t module) const {
  constexpr uint64_t kPrime = 0x9E3779B97F4A7C15ull;
  uint64_t sum = (address ^ seed_) * kPrime;
  sum = (sum ^ (sum >> 29) ^ (uint64_t{parent} << 32 | module)) * kPrime;
  return sum ^ (sum >> 32);
}

SiteCatalog::SiteCatalog() : slots_(kFirstSlots) {
  std::random_device random;
  seed_ = uint64_t{random()} << 32 | random();
  modules_.emplace_back();                                 // kNoModule
  nodes_.push_back({0, 0, kRoot, kNoModule, kNoAccount});  // kRoot
}

uint32_t SiteCatalog::module(std::string_view path, std::string_view build_id) {
  std::string key(path);
  key.push_back('\0');
  key.append(build_id);
  auto [found, is_new] = module_ids_.try_emplace(key, static_cast<uint32_t>(modules_.size()));
  if (is_new) modules_.push_back({std::string(path), std::string(build_id)});
  return found->second;
}

uint32_t SiteCatalog::site(uint32_t parent, uint32_t module, uint64_t bias, uint64_t pc) {
  return find_or_add(parent, module, (module == kNoModule ? pc : pc - bias) & ~kNamed, pc);
}

uint32_t SiteCatalog::named_site(uint32_t parent, uint32_t module, const NamedCall& call) {
  std::string key = std::to_string(static_cast<uint32_t>(call.kind)) + ' ' +
                    std::to_string(call.line) + ' ' + call.file + '\0' + call.name;
  auto [found, is_new] = named_places_.try_emplace(std::move(key), named_.size());
  if (is_new) named_.push_back(call);
  return find_or_add(parent, module, found->second | kNamed, 0);
}

uint32_t SiteCatalog::find_or_add(uint32_t parent, uint32_t module, uint64_t address, uint64_t pc) {
  const auto next = static_cast<uint32_t>(nodes_.size());
  const uint32_t first = parent + 1;
  if (first == next) {
    nodes_.push_back({address, pc, parent, module, kNoAccount});
    return next;
  }
  auto fits = [&](uint32_t site) {
    const Node& node = nodes_[site];
    return node.address == address && node.parent == parent && node.module == module;
  };
  if (first != unknown_ && fits(first)) return first;
  const uint64_t mask = slots_.size() - 1;
  uint64_t at = hash(address, parent, module) & mask;
  for (; slots_[at] != 0; at = (at + 1) & mask) {
    if (fits(slots_[at])) return slots_[at];
  }
  slots_[at] = next;
  nodes_.push_back({address, pc, parent, module, kNoAccount});
  if (++listed_ > slots_.size() / 2) grow();
  return next;
}

void SiteCatalog::grow() {
  slots_.assign(slots_.size() * 2, 0);
  const uint64_t mask = slots_.size() - 1;
  for (uint32_t i = kRoot + 1; i < nodes_.size(); ++i) {
    if (i == unknown_ || nodes_[i].parent + 1 == i) continue;
    uint64_t at = hash(nodes_[i].address, nodes_[i].parent, nodes_[i].module) & mask;
    while (slots_[at] != 0) at = (at + 1) & mask;
    slots_[at] = i;
  }
}

uint32_t SiteCatalog::unknown_site() {
  if (unknown_ == kRoot) {
    unknown_ = static_cast<uint32_t>(nodes_.size());
    nodes_.push_back({0, 0, kRoot, kNoModule, kNoAccount});
  }
  return unknown_;
}

std::vector<SiteFrame> SiteCatalog::frames(uint32_t site) const {
  std::vector<SiteFrame> frames;
  while (site != kRoot && site != unknown_ && frames.size() < kMaxSiteFrames) {
    const Node& node = nodes_[site];
    bool has_module = node.module != kNoModule;
    bool has_offset = has_module && (node.address & kNamed) == 0;
    frames.push_back(
        {has_module ? &modules_[node.module] : nullptr, has_offset ? node.address : 0, node.pc});
    site = node.parent;
  }
  return frames;
}

}  // namespace heapledger
