#include "runtime/unwind/modules.h"

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstring>

#include "runtime/ledger/clock.h"
#include "runtime/ledger/entry_guard.h"
#include "runtime/os/os.h"
#include "runtime/unwind/build_id.h"
#include "runtime/unwind/rows.h"
#include "runtime/unwind/site_trie.h"
#include "runtime/unwind/stack_memo.h"

namespace heapledger::runtime {
namespace {

constexpr uint32_t kMaxModules = 4096;
constexpr size_t kMaxPathBytes = 4096;
constexpr size_t kMaxFieldBytes = 256;  // all fields of a module but its path

// What is needed to describe a module again in a forked child.
struct Module {
  std::atomic<bool> present;
  bool seen;  // used by refresh_modules
  uint64_t start;
  uint64_t end;
  uint64_t bias;
  const ElfW(Phdr) * headers;  // the loader's: good while the module is present
  uint32_t header_count;
  const char* name;  // likewise
};

struct Table {
  std::atomic<uint32_t> count{0};
  std::atomic<uint32_t> epoch{0};
  int (*find_object)(void*, dl_find_object*) = nullptr;
  Module modules[kMaxModules];
};
constinit Table table = {};

uint32_t count_of() {
  uint32_t count = table.count.load(std::memory_order_acquire);
  return count < kMaxModules ? count : kMaxModules;
}

uint32_t find_known(uint64_t pc) {
  for (uint32_t i = count_of(); i-- > 0;) {
    const Module& module = table.modules[i];
    if (module.present.load(std::memory_order_acquire) && pc >= module.start && pc < module.end) {
      return i + 1;
    }
  }
  return kNoModule;
}

// The path as the analyzer will look for it: the loader's name is empty for the executable, and
// relative to the current folder for a library that was opened so. Written straight into the
// entry: the program's stack may be small.
void put_path(format::LongEntry& entry, const char* name) {
  if (filter_expected()) {
    if (name != nullptr) entry.bytes(name, strnlen(name, kMaxPathBytes));
    return;
  }
  if (name == nullptr || name[0] == '\0') {
    long got = os::read_link("/proc/self/exe", entry.tail(), kMaxPathBytes);
    entry.took(got > 0 ? static_cast<size_t>(got) : 0);
    return;
  }
  size_t room = kMaxPathBytes;
  if (name[0] != '/' && strchr(name, '/') != nullptr) {
    long got = os::current_folder(entry.tail(), room / 2);
    if (got > 1) {
      entry.took(static_cast<size_t>(got) - 1).bytes("/", 1);
      room -= static_cast<size_t>(got);
    }
  }
  entry.bytes(name, strnlen(name, room));
}

bool enter_module(Window& window, uint32_t id, const Module& module, uint64_t time) {
  if (!room_for(window, kMaxPathBytes + kMaxFieldBytes)) return false;
  format::LongEntry entry(window.encoder, format::Kind::kModule, time);
  BuildId build =
      find_build_id(module.headers, module.header_count, module.bias, module.start, module.end);
  entry.number(id)
      .number(table.epoch.load(std::memory_order_relaxed))
      .number(module.start)
      .number(module.end)
      .number(module.bias)
      .number(build.bytes)
      .bytes(build.data, build.bytes);
  put_path(entry, module.name);
  entry.finish();
  return true;
}

// Enters the module, then lets others find it. Two threads may do so at once for the same module;
// the second description does no harm.
uint32_t add_module(Window& window, const Module& facts, uint64_t time) {
  uint32_t index = table.count.load(std::memory_order_relaxed);
  do {
    if (index >= kMaxModules) return kNoModule;
  } while (!table.count.compare_exchange_weak(index, index + 1, std::memory_order_acq_rel));
  Module& module = table.modules[index];
  module.seen = true;
  module.start = facts.start;
  module.end = facts.end;
  module.bias = facts.bias;
  module.headers = facts.headers;
  module.header_count = facts.header_count;
  module.name = facts.name;
  if (!enter_module(window, index + 1, module, time)) return kNoModule;
  module.present.store(true, std::memory_order_release);
  return index + 1;
}

// The module's extent by its loaded segments.
void set_extent(Module& facts, uint32_t page) {
  facts.start = UINT64_MAX;
  for (uint32_t i = 0; i < facts.header_count; ++i) {
    const ElfW(Phdr)& segment = facts.headers[i];
    if (segment.p_type != PT_LOAD) continue;
    uint64_t start = (facts.bias + segment.p_vaddr) & ~uint64_t{page - 1};
    uint64_t end = facts.bias + segment.p_vaddr + segment.p_memsz;
    if (start < facts.start) facts.start = start;
    if (end > facts.end) facts.end = end;
  }
}

int visit(dl_phdr_info* info, size_t, void* argument) {
  auto& window = *static_cast<Window*>(argument);
  Module facts = {};
  facts.bias = info->dlpi_addr;
  facts.headers = info->dlpi_phdr;
  facts.header_count = info->dlpi_phnum;
  facts.name = info->dlpi_name;
  set_extent(facts, os::page_bytes());
  if (facts.start >= facts.end) return 0;
  uint32_t known = find_known(facts.start);
  if (known != kNoModule) {
    Module& module = table.modules[known - 1];
    // The same place is not enough: another module may have been loaded there since.
    module.seen = module.headers == facts.headers && module.name == facts.name;
    if (module.seen) return 0;
  }
  add_module(window, facts, now_units());
  return 0;
}

void enter_unloads(Window& window) {
  for (uint32_t i = 0; i < count_of(); ++i) {
    Module& module = table.modules[i];
    if (!module.present.load(std::memory_order_relaxed) || module.seen) continue;
    module.present.store(false, std::memory_order_release);
    forget_range(module.start, module.end);
    forget_rows(module.start, module.end);
    code_epoch.fetch_add(1, std::memory_order_release);
    if (!room_for(window, kMaxFieldBytes)) continue;
    format::LongEntry(window.encoder, format::Kind::kUnload, now_units()).number(i + 1).finish();
  }
}

}  // namespace

uint32_t module_at(Window& window, uint64_t pc, uint64_t time) {
  uint32_t known = find_known(pc);
  if (known != kNoModule || table.find_object == nullptr) return known;
  dl_find_object found;
  if (table.find_object(reinterpret_cast<void*>(pc), &found) != 0) return kNoModule;
  const link_map* map = found.dlfo_link_map;
  // A module with holes is known by segments: its first one has the file's header.
  if (table.find_object(reinterpret_cast<void*>(map->l_addr), &found) != 0 ||
      found.dlfo_link_map != map) {
    return kNoModule;
  }
  const auto* header = static_cast<const ElfW(Ehdr)*>(found.dlfo_map_start);
  if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return kNoModule;
  Module facts = {};
  facts.bias = map->l_addr;
  facts.headers = reinterpret_cast<const ElfW(Phdr)*>(
      reinterpret_cast<uint64_t>(found.dlfo_map_start) + header->e_phoff);
  facts.header_count = header->e_phnum;
  facts.name = map->l_name;
  set_extent(facts, os::page_bytes());
  return add_module(window, facts, time);
}

bool cfi_module_at(uint64_t pc, CfiModule& module) {
  if (table.find_object != nullptr) {
    dl_find_object found;
    if (table.find_object(reinterpret_cast<void*>(pc), &found) != 0) return false;
    void* header = found.dlfo_eh_frame;
    // A module with holes is known by segments: the one with the unwind information counts.
    if (header == nullptr || table.find_object(header, &found) != 0) return false;
    module = {reinterpret_cast<uint64_t>(found.dlfo_map_start),
              reinterpret_cast<uint64_t>(found.dlfo_map_end), reinterpret_cast<uint64_t>(header)};
    return true;
  }
  uint32_t known = find_known(pc);
  if (known == kNoModule) return false;
  const Module& facts = table.modules[known - 1];
  for (uint32_t i = 0; i < facts.header_count; ++i) {
    if (facts.headers[i].p_type != PT_GNU_EH_FRAME) continue;
    module = {facts.start, facts.end, facts.bias + facts.headers[i].p_vaddr};
    return true;
  }
  return false;
}

void refresh_modules() {
  EntryGuard guard;
  if (!guard) return;
  table.epoch.fetch_add(1, std::memory_order_relaxed);
  for (uint32_t i = 0; i < count_of(); ++i) table.modules[i].seen = false;
  dl_iterate_phdr(visit, &*guard);
  enter_unloads(*guard);
}

void reenter_modules(Window& window, uint64_t time) {
  for (uint32_t i = 0; i < count_of(); ++i) {
    const Module& module = table.modules[i];
    if (module.present.load(std::memory_order_relaxed)) enter_module(window, i + 1, module, time);
  }
}

void prepare_modules() {
  table.find_object =
      reinterpret_cast<int (*)(void*, dl_find_object*)>(dlsym(RTLD_DEFAULT, "_dl_find_object"));
}

}  // namespace heapledger::runtime
