#include "runtime/unwind/site_trie.h"

#include <atomic>
#include <cstddef>

#include "format/live_tables.h"
#include "runtime/ledger/live_image.h"
#include "runtime/os/os.h"
#include "runtime/os/together.h"
#include "runtime/unwind/shared_memory.h"

namespace heapledger::runtime {
namespace {

using Node = SiteNode;
static_assert(sizeof(Node) == sizeof(format::LiveNode));
static_assert(offsetof(Node, next) == offsetof(format::LiveNode, module));

// A slot is a node id with 32 bits of its hash above; zero is free. A bucket is a cache line; one
// that is full goes on in the next.
struct alignas(64) Bucket {
  static constexpr unsigned kSlots = 8;
  std::atomic<uint64_t> slots[kSlots];
};

// Table n has 2^(12 + n) buckets, the first 256 KiB; the last has room for all nodes.
constexpr unsigned kTables = 12;
constexpr unsigned kFirstBits = 12;
// Ids that each newborn run passes by, and takes along where they are of the table. A table takes
// as many runs as it had before it is to double again, and no run is longer than 32: twice as many
// ids would do.
constexpr uint32_t kTakenAlong = 4 * 32;
// No bucket is ever this far from where it should be in a table that is half full.
constexpr unsigned kMaxProbes = 64;

struct Trie {
  std::atomic<Bucket*> tables[kTables];
  std::atomic<uint32_t> current{0};  // the table where new nodes go
  std::atomic<uint32_t> complete{
      0};  // the last table that holds all nodes; current or the one before
  std::atomic<uint32_t> next_moved{1};
  std::atomic<uint32_t> moved{0};
  std::atomic<uint32_t> used{0};  // slots of the current table
  std::atomic<uint32_t> next_id{1};
};
HEAPLEDGER_TOGETHER constinit Trie trie = {};

uint64_t hash_of(uint32_t parent, uint64_t pc) {
  uint64_t hash = (pc ^ (uint64_t{parent} << 40 | parent)) * 0x9E3779B97F4A7C15ull;
  return hash ^ (hash >> 32);
}

constexpr size_t kSiblingBytes = sizeof(std::atomic<uint32_t>) * kNodesPerBlock;

size_t bucket_count(uint32_t table) {
  return size_t{1} << (kFirstBits + table);
}

Node* node_of(uint32_t id) {
  return site_blocks[id / kNodesPerBlock].load(std::memory_order_relaxed) + id % kNodesPerBlock;
}

bool matches(uint64_t slot, uint64_t hash, uint32_t parent, uint64_t pc) {
  if ((slot ^ hash) >> 32 != 0) return false;
  const Node* node = node_of(static_cast<uint32_t>(slot));
  return node->pc.load(std::memory_order_relaxed) == pc && node->parent == parent;
}

uint32_t look_in(uint32_t table, uint64_t hash, uint32_t parent, uint64_t pc) {
  Bucket* buckets = trie.tables[table].load(std::memory_order_acquire);
  if (buckets == nullptr) return kNoSite;
  size_t mask = bucket_count(table) - 1;
  for (unsigned probe = 0; probe < kMaxProbes; ++probe) {
    for (auto& place : buckets[(hash + probe) & mask].slots) {
      uint64_t slot = place.load(std::memory_order_acquire);
      if (slot == 0) return kNoSite;
      if (matches(slot, hash, parent, pc)) return static_cast<uint32_t>(slot);
    }
  }
  return kNoSite;
}

// Puts a node into a table, unless an equal one is there; returns the id of the one that is.
uint32_t put_into(uint32_t table, uint32_t id, uint64_t hash, uint32_t parent, uint64_t pc) {
  Bucket* buckets = provide(trie.tables[table], sizeof(Bucket) * bucket_count(table));
  if (buckets == nullptr) return id;  // no memory to remember it by: it will be born again
  uint64_t mine = (hash & 0xFFFF'FFFF'0000'0000ull) | id;
  size_t mask = bucket_count(table) - 1;
  for (unsigned probe = 0; probe < kMaxProbes; ++probe) {
    for (auto& place : buckets[(hash + probe) & mask].slots) {
      // Without a look before: in memory that nobody has touched that is a second page fault.
      uint64_t slot = 0;
      if (place.compare_exchange_strong(slot, mine, std::memory_order_acq_rel)) {
        trie.used.fetch_add(1, std::memory_order_relaxed);
        return id;
      }
      if (matches(slot, hash, parent, pc)) return static_cast<uint32_t>(slot);
    }
  }
  return id;
}

// In live mode the nodes are a table of the live image.
Node* provide_nodes(uint32_t block) {
  std::atomic<Node*>& place = site_blocks[block];
  constexpr size_t kBytes = sizeof(Node) * kNodesPerBlock;
  if (!live_tables_wanted()) return provide(place, kBytes, block == 0 ? kBytes / 2 : 0);
  if (Node* present = place.load(std::memory_order_acquire); present != nullptr) return present;
  auto* nodes = static_cast<Node*>(live_part(format::LiveKind::kSites, block));
  if (nodes != nullptr) place.store(nodes, std::memory_order_release);
  return nodes;
}

// All older nodes are in the current table. The one before stays mapped, for a thread that may be
// looking at it, but its memory is given back: it looks empty now.
void finish_move(uint32_t current) {
  Bucket* old = trie.tables[current - 1].load(std::memory_order_acquire);
  trie.complete.store(current, std::memory_order_release);
  if (old != nullptr && !filter_expected())
    os::discard(old, sizeof(Bucket) * bucket_count(current - 1));
}

void take_along(uint32_t current) {
  uint32_t ids = trie.next_id.load(std::memory_order_acquire);
  uint32_t first = trie.next_moved.fetch_add(kTakenAlong, std::memory_order_relaxed);
  for (uint32_t id = first; id < first + kTakenAlong && id < ids; ++id) {
    if (site_blocks[id / kNodesPerBlock].load(std::memory_order_acquire) == nullptr) continue;
    const Node* node = node_of(id);
    uint64_t pc = node->pc.load(std::memory_order_acquire);
    // Those that stand behind their parents need no table.
    if (pc != 0 && pc < format::kLiveForgotten && node->parent != id - 1)
      put_into(current, id, hash_of(node->parent, pc), node->parent, pc);
  }
  uint32_t done = trie.moved.fetch_add(kTakenAlong, std::memory_order_acq_rel) + kTakenAlong;
  if (done >= ids && trie.complete.load(std::memory_order_acquire) != current) finish_move(current);
}

// The table where new nodes go: a new one when the present one is half full and complete.
uint32_t table_for_new() {
  uint32_t current = trie.current.load(std::memory_order_acquire);
  bool complete = trie.complete.load(std::memory_order_acquire) == current;
  if (!complete) take_along(current);
  size_t half = bucket_count(current) * Bucket::kSlots / 2;
  uint32_t next = current + 1;
  bool grow = complete && next < kTables && trie.used.load(std::memory_order_relaxed) >= half &&
              provide(trie.tables[next], sizeof(Bucket) * bucket_count(next)) != nullptr &&
              trie.current.compare_exchange_strong(current, next, std::memory_order_acq_rel);
  if (!grow) return trie.current.load(std::memory_order_acquire);
  trie.used.store(0, std::memory_order_relaxed);
  trie.moved.store(0, std::memory_order_relaxed);
  trie.next_moved.store(1, std::memory_order_release);
  return next;
}

// Where next_sibling is kept; null: no memory for it.
std::atomic<uint32_t>* place_of_next(uint32_t id) {
  if (!live_tables_wanted()) return &node_of(id)->next;
  auto* block = provide(site_siblings[id / kNodesPerBlock], kSiblingBytes);
  return block == nullptr ? nullptr : block + id % kNodesPerBlock;
}

// Into the list of its parent's children, if that has a first one behind it.
void hang_from_first(uint32_t id, uint32_t parent) {
  if (site_blocks[parent / kNodesPerBlock].load(std::memory_order_acquire) == nullptr) return;
  const uint32_t first = parent + 1;
  const Node* from = node_of(parent) + 1;
  if (from->pc.load(std::memory_order_acquire) == 0 || from->parent != parent) return;
  std::atomic<uint32_t>* own = place_of_next(id);
  std::atomic<uint32_t>* firsts = place_of_next(first);
  if (own == nullptr || firsts == nullptr) return;
  uint32_t next = firsts->load(std::memory_order_relaxed);
  do {
    own->store(next, std::memory_order_relaxed);
  } while (!firsts->compare_exchange_weak(next, id, std::memory_order_acq_rel));
}

}  // namespace

HEAPLEDGER_TOGETHER constinit std::atomic<SiteNode*> site_blocks[kNodeBlocks + 1] = {};
constinit std::atomic<std::atomic<uint32_t>*> site_siblings[kNodeBlocks + 1] = {};
constinit const SiteNode no_nodes[2] = {};

uint32_t find_site(uint32_t parent, uint64_t pc) {
  if (uint32_t id = find_site_near(parent, pc); id != kNoSite) return id;
  uint64_t hash = hash_of(parent, pc);
  uint32_t current = trie.current.load(std::memory_order_acquire);
  uint32_t found = look_in(current, hash, parent, pc);
  if (found != kNoSite || current == 0) return found;
  if (trie.complete.load(std::memory_order_acquire) == current) return kNoSite;
  found = look_in(current - 1, hash, parent, pc);
  return found != kNoSite ? put_into(current, found, hash, parent, pc) : kNoSite;
}

uint32_t reserve_sites(uint32_t count) {
  uint32_t next = trie.next_id.load(std::memory_order_relaxed);
  uint32_t id;
  do {
    const bool fits = next / kNodesPerBlock == (next + count) / kNodesPerBlock;
    id = fits ? next : (next / kNodesPerBlock + 1) * kNodesPerBlock;
    if (id / kNodesPerBlock >= kNodeBlocks) return kNoSite;
  } while (!trie.next_id.compare_exchange_weak(next, id + count, std::memory_order_relaxed));
  return provide_nodes(id / kNodesPerBlock) != nullptr ? id : kNoSite;
}

void fill_site(uint32_t id, uint32_t parent, uint64_t pc, uint32_t module) {
  Node* node = node_of(id);
  node->parent = parent;
  if (live_tables_wanted()) node->next.store(module, std::memory_order_relaxed);
  node->pc.store(pc, std::memory_order_release);
}

uint32_t publish_sites(uint32_t id, uint32_t count, uint32_t parent, uint64_t pc, uint32_t module) {
  if (live_tables_wanted()) {
    note_live_use(format::LiveKind::kSites, uint64_t{id} + count);
    note_live_use(format::LiveKind::kAccounts, uint64_t{id} + count);
  }
  fill_site(id, parent, pc, module);
  uint32_t first = put_into(table_for_new(), id, hash_of(parent, pc), parent, pc);
  // The table decides, so that nobody finds this one behind its parent from now on.
  if (first != id) {
    node_of(id)->pc.store(pc | format::kLiveForgotten, std::memory_order_relaxed);
  } else if (parent + 1 != id) {
    hang_from_first(id, parent);
  }
  return first;
}

uint64_t site_pc(uint32_t id) {
  return node_of(id)->pc.load(std::memory_order_relaxed);
}

uint32_t site_parent(uint32_t id) {
  return node_of(id)->parent;
}

void forget_range(uint64_t start, uint64_t end) {
  uint32_t ids = trie.next_id.load(std::memory_order_acquire);
  for (uint32_t id = 1; id < ids; ++id) {
    if (site_blocks[id / kNodesPerBlock].load(std::memory_order_acquire) == nullptr) continue;
    std::atomic<uint64_t>& pc = node_of(id)->pc;
    uint64_t value = pc.load(std::memory_order_relaxed);
    if (value >= start && value < end) {
      pc.store(value | format::kLiveForgotten, std::memory_order_relaxed);
    }
  }
}

void forget_sites() {
  // The first of each is wanted again at once.
  empty(trie.tables[0], sizeof(Bucket) * bucket_count(0));
  for (uint32_t table = 1; table < kTables; ++table) {
    drop(trie.tables[table], sizeof(Bucket) * bucket_count(table));
  }
  constexpr size_t kBlockBytes = sizeof(Node) * kNodesPerBlock;
  uint32_t ids = trie.next_id.exchange(1, std::memory_order_relaxed);
  if (live_tables_wanted()) {
    drop(site_blocks[0], kBlockBytes);  // of the parent's file
    for (auto& siblings : site_siblings) drop(siblings, kSiblingBytes);
  } else {
    empty(site_blocks[0], kBlockBytes);
  }
  for (uint32_t block = 1; block <= ids / kNodesPerBlock && block < kNodeBlocks; ++block) {
    drop(site_blocks[block], kBlockBytes);
  }
  for (auto* word : {&trie.current, &trie.complete, &trie.moved, &trie.used}) {
    word->store(0, std::memory_order_relaxed);
  }
  trie.next_moved.store(1, std::memory_order_relaxed);
}

}  // namespace heapledger::runtime
