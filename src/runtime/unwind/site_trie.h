// Sites as a trie: a node is (parent node, return address), its id is what entries refer to.
//
// Nodes are born in runs: the frames of a new stack that are further in than any known one have ids
// that follow one another. So a node whose parent has the id before its own is found by looking
// there, in memory that is read in order; the others, where runs begin, hang from that first child
// in a list, and are in a hash table. Behind every node there is another one in the same block.
//
// Shared by all threads without a lock: a node is filled in before the one atomic store that
// publishes it, and never changes again, except that forget_range makes the nodes of unloaded code
// unfindable. The table doubles when it is half full; each newborn run takes some older nodes
// along into the new one, so no insertion does more than bounded work.
// Ids are stable for the life of the process. Two threads that meet at the moment of a change
// may give one node two ids; readers of the ledger take them for one.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/ledger/live_image.h"

namespace heapledger::runtime {

inline constexpr uint32_t kNoSite = 0;

// As format::LiveNode, because live mode lets readers have the nodes as they are.
struct SiteNode {
  std::atomic<uint64_t> pc;  // 0: not published; with the top bit set: forgotten
  uint32_t parent;
  // Of a node behind its parent, and of those that are reached from there: another child of the
  // same parent, or 0. In live mode the module, which its readers ask for; the other child is in
  // site_siblings.
  std::atomic<uint32_t> next;
};

// Blocks of nodes are mapped as they are needed, pages of them as they are touched. The last one is
// never there.
inline constexpr uint32_t kNodesPerBlock = 1u << 18;
inline constexpr uint32_t kNodeBlocks = 128;
extern std::atomic<SiteNode*> site_blocks[kNodeBlocks + 1];
extern std::atomic<std::atomic<uint32_t>*> site_siblings[kNodeBlocks + 1];

// Another child of the parent of `node`, whose id is `id`; kNoSite: none is reached from there.
inline uint32_t next_sibling(uint32_t id, const SiteNode& node) {
  if (__builtin_expect(!live_tables_wanted(), 1)) return node.next.load(std::memory_order_acquire);
  const auto* block = site_siblings[id / kNodesPerBlock].load(std::memory_order_acquire);
  return block == nullptr ? kNoSite : block[id % kNodesPerBlock].load(std::memory_order_acquire);
}

// Never published: what stands for nodes that are not there.
extern const SiteNode no_nodes[2] __attribute__((visibility("hidden")));

// The node of an id, published or not, and one more behind it.
inline const SiteNode* site_node(uint32_t id) {
  const SiteNode* block = site_blocks[id / kNodesPerBlock].load(std::memory_order_acquire);
  return __builtin_expect(block != nullptr, 1) ? block + id % kNodesPerBlock : no_nodes;
}

// Whether a node is (parent, pc).
inline bool is_site(const SiteNode& node, uint32_t parent, uint64_t pc) {
  // The parent was stored before the pc was.
  return node.pc.load(std::memory_order_acquire) == pc && node.parent == parent;
}

// So many children of a node are found without a table, beside the one behind it.
inline constexpr unsigned kMostSiblings = 2;

// The id of (parent, pc) if it is one of a few that are reached from `behind`, the node behind its
// parent; else kNoSite. Siblings are mostly born in the order in which they are met again, so that
// they lie close to one another; places in a table never do.
inline uint32_t find_sibling(const SiteNode& behind, uint32_t parent, uint64_t pc) {
  const SiteNode* node = &behind;
  uint32_t id = parent + 1;
  for (unsigned step = 0; step < kMostSiblings; ++step) {
    if (node->pc.load(std::memory_order_acquire) == 0 || node->parent != parent) return kNoSite;
    id = next_sibling(id, *node);
    if (id == kNoSite) return kNoSite;
    node = site_node(id);
    if (is_site(*node, parent, pc)) return id;
  }
  return kNoSite;
}

// The id of (parent, pc) if it is the one behind its parent's, or one of a few that are reached
// from there; else kNoSite.
inline uint32_t find_site_near(uint32_t parent, uint64_t pc) {
  const SiteNode& behind = site_node(parent)[1];
  return is_site(behind, parent, pc) ? parent + 1 : find_sibling(behind, parent, pc);
}

// The id of (parent, pc), or kNoSite if there is none yet.
uint32_t find_site(uint32_t parent, uint64_t pc);

// Ids for a run of `count` nodes that are about to be born: this and those behind it, all in one
// block, of which the last node is never anybody's; kNoSite when no more can be had. The caller
// writes the run to the ledger, fills in all nodes but the first, and publishes the run.
uint32_t reserve_sites(uint32_t count);
void fill_site(uint32_t id, uint32_t parent, uint64_t pc, uint32_t module);

// Publishes the run whose first node this is; returns the id to use for that one, another thread's
// if it was first.
uint32_t publish_sites(uint32_t id, uint32_t count, uint32_t parent, uint64_t pc, uint32_t module);

// The return address of a node that has been published, or a mark (format/entry.h); and the node
// that it hangs from.
uint64_t site_pc(uint32_t id);
uint32_t site_parent(uint32_t id);

// Code in [start, end) has been unloaded: what is found there from now on is new.
void forget_range(uint64_t start, uint64_t end);

// After a fork: an empty trie.
void forget_sites();

}  // namespace heapledger::runtime
