#include "runtime/unwind/objects.h"

#include <cstring>

#include "runtime/os/os.h"
#include "runtime/unwind/loader_lookup.h"
#include "runtime/unwind/mappings.h"
#include "runtime/unwind/unindexed_cfi.h"

namespace heapledger::runtime {
namespace {

// glibc's dl_find_object, written down here so that we also compile where it is missing.
struct Found {
  unsigned long long flags;
  void* map_start;
  void* map_end;
  link_map* map;
  void* eh_frame;  // .eh_frame_hdr, or null
  unsigned long long reserved[7];
};

using FindObject = int (*)(void*, Found*);
constinit FindObject find_object = nullptr;

bool find(uint64_t pc, Found& found) {
  return find_object(reinterpret_cast<void*>(pc), &found) == 0;
}

bool is_elf(const void* at) {
  return memcmp(at, ELFMAG, SELFMAG) == 0;
}

// Where the file's header is mapped; null if it is not.
const ElfW(Ehdr) * file_header(const Found& found) {
  if (is_elf(found.map_start)) return static_cast<const ElfW(Ehdr)*>(found.map_start);
  // An object with holes is known by segments: its first one has the header.
  Found first;
  if (!find(found.map->l_addr, first) || first.map != found.map || !is_elf(first.map_start)) {
    return nullptr;
  }
  return static_cast<const ElfW(Ehdr)*>(first.map_start);
}

bool describe(const Found& found, LoadedObject& object) {
  const auto* header = file_header(found);
  if (header == nullptr) return false;
  object.bias = found.map->l_addr;
  object.headers =
      reinterpret_cast<const ElfW(Phdr)*>(reinterpret_cast<uint64_t>(header) + header->e_phoff);
  object.header_count = header->e_phnum;
  object.name = found.map->l_name;
  return set_extent(object);
}

uint64_t mixed(uint64_t hash, const void* bytes, size_t count) {
  constexpr uint64_t kPrime = 0x9E3779B97F4A7C15ull;
  const auto* from = static_cast<const unsigned char*>(bytes);
  for (size_t at = 0; at < count; at += sizeof(uint64_t)) {
    uint64_t word = 0;
    memcpy(&word, from + at, count - at < sizeof word ? count - at : sizeof word);
    hash = ((hash ^ word) * kPrime) ^ (hash >> 29);
  }
  return hash;
}

// The segment that `at` lies in.
const ElfW(Phdr) * segment_at(const LoadedObject& object, uint64_t at) {
  for (uint32_t i = 0; i < object.header_count; ++i) {
    const ElfW(Phdr)& segment = object.headers[i];
    uint64_t offset = at - object.bias - segment.p_vaddr;
    if (segment.p_type == PT_LOAD && offset < segment.p_filesz) return &segment;
  }
  return nullptr;
}

}  // namespace

void prepare_objects(bool by_mappings) {
  void* function = by_mappings ? nullptr : find_object_function();
  find_object = reinterpret_cast<FindObject>(function);
}

bool loader_answers() {
  return find_object != nullptr;
}

bool set_extent(LoadedObject& object) {
  uint64_t page = os::page_bytes();
  object.start = UINT64_MAX;
  object.end = 0;
  for (uint32_t i = 0; i < object.header_count; ++i) {
    const ElfW(Phdr)& segment = object.headers[i];
    if (segment.p_type != PT_LOAD) continue;
    uint64_t start = (object.bias + segment.p_vaddr) & ~(page - 1);
    uint64_t end = object.bias + segment.p_vaddr + segment.p_memsz;
    if (start < object.start) object.start = start;
    if (end > object.end) object.end = end;
  }
  return object.start < object.end;
}

bool object_around(uint64_t pc, LoadedObject& object, bool want_name) {
  if (find_object == nullptr) return object_in_mappings(pc, want_name, object);
  Found found;
  return find(pc, found) && describe(found, object);
}

uint64_t sign_at(uint64_t pc, const BuildId& build) {
  constexpr uint64_t kReadable = 4096;  // of any object: its header is there
  Found found;
  if (find_object == nullptr || build.bytes == 0 || !find(pc, found)) return 0;
  uint64_t offset =
      reinterpret_cast<uint64_t>(build.data) - reinterpret_cast<uint64_t>(found.map_start);
  if (offset > kReadable || offset + build.bytes > kReadable) return 0;
  const void* const places[] = {found.map, found.map_start, found.map_end, found.eh_frame,
                                found.map->l_ld};
  uint64_t hash = mixed(1, places, sizeof places);
  hash = mixed(hash, build.data, build.bytes);
  if (found.map->l_name != nullptr)
    hash = mixed(hash, found.map->l_name, strlen(found.map->l_name));
  return hash | 1;
}

bool unwind_information_at(uint64_t pc, CfiModule& module) {
  LoadedObject object;
  if (find_object == nullptr) {
    return object_in_mappings(pc, false, object) && unwind_information_of(object, module);
  }
  Found found;
  if (!find(pc, found)) return false;
  if (found.eh_frame == nullptr) return describe(found, object) && find_unindexed(object, module);
  auto header = reinterpret_cast<uint64_t>(found.eh_frame);
  // An object with holes is known by segments: the one with the unwind information counts.
  if (!find(header, found)) return false;
  module = {reinterpret_cast<uint64_t>(found.map_start), reinterpret_cast<uint64_t>(found.map_end),
            header};
  return true;
}

bool unwind_information_of(const LoadedObject& object, CfiModule& module) {
  for (uint32_t i = 0; i < object.header_count; ++i) {
    if (object.headers[i].p_type != PT_GNU_EH_FRAME) continue;
    uint64_t header = object.bias + object.headers[i].p_vaddr;
    const auto* segment = segment_at(object, header);
    if (segment == nullptr) return false;
    uint64_t start = object.bias + segment->p_vaddr;
    module = {start, start + segment->p_filesz, header};
    return true;
  }
  return find_unindexed(object, module);
}

}  // namespace heapledger::runtime
