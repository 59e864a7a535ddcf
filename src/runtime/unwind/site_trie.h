// Sites as a trie: a node is (parent node, return address), its id is what entries refer to.
//
// Nodes are born in runs: the frames of a new stack that are further in than any known one have ids
// that follow one another. So a node whose parent has the id before its own is found by looking
// there, in memory that is read in order; the others, where runs begin, hang from that first child
// in a list, and are in a hash table.
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

namespace heapledger::runtime {

inline constexpr uint32_t kNoSite = 0;

// As format::LiveNode, because live mode lets readers have the nodes as they are.
struct SiteNode {
  std::atomic<uint64_t> pc;  // 0: not published; with the top bit set: forgotten
  uint32_t parent;
  // Of a node behind its parent, and of those that are reached from there: another child of the
  // same parent, or 0. In live mode the module, which only its readers ask for.
  std::atomic<uint32_t> next;
};

// Blocks of nodes are mapped as they are needed, pages of them as they are touched. The last one is
// never there.
inline constexpr uint32_t kNodesPerBlock = 1u << 18;
inline constexpr uint32_t kNodeBlocks = 128;
extern std::atomic<SiteNode*> site_blocks[kNodeBlocks + 1];

// The id of (parent, pc) if it is the one behind its parent's, or one of a few that are reached
// from there; else kNoSite. Siblings are mostly born in the order in which they are met again, so
// that they lie close to one another; places in a table never do.
inline uint32_t find_site_near(uint32_t parent, uint64_t pc) {
  constexpr unsigned kMostSteps = 3;
  uint32_t id = parent + 1;
  for (unsigned step = 0; step < kMostSteps; ++step) {
    const SiteNode* block = site_blocks[id / kNodesPerBlock].load(std::memory_order_acquire);
    if (__builtin_expect(block == nullptr, 0)) return kNoSite;
    const SiteNode& node = block[id % kNodesPerBlock];
    const uint64_t its_pc = node.pc.load(std::memory_order_acquire);
    // The parent was stored before the pc was.
    if (its_pc == 0 || node.parent != parent) return kNoSite;
    if (its_pc == pc) return id;
    id = node.next.load(std::memory_order_acquire);
    if (id == kNoSite) return kNoSite;
  }
  return kNoSite;
}

// The id of (parent, pc), or kNoSite if there is none yet.
uint32_t find_site(uint32_t parent, uint64_t pc);

// Ids for a run of `count` nodes that are about to be born: this and those behind it; kNoSite when
// no more can be had. The caller writes the run to the ledger, fills in all nodes but the first,
// and publishes the run.
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
