// All sites of all ledgers under analysis, as a tree of frames. The same call site in two processes
// is one site here: a frame is known by its module (path and build id) and its address in
// the module's file, not by where the module was loaded. Every site has at most one account.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heapledger {

struct SiteModule {
  std::string path;
  std::string build_id;
};

// One call on the way to an allocation.
struct SiteFrame {
  const SiteModule* module;  // nullptr: in no known module
  uint64_t offset;           // address in the module's file; 0 without a module
  uint64_t pc;               // where it was in the first process that had it
};

class SiteCatalog {
 public:
  static constexpr uint32_t kRoot = 0;  // the parent of outermost frames
  static constexpr uint32_t kNoModule = 0;
  static constexpr uint32_t kNoAccount = UINT32_MAX;

  SiteCatalog();

  uint32_t module(std::string_view path, std::string_view build_id);

  // The site one call further in than `parent`. `bias` is what the module was moved by.
  uint32_t site(uint32_t parent, uint32_t module, uint64_t bias, uint64_t pc);

  // Where sites go that no ledger describes.
  uint32_t unknown_site();

  uint32_t account_of(uint32_t site) const { return nodes_[site].account; }
  void set_account(uint32_t site, uint32_t account) { nodes_[site].account = account; }
  uint32_t size() const { return static_cast<uint32_t>(nodes_.size()); }

  // From the innermost frame outwards; empty for the unknown site. Absurdly deep ones are cut.
  std::vector<SiteFrame> frames(uint32_t site) const;

 private:
  struct Node {
    uint64_t address;  // offset in the module, or the pc without one
    uint64_t pc;
    uint32_t parent;
    uint32_t module;
    uint32_t account;
  };
  struct Key {
    uint64_t address;
    uint32_t parent;
    uint32_t module;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    uint64_t seed;
    size_t operator()(const Key& key) const;
  };

  std::deque<SiteModule> modules_;
  std::unordered_map<std::string, uint32_t> module_ids_;
  std::vector<Node> nodes_;
  std::unordered_map<Key, uint32_t, KeyHash> node_ids_;
  uint32_t unknown_ = kRoot;
};

}  // namespace heapledger
