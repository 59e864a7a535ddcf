// Sites as a trie: a node is (parent node, return address), its id is what entries refer to.
//
// Shared by all threads without a lock: a node is filled in before the one atomic store that
// publishes it, and never changes again, except that forget_range makes the nodes of unloaded code
// unfindable. Nodes are found by a hash table that doubles when it is half full; each newborn node
// takes a few older ones along into the new table, so no insertion does more than bounded work.
// Ids are stable for the life of the process. Two threads that meet at the moment of a change
// may give one node two ids; readers of the ledger take them for one.
#pragma once

#include <cstdint>

namespace heapledger::runtime {

inline constexpr uint32_t kNoSite = 0;

// The id of (parent, pc), or kNoSite if there is none yet.
uint32_t find_site(uint32_t parent, uint64_t pc);

// An id for a node that is about to be born; kNoSite when no more can be had. The caller writes
// the node to the ledger, then publishes it.
uint32_t reserve_site();

// Publishes the node under `id`; returns the id to use, another thread's if it was first.
uint32_t publish_site(uint32_t id, uint32_t parent, uint64_t pc, uint32_t module);

// The return address of a node that has been published, or a mark (format/entry.h); and the node
// that it hangs from.
uint64_t site_pc(uint32_t id);
uint32_t site_parent(uint32_t id);

// Code in [start, end) has been unloaded: what is found there from now on is new.
void forget_range(uint64_t start, uint64_t end);

// After a fork: an empty trie.
void forget_sites();

}  // namespace heapledger::runtime
