#include "analyzer/site_catalog.h"

#include <random>

namespace heapledger {
namespace {

constexpr size_t kMaxFrames = 4097;  // the largest depth limit, and a mark

}  // namespace

size_t SiteCatalog::KeyHash::operator()(const Key& key) const {
  constexpr uint64_t kPrime = 0x9E3779B97F4A7C15ull;
  uint64_t sum = (key.address ^ seed) * kPrime;
  sum = (sum ^ (sum >> 29) ^ (uint64_t{key.parent} << 32 | key.module)) * kPrime;
  return static_cast<size_t>(sum ^ (sum >> 32));
}

SiteCatalog::SiteCatalog() : node_ids_(0, KeyHash{std::random_device{}()}) {
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
  uint64_t address = module == kNoModule ? pc : pc - bias;
  auto next = static_cast<uint32_t>(nodes_.size());
  auto [found, is_new] = node_ids_.try_emplace(Key{address, parent, module}, next);
  if (is_new) nodes_.push_back({address, pc, parent, module, kNoAccount});
  return found->second;
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
  while (site != kRoot && site != unknown_ && frames.size() < kMaxFrames) {
    const Node& node = nodes_[site];
    bool has_module = node.module != kNoModule;
    frames.push_back(
        {has_module ? &modules_[node.module] : nullptr, has_module ? node.address : 0, node.pc});
    site = node.parent;
  }
  return frames;
}

}  // namespace heapledger
