// All sites of all ledgers under analysis, as a tree of frames. The same call site in two processes
// is one site here: a frame is known by its module (path and build id) and its address in
// the module's file, not by where the module was loaded. Every site has at most one account in each
// heap.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "format/entry.h"

namespace heapledger {

struct SiteModule {
  std::string path;
  std::string build_id;
};

// A call that has a name and no address: a line of a script, or what another tool has recorded.
struct NamedCall {
  format::FrameKind kind = format::FrameKind::kNamed;
  std::string name;
  std::string file;
  uint32_t line = 0;
};

// One call on the way to an allocation.
struct SiteFrame {
  const SiteModule* module;  // nullptr: in no known module
  uint64_t offset;           // address in the module's file; 0 without a module or an address
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

  // The same for a call without an address.
  uint32_t named_site(uint32_t parent, uint32_t module, const NamedCall& call);

  // Where sites go that no ledger describes.
  uint32_t unknown_site();

  // Accounts are numbered from 0 on, whichever pass meets them first.
  uint32_t new_account() { return accounts_++; }
  uint32_t accounts() const { return accounts_; }
  uint32_t account_of(uint32_t site) const { return nodes_[site].account; }
  void set_account(uint32_t site, uint32_t account) { nodes_[site].account = account; }

  // The same in another heap than malloc's; kNoAccount at first.
  uint32_t& account_in(uint32_t heap, uint32_t site) {
    return other_accounts_.try_emplace(uint64_t{heap} << 32 | site, kNoAccount).first->second;
  }
  // By heap (upper half) and site.
  const std::unordered_map<uint64_t, uint32_t>& other_accounts() const { return other_accounts_; }
  uint32_t size() const { return static_cast<uint32_t>(nodes_.size()); }

  // One frame of the tree, for those who walk it themselves.
  uint32_t parent_of(uint32_t site) const { return nodes_[site].parent; }
  uint32_t module_of(uint32_t site) const { return nodes_[site].module; }
  // Or its pc, or for a call that has none a number of its own.
  uint64_t address_of(uint32_t site) const { return nodes_[site].address; }
  // nullptr: it has an address.
  const NamedCall* named_call_of(uint32_t site) const {
    uint64_t address = nodes_[site].address;
    return (address & kNamed) == 0 ? nullptr : &named_[address & ~kNamed];
  }
  uint64_t pc_of(uint32_t site) const { return nodes_[site].pc; }
  bool has_frame(uint32_t site) const { return site != kRoot && site != unknown_; }

  // By the numbers that module_of() gives; kNoModule is the first.
  uint32_t module_count() const { return static_cast<uint32_t>(modules_.size()); }
  const SiteModule& module_at(uint32_t module) const { return modules_[module]; }

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
  // In an address: it is none, but a place in `named_`. No file is that large.
  static constexpr uint64_t kNamed = uint64_t{1} << 63;

  uint32_t find_or_add(uint32_t parent, uint32_t module, uint64_t address, uint64_t pc);
  uint64_t hash(uint64_t address, uint32_t parent, uint32_t module) const;
  void grow();

  std::deque<SiteModule> modules_;
  std::unordered_map<std::string, uint32_t> module_ids_;
  std::deque<NamedCall> named_;
  std::unordered_map<std::string, uint64_t> named_places_;
  std::vector<Node> nodes_;
  std::unordered_map<uint64_t, uint32_t> other_accounts_;
  // Sites come in runs, each one call further in than the one before. A site that follows its
  // parent is found beside it; the others are in an open-addressing table. 0: none
  std::vector<uint32_t> slots_;
  size_t listed_ = 0;  // sites in it
  uint64_t seed_;      // so that no file can be made to collide
  uint32_t unknown_ = kRoot;
  uint32_t accounts_ = 0;
};

}  // namespace heapledger
