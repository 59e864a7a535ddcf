#include "query_world.h"

#include <algorithm>

namespace heapledger::test {
namespace {

constexpr uint32_t kThreads = 3;
constexpr uint32_t kNodes = 24;
constexpr uint64_t kBias[] = {0x10000, 0x900000};
const char* const kModules[] = {"/usr/bin/app", "/usr/lib/libwork.so.1"};

}  // namespace

World::World(uint64_t seed, uint32_t ledgers, int steps) : random_(seed), processes_(ledgers) {
  for (Process& process : processes_) process.builder = std::make_unique<LedgerBuilder>();
  for (uint32_t l = 0; l < ledgers; ++l) {
    processes_[l].builder->header.pid = 42 + l;
    for (uint32_t t = 0; t < kThreads; ++t) {
      window(l, t).thread(0, t, 100 * (l + 1) + t, thread_name(l, t));
    }
  }
  make_sites();
  for (int i = 0; i < steps; ++i) step();
}

std::string World::thread_name(uint32_t, uint32_t thread) const {
  return thread == 0 ? "main" : "worker" + std::to_string(thread);
}

WindowBuilder& World::window(uint32_t ledger, uint32_t thread) {
  return processes_[ledger].builder->window(thread);
}

// A tree of calls: each site calls from one of those before it, so that stacks share their outer
// frames and functions recur. Every third address is inside an inlined call.
void World::make_sites() {
  static const char* const kFunctions[] = {"main",
                                           "parse(char const*)",
                                           "std::vector<int>::push_back(int&&)",
                                           "render(int)",
                                           "work::run()",
                                           "operator new(unsigned long)",
                                           "(anonymous namespace)::load()"};
  for (uint32_t l = 0; l < processes_.size(); ++l) {
    for (uint32_t m = 0; m < 2; ++m) {
      uint64_t bias = kBias[m] + l * 0x1000000;  // loaded elsewhere in every process
      window(l, 0).module(0, m + 1, bias, bias + 0x8000, bias, "id", kModules[m]);
    }
  }
  stacks_.resize(kNodes + 1);
  identities_.resize(kNodes + 1);
  for (uint32_t site = 1; site <= kNodes; ++site) {
    auto parent = static_cast<uint32_t>(random_() % site);
    auto m = static_cast<uint32_t>(random_() % 2);
    uint64_t address = 0x100 + 0x10 * (random_() % 40);
    for (uint32_t l = 0; l < processes_.size(); ++l) {
      window(l, 0).site(0, site, parent, m + 1, kBias[m] + l * 0x1000000 + address);
    }
    auto place = [&](uint64_t number) {
      size_t f = number % std::size(kFunctions);
      Place made{kFunctions[f], "/src/file" + std::to_string(f % 3) + ".cpp",
                 static_cast<uint32_t>(number), kModules[m], f == 2 || f == 5};
      return made;
    };
    std::vector<Place>& stack = stacks_[site];
    uint64_t number = address / 0x10;
    stack.push_back(place(number));
    if (number % 3 == 0) stack.push_back(place(number + 1));
    std::vector<SymbolFrame> frames;
    for (size_t i = 0; i < stack.size(); ++i) {
      frames.push_back({symbols_.intern(stack[i].function), symbols_.intern(stack[i].file),
                        stack[i].line, i + 1 < stack.size()});
    }
    symbols_.set(symbols_.module(kModules[m], "id"), address - 1, frames);
    identities_[site] =
        std::string(kModules[m]) + "+" + std::to_string(address) + ";" + identities_[parent];
    stack.insert(stack.end(), stacks_[parent].begin(), stacks_[parent].end());
  }
}

size_t World::first_interesting(uint32_t site) const {
  const std::vector<Place>& stack = stacks_[site];
  for (size_t i = 0; i < stack.size(); ++i) {
    if (!stack[i].wrapper) return i;
  }
  for (size_t i = 0; i < stack.size(); ++i) {
    if (!stack[i].function.starts_with("operator new")) return i;
  }
  return 0;
}

void World::step() {
  time_ += 1 + random_() % 100;
  auto l = static_cast<uint32_t>(random_() % processes_.size());
  auto thread = static_cast<uint32_t>(random_() % kThreads);
  auto site = static_cast<uint32_t>(1 + random_() % kNodes);
  uint64_t size = random_() % 8 == 0 ? random_() % 100'000 : random_() % 200;
  Process& process = processes_[l];
  WindowBuilder& to = window(l, thread);
  Block block{.ledger = l, .size = size, .site = site, .thread = thread, .birth_time = time_};
  bool growing = time_ / 20'000 % 2 == 0;
  uint64_t what = random_() % 100;
  if (what == 99) {
    process.rss = random_() % 1'000'000;
    process.highest = std::max(process.highest, process.rss);
    to.memory(time_, process.rss, process.highest);
    uint64_t all = 0;
    for (const Process& other : processes_) all += other.rss;
    if (all > rss_most_) {
      rss_most_ = all;
      rss_peak_ = {order_, time_};
    }
  } else if (what == 98) {
    std::string name = "phase " + std::to_string(random_() % 5);
    to.marker(time_, name);
    markers_.try_emplace(name, Cut{order_, time_});
  } else if (process.live.empty() || what < (growing ? 50u : 30u)) {
    uint64_t address = fresh(l);
    to.malloc(time_, address, size, site);
    born(l, thread, address, block);
  } else if (what < 80) {
    uint64_t address = take(l);
    to.free(time_, address);
    died(l, thread, address, false);
    process.unused.push_back(address);
  } else {
    uint64_t old = take(l);
    uint64_t begin = time_;
    uint64_t old_size = blocks_[process.live[old]].size;
    died(l, thread, old, true);
    time_ += random_() % 50;
    uint64_t address = random_() % 3 == 0 ? old : fresh(l);
    to.resize(begin, old, time_, address, size, site);
    block.birth_time = time_;
    block.is_resized = true;
    block.moved = address != old;
    block.moved_bytes = block.moved ? std::min(size, old_size) : 0;
    if (address != old) process.unused.push_back(old);
    born(l, thread, address, block);
  }
  if (random_() % 500 == 0) to.flush();
}

void World::born(uint32_t ledger, uint32_t thread, uint64_t address, Block block) {
  Process& process = processes_[ledger];
  block.birth = ++order_;
  process.live[address] = blocks_.size();
  process.order.push_back(address);
  process.last[thread] = address;
  blocks_.push_back(block);
}

void World::died(uint32_t ledger, uint32_t thread, uint64_t address, bool by_resize) {
  Process& process = processes_[ledger];
  Block& block = blocks_[process.live.at(address)];
  block.death = ++order_;
  block.death_time = time_;
  block.freeing_thread = thread;
  block.by_resize = by_resize;
  block.temporary = !by_resize && process.last[thread] == address;
  process.last[thread] = 0;
  process.live.erase(address);
}

// Often the newest, so that temporary blocks happen.
uint64_t World::take(uint32_t ledger) {
  std::vector<uint64_t>& order = processes_[ledger].order;
  size_t at = random_() % 2 == 0 ? order.size() - 1 : random_() % order.size();
  uint64_t address = order[at];
  order.erase(order.begin() + static_cast<long>(at));
  return address;
}

uint64_t World::fresh(uint32_t ledger) {
  Process& process = processes_[ledger];
  if (process.unused.empty() || random_() % 4 == 0) {
    return process.next += 16 * (1 + random_() % 8);
  }
  uint64_t address = process.unused.back();
  process.unused.pop_back();
  return address;
}

std::vector<std::string> World::files() {
  std::vector<std::string> files;
  for (Process& process : processes_) {
    // The process ends soon after its last entry.
    format::FileHeader& header = process.builder->header;
    uint64_t length = time_ + 1000;
    header.latest[1] = {header.start.ticks + length, header.start.monotonic_ns + length,
                        header.start.realtime_ns + length};
    files.push_back(process.builder->bytes());
  }
  return files;
}

Cut World::peak() const {
  Cut peak;
  uint64_t most = 0;
  for (const Block& born : blocks_) {
    uint64_t live = 0;
    for (const Block& other : blocks_) {
      if (other.birth <= born.birth && other.death > born.birth) live += other.size;
    }
    if (live <= most) continue;
    most = live;
    peak = {born.birth, born.birth_time};
  }
  return peak;
}

Cut World::at_time(uint64_t time) const {
  Cut cut{0, time};
  for (const Block& block : blocks_) {
    if (block.birth_time <= time) cut.order = std::max(cut.order, block.birth);
    if (block.death != UINT64_MAX && block.death_time <= time) {
      cut.order = std::max(cut.order, block.death);
    }
  }
  return cut;
}

Sums World::at(Cut moment, const Choose& choose) const {
  return count(true, {0, 0}, moment, choose);
}

Sums World::between(Cut begin, Cut end, const Choose& choose) const {
  return count(false, begin, end, choose);
}

Sums World::count(bool whole, Cut begin, Cut end, const Choose& choose) const {
  Sums sums;
  sums.smallest = UINT64_MAX;
  std::vector<const Block*> in;
  for (const Block& block : blocks_) {
    if (!choose(block)) continue;
    bool born_in = whole || (block.birth > begin.order && block.birth <= end.order);
    bool ended_in = block.death != UINT64_MAX &&
                    (whole || (block.death > begin.order && block.death <= end.order));
    if (ended_in) {
      ++sums.ended_blocks;
      sums.ended_bytes += block.size;
      sums.frees += block.by_resize ? 0 : 1;
      sums.freeing.emplace(block.ledger, block.freeing_thread);
    }
    if (!born_in) continue;
    in.push_back(&block);
    ++sums.calls;
    sums.bytes += block.size;
    sums.smallest = std::min(sums.smallest, block.size);
    sums.largest = std::max(sums.largest, block.size);
    ++sums.sizes[block.size];
    sums.temporary += block.temporary ? 1 : 0;
    sums.resizes += block.is_resized ? 1 : 0;
    sums.moved_blocks += block.moved ? 1 : 0;
    sums.moved_bytes += block.moved_bytes;
    sums.allocating.emplace(block.ledger, block.thread);
    if (block.death != UINT64_MAX) sums.lifetimes.push_back(block.lifetime());
    if (block.birth <= end.order && block.death > end.order) {
      ++sums.live_blocks;
      sums.live_bytes += block.size;
    }
  }
  if (sums.calls == 0) sums.smallest = 0;
  std::sort(sums.lifetimes.begin(), sums.lifetimes.end());
  for (const Block* born : in) {
    uint64_t bytes = 0;
    uint64_t count = 0;
    for (const Block* other : in) {
      if (other->birth > born->birth || other->death <= born->birth) continue;
      bytes += other->size;
      ++count;
    }
    if (bytes <= sums.peak_bytes) continue;
    sums.peak_bytes = bytes;
    sums.peak_blocks = count;
    sums.peak_time = born->birth_time;
  }
  return sums;
}

}  // namespace heapledger::test
