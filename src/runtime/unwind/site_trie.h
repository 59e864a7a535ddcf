// Sites as a trie: a node is (parent node, return address), its id is what entries refer to.
//
// Shared by all threads without a lock: a node is filled in before the one atomic store that
// publishes it, and never changes again, except that forget_range makes the nodes of unloaded code
// unfindable. A lookup reads at most one cache line of slots and one node per level; a level that
// is full is followed by a larger one. Ids are stable for the life of the process.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace heapledger::runtime {

inline constexpr uint32_t kNoSite = 0;

// The id of (parent, pc), or kNoSite if there is none yet.
inline uint32_t find_site(uint32_t parent, uint64_t pc);

// An id for a node that is about to be born; kNoSite when no more can be had. The caller writes
// the node to the ledger, then publishes it.
uint32_t reserve_site();

// Publishes the node under `id`; returns the id to use, another thread's if it was first.
uint32_t publish_site(uint32_t id, uint32_t parent, uint64_t pc);

// Code in [start, end) has been unloaded: what is found there from now on is new.
void forget_range(uint64_t start, uint64_t end);

// After a fork: an empty trie.
void forget_sites();

namespace detail {

struct Node {
  std::atomic<uint64_t> pc;  // 0: not published, or forgotten
  uint32_t parent;
  std::atomic<uint32_t> last_child;  // a guess: the node last found below this one
};

// A slot is a node id with 32 bits of its hash above; zero is free. A bucket is a cache line.
struct alignas(64) Bucket {
  std::atomic<uint64_t> slots[8];
};

// Level n has 2^(12 + 3n) buckets: 256 KiB, 2 MiB, 16 MiB, 128 MiB.
inline constexpr unsigned kLevels = 4;
inline constexpr unsigned kFirstBits = 12;
inline constexpr unsigned kBitsPerLevel = 3;

// Blocks of nodes are mapped as they are needed, pages of them as they are touched.
inline constexpr uint32_t kNodesPerBlock = 1u << 18;
inline constexpr uint32_t kNodeBlocks = 128;

struct Trie {
  std::atomic<Bucket*> levels[kLevels];
  std::atomic<Node*> blocks[kNodeBlocks];
  std::atomic<uint32_t> next_id{1};
};
extern Trie trie __attribute__((visibility("hidden")));

inline uint64_t hash_of(uint32_t parent, uint64_t pc) {
  uint64_t hash = (pc ^ (uint64_t{parent} << 40 | parent)) * 0x9E3779B97F4A7C15ull;
  return hash ^ (hash >> 32);
}

inline size_t bucket_count(unsigned level) {
  return size_t{1} << (kFirstBits + kBitsPerLevel * level);
}

inline Bucket& bucket_in(Bucket* buckets, unsigned level, uint64_t hash) {
  return buckets[hash & (bucket_count(level) - 1)];
}

inline Node* node_of(uint32_t id) {
  return trie.blocks[id / kNodesPerBlock].load(std::memory_order_relaxed) + id % kNodesPerBlock;
}

inline bool matches(uint64_t slot, uint64_t hash, uint32_t parent, uint64_t pc) {
  if ((slot ^ hash) >> 32 != 0) return false;
  const Node* node = node_of(static_cast<uint32_t>(slot));
  return node->pc.load(std::memory_order_relaxed) == pc && node->parent == parent;
}

}  // namespace detail

namespace detail {

__attribute__((noinline)) inline uint32_t search_site(uint32_t parent, uint64_t pc) {
  uint64_t hash = detail::hash_of(parent, pc);
  for (unsigned level = 0; level < detail::kLevels; ++level) {
    detail::Bucket* buckets = detail::trie.levels[level].load(std::memory_order_acquire);
    if (buckets == nullptr) return kNoSite;
    for (auto& place : detail::bucket_in(buckets, level, hash).slots) {
      uint64_t slot = place.load(std::memory_order_acquire);
      if (slot == 0) return kNoSite;
      if (detail::matches(slot, hash, parent, pc)) return static_cast<uint32_t>(slot);
    }
  }
  return kNoSite;
}

}  // namespace detail

__attribute__((always_inline)) inline uint32_t find_site(uint32_t parent, uint64_t pc) {
  // Nodes of the first block, nearly all there are, are tried by the guess first.
  using detail::kNodesPerBlock;
  detail::Node* nodes = detail::trie.blocks[0].load(std::memory_order_acquire);
  if (__builtin_expect(parent - 1 >= kNodesPerBlock - 1, 0)) return detail::search_site(parent, pc);
  uint32_t guess = nodes[parent].last_child.load(std::memory_order_acquire);
  const detail::Node& node = nodes[guess];
  if (node.pc.load(std::memory_order_relaxed) == pc && node.parent == parent) return guess;
  uint32_t found = detail::search_site(parent, pc);
  if (found < kNodesPerBlock) nodes[parent].last_child.store(found, std::memory_order_release);
  return found;
}

}  // namespace heapledger::runtime
