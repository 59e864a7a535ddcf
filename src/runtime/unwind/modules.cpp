#include "runtime/unwind/modules.h"

#include <link.h>

#include <atomic>
#include <cstring>

#include "runtime/ledger/clock.h"
#include "runtime/ledger/entry_guard.h"
#include "runtime/ledger/live_image.h"
#include "runtime/os/os.h"
#include "runtime/unwind/build_id.h"
#include "runtime/unwind/codes.h"
#include "runtime/unwind/objects.h"
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
  std::atomic<uint32_t> seen;  // by the refresh of this number, or a later one
  std::atomic<bool> stays;     // was loaded at the start of the program: nobody can unload it
  LoadedObject object;         // its headers and name are good while it is present
  uint64_t identity;
  BuildId build;
  unsigned char build_bytes[32];  // a copy of it, if it is not longer
  std::atomic<uint64_t> sign;     // sign_at() when the identity was last compared; 0: not known
};

struct Table {
  std::atomic<uint32_t> count{0};
  std::atomic<uint32_t> epoch{0};  // counts refreshes
  Module modules[kMaxModules];
};
constinit Table module_table = {};

// Where the executable is, once somebody has asked the kernel.
struct ExecutablePath {
  std::atomic<size_t> bytes{0};       // 0: not known yet
  std::atomic<bool> is_taken{false};  // by the one thread that writes it
  char text[kMaxPathBytes];
};
constinit ExecutablePath executable_path = {};

uint32_t count_of() {
  uint32_t count = module_table.count.load(std::memory_order_acquire);
  return count < kMaxModules ? count : kMaxModules;
}

uint32_t find_known(uint64_t pc) {
  for (uint32_t i = count_of(); i-- > 0;) {
    const Module& module = module_table.modules[i];
    if (module.present.load(std::memory_order_acquire) && pc >= module.object.start &&
        pc < module.object.end) {
      return i + 1;
    }
  }
  return kNoModule;
}

BuildId build_id_of(const LoadedObject& object) {
  return find_build_id(object.headers, object.header_count, object.bias, object.start, object.end);
}

// Tells one file from another that is mapped at the same place: by its program headers, build id
// and name. The loader's own pointers do not, because it reuses their memory. The kernel's list has
// another name for a file than the loader, so where that is asked a copy of a file is the same.
uint64_t identity_of(const LoadedObject& object) {
  constexpr uint64_t kPrime = 0x9E3779B97F4A7C15ull;
  uint64_t hash = object.bias;
  auto add = [&hash](uint64_t word) { hash = ((hash ^ word) * kPrime) ^ (hash >> 29); };
  for (uint32_t i = 0; i < object.header_count; ++i) {
    uint64_t words[sizeof(ElfW(Phdr)) / sizeof(uint64_t)];
    memcpy(words, &object.headers[i], sizeof words);
    for (uint64_t word : words) add(word);
  }
  BuildId build = build_id_of(object);
  for (size_t i = 0; i < build.bytes; ++i) add(build.data[i]);
  if (!loader_answers() || object.name == nullptr) return hash;
  for (size_t i = 0; i < kMaxPathBytes && object.name[i] != '\0'; ++i) {
    add(static_cast<unsigned char>(object.name[i]));
  }
  return hash;
}

// The same without a look at the module's pages, which a forked child may not have touched yet.
BuildId kept_build_id(const Module& module) {
  if (module.build.bytes > sizeof module.build_bytes) return module.build;
  return {module.build_bytes, module.build.bytes};
}

// Puts the path of the executable to `to`, without a zero at its end; returns how many bytes it
// has.
size_t put_executable(char* to, size_t room) {
  ExecutablePath& known = executable_path;
  if (size_t bytes = known.bytes.load(std::memory_order_acquire); bytes != 0 && bytes <= room) {
    memcpy(to, known.text, bytes);
    return bytes;
  }
  long got = os::read_link("/proc/self/exe", to, room);
  if (got <= 0) return 0;
  auto bytes = static_cast<size_t>(got);
  const bool whole = bytes < room && bytes <= sizeof known.text;
  if (whole && !known.is_taken.exchange(true, std::memory_order_relaxed)) {
    memcpy(known.text, to, bytes);
    known.bytes.store(bytes, std::memory_order_release);
  }
  return bytes;
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
    entry.took(put_executable(entry.tail(), kMaxPathBytes));
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

// The path into live mode's table; of one that is too long, the end.
void put_path(char (&path)[448], const char* name) {
  if (name == nullptr) name = "";
  size_t length = strlen(name);
  if (length == 0 && !filter_expected()) {
    path[put_executable(path, sizeof path - 1)] = '\0';
    return;
  }
  const char* from = length < sizeof path ? name : name + length - (sizeof path - 1);
  size_t at = 0;
  if (from == name && name[0] != '/' && strchr(name, '/') != nullptr && !filter_expected()) {
    long got = os::current_folder(path, sizeof path - length - 1);
    if (got > 1) {
      at = static_cast<size_t>(got);
      path[at - 1] = '/';
    }
  }
  strncpy(path + at, from, sizeof path - 1 - at);
}

bool keep_module(uint32_t id, const LoadedObject& object, BuildId build) {
  format::LiveModule* place = live_module(id);
  if (place == nullptr) return false;
  size_t bytes = build.bytes < sizeof place->build_id ? build.bytes : sizeof place->build_id;
  place->start = object.start;
  place->end = object.end;
  place->bias = object.bias;
  place->build_id_bytes = static_cast<uint32_t>(bytes);
  memcpy(place->build_id, build.data, bytes);
  put_path(place->path, object.name);
  __atomic_store_n(&place->state, 1, __ATOMIC_RELEASE);
  return true;
}

bool enter_module(Window& window, uint32_t id, const Module& module, uint64_t time) {
  const LoadedObject& object = module.object;
  BuildId build = kept_build_id(module);
  if (live_tables_wanted()) return keep_module(id, object, build);
  if (!room_for(window, kMaxPathBytes + kMaxFieldBytes)) return false;
  format::LongEntry entry(window.encoder, format::Kind::kModule, time);
  entry.number(id)
      .number(module_table.epoch.load(std::memory_order_relaxed))
      .number(object.start)
      .number(object.end)
      .number(object.bias)
      .number(build.bytes)
      .bytes(build.data, build.bytes);
  put_path(entry, object.name);
  entry.finish();
  return true;
}

// Enters the module, then lets others find it. Two threads may do so at once for the same module;
// the second description does no harm.
uint32_t add_module(Window& window, const LoadedObject& object, uint64_t time) {
  uint32_t index = module_table.count.load(std::memory_order_relaxed);
  do {
    if (index >= kMaxModules) return kNoModule;
  } while (!module_table.count.compare_exchange_weak(index, index + 1, std::memory_order_acq_rel));
  Module& module = module_table.modules[index];
  module.object = object;
  module.identity = identity_of(object);
  module.build = build_id_of(object);
  if (module.build.bytes <= sizeof module.build_bytes) {
    memcpy(module.build_bytes, module.build.data, module.build.bytes);
  }
  // A refresh that is under way may have passed it already.
  module.seen.store(module_table.epoch.load(std::memory_order_relaxed), std::memory_order_relaxed);
  if (!enter_module(window, index + 1, module, time)) return kNoModule;
  module.present.store(true, std::memory_order_release);
  return index + 1;
}

// Everything known about the code of a module that is gone is forgotten. Only then it is gone for
// other threads: until then they come here as well, and nobody goes on with what is still known.
void enter_unload(Window& window, uint32_t id) {
  Module& module = module_table.modules[id - 1];
  forget_range(module.object.start, module.object.end);
  forget_rows(module.object.start, module.object.end);
  forget_codes(module.object.start, module.object.end);
  begin_epoch();
  if (!module.present.exchange(false, std::memory_order_acq_rel)) return;
  if (live_tables_wanted()) return set_live_module_gone(id);
  if (!room_for(window, kMaxFieldBytes)) return;
  format::LongEntry(window.encoder, format::Kind::kUnload, now_units()).number(id).finish();
}

// One comparison with the loader's list. Two may run at once, after two dlcloses: each has its
// number, and a module is gone only if nobody has seen it since that number was given out.
struct Refresh {
  Window& window;
  uint32_t number;
};

int visit(dl_phdr_info* info, size_t, void* argument) {
  auto& refresh = *static_cast<Refresh*>(argument);
  LoadedObject object;
  object.bias = info->dlpi_addr;
  object.headers = info->dlpi_phdr;
  object.header_count = info->dlpi_phnum;
  object.name = info->dlpi_name;
  if (!set_extent(object)) return 0;
  uint32_t known = find_known(object.start);
  if (known != kNoModule) {
    Module& module = module_table.modules[known - 1];
    // The same place is not enough: another module may have been loaded there since.
    if (module.identity == identity_of(object)) {
      uint32_t seen = module.seen.load(std::memory_order_relaxed);
      while (seen < refresh.number && !module.seen.compare_exchange_weak(seen, refresh.number)) {
      }
      return 0;
    }
  }
  add_module(refresh.window, object, now_units());
  return 0;
}

void enter_unloads(const Refresh& refresh) {
  for (uint32_t i = 0; i < count_of(); ++i) {
    Module& module = module_table.modules[i];
    if (refresh.number == 1) module.stays.store(true, std::memory_order_relaxed);
    bool gone = module.seen.load(std::memory_order_relaxed) < refresh.number;
    if (module.present.load(std::memory_order_acquire) && gone) {
      enter_unload(refresh.window, i + 1);
    }
  }
}

bool stays(uint32_t known) {
  return known != kNoModule &&
         module_table.modules[known - 1].stays.load(std::memory_order_relaxed);
}

// Whether the module that is known at `pc` is still the one that is there.
bool is_still_there(uint32_t known, uint64_t pc) {
  // The kernel's list takes long to read: not without need.
  if (stays(known) || (!loader_answers() && !is_unloading())) return true;
  Module& module = module_table.modules[known - 1];
  uint64_t sign = sign_at(pc, module.build);
  if (sign != 0 && sign == module.sign.load(std::memory_order_relaxed)) return true;
  LoadedObject object;
  if (!object_around(pc, object, loader_answers())) return true;
  bool is_same = module.identity == identity_of(object);
  if (is_same) module.sign.store(sign, std::memory_order_relaxed);
  return is_same;
}

}  // namespace

uint32_t module_at(Window& window, uint64_t pc, uint64_t time) {
  uint32_t known = find_known(pc);
  if (known != kNoModule && is_still_there(known, pc)) return known;
  LoadedObject object;
  if (!object_around(pc, object)) return known;
  if (known != kNoModule) enter_unload(window, known);
  return add_module(window, object, time);
}

bool is_replaced(uint32_t module, uint64_t pc) {
  if (module == kNoModule) {
    LoadedObject object;
    return loader_answers() ? object_around(pc, object) : find_known(pc) != kNoModule;
  }
  return !(module_table.modules[module - 1].present.load(std::memory_order_acquire) &&
           is_still_there(module, pc));
}

bool stays_loaded(uint64_t pc) {
  return stays(find_known(pc - 1));
}

bool cfi_module_at(uint64_t pc, CfiModule& module) {
  uint32_t known = loader_answers() ? kNoModule : find_known(pc);
  if (known == kNoModule) return unwind_information_at(pc, module);
  bool doubted = is_unloading() && !stays(known);
  if (doubted && unwind_information_at(pc, module)) return true;
  return unwind_information_of(module_table.modules[known - 1].object, module);
}

void refresh_modules() {
  EntryGuard guard(Missed::kNothing);
  if (!guard) return;
  Refresh refresh = {*guard, module_table.epoch.fetch_add(1, std::memory_order_relaxed) + 1};
  dl_iterate_phdr(visit, &refresh);
  enter_unloads(refresh);
}

void reenter_modules(Window& window, uint64_t time) {
  if (live_tables_in_memory()) return;  // they came along
  for (uint32_t i = 0; i < count_of(); ++i) {
    const Module& module = module_table.modules[i];
    if (module.present.load(std::memory_order_relaxed)) {
      enter_module(window, i + 1, module, time);
    }
  }
}

void prepare_modules(bool by_mappings) {
  prepare_objects(by_mappings);
}

}  // namespace heapledger::runtime
