#include "runtime/unwind/site_trie.h"

#include "runtime/os/os.h"
#include "runtime/unwind/shared_memory.h"

namespace heapledger::runtime {
using detail::Bucket;
using detail::bucket_count;
using detail::bucket_in;
using detail::hash_of;
using detail::kLevels;
using detail::kNodeBlocks;
using detail::kNodesPerBlock;
using detail::matches;
using detail::Node;
using detail::node_of;
using detail::trie;

constinit detail::Trie detail::trie = {};

namespace {

template <typename T>
void drop(std::atomic<T*>& place, size_t bytes) {
  T* present = place.exchange(nullptr, std::memory_order_relaxed);
  if (present != nullptr) os::unmap(present, bytes);
}

}  // namespace

uint32_t reserve_site() {
  uint32_t id = trie.next_id.load(std::memory_order_relaxed);
  do {
    if (id / kNodesPerBlock >= kNodeBlocks) return kNoSite;
  } while (!trie.next_id.compare_exchange_weak(id, id + 1, std::memory_order_relaxed));
  bool have = provide(trie.blocks[id / kNodesPerBlock], sizeof(Node) * kNodesPerBlock) != nullptr;
  return have ? id : kNoSite;
}

uint32_t publish_site(uint32_t id, uint32_t parent, uint64_t pc) {
  uint64_t hash = hash_of(parent, pc);
  Node* node = node_of(id);
  node->parent = parent;
  node->pc.store(pc, std::memory_order_relaxed);
  uint64_t mine = (hash & 0xFFFF'FFFF'0000'0000ull) | id;
  for (unsigned level = 0; level < kLevels; ++level) {
    Bucket* buckets = provide(trie.levels[level], sizeof(Bucket) * bucket_count(level));
    if (buckets == nullptr) return id;  // no memory to remember it by: it will be born again
    for (auto& place : bucket_in(buckets, level, hash).slots) {
      uint64_t slot = place.load(std::memory_order_acquire);
      if (slot == 0 && place.compare_exchange_strong(slot, mine, std::memory_order_acq_rel)) {
        return id;
      }
      if (matches(slot, hash, parent, pc)) return static_cast<uint32_t>(slot);
    }
  }
  return id;
}

void forget_range(uint64_t start, uint64_t end) {
  uint32_t ids = trie.next_id.load(std::memory_order_acquire);
  for (uint32_t id = 1; id < ids; ++id) {
    if (trie.blocks[id / kNodesPerBlock].load(std::memory_order_acquire) == nullptr) continue;
    std::atomic<uint64_t>& pc = node_of(id)->pc;
    uint64_t value = pc.load(std::memory_order_relaxed);
    if (value >= start && value < end) pc.store(0, std::memory_order_relaxed);
  }
}

void forget_sites() {
  for (unsigned level = 0; level < kLevels; ++level) {
    drop(trie.levels[level], sizeof(Bucket) * bucket_count(level));
  }
  uint32_t ids = trie.next_id.exchange(1, std::memory_order_relaxed);
  for (uint32_t block = 0; block <= ids / kNodesPerBlock && block < kNodeBlocks; ++block) {
    drop(trie.blocks[block], sizeof(Node) * kNodesPerBlock);
  }
}

}  // namespace heapledger::runtime
