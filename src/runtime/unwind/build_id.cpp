#include "runtime/unwind/build_id.h"

#include <cstring>

namespace heapledger::runtime {
namespace {

constexpr size_t kMaxBuildId = 64;

size_t padded(uint64_t bytes) {
  return (bytes + 3) & ~uint64_t{3};
}

BuildId in_notes(const unsigned char* at, size_t bytes) {
  while (bytes >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    memcpy(&note, at, sizeof note);
    size_t name = padded(note.n_namesz);
    size_t whole = sizeof note + name + padded(note.n_descsz);
    if (whole > bytes) break;
    bool is_gnu = note.n_namesz == 4 && memcmp(at + sizeof note, "GNU", 4) == 0;
    if (is_gnu && note.n_type == NT_GNU_BUILD_ID && note.n_descsz <= kMaxBuildId) {
      return {at + sizeof note + name, note.n_descsz};
    }
    at += whole;
    bytes -= whole;
  }
  return {};
}

}  // namespace

BuildId find_build_id(const ElfW(Phdr) * headers, size_t count, uint64_t bias, uint64_t start,
                      uint64_t end) {
  for (size_t i = 0; i < count; ++i) {
    if (headers[i].p_type != PT_NOTE) continue;
    uint64_t from = bias + headers[i].p_vaddr;
    if (from < start || from >= end || headers[i].p_memsz > end - from) continue;
    BuildId id = in_notes(reinterpret_cast<const unsigned char*>(from), headers[i].p_memsz);
    if (id.data != nullptr) return id;
  }
  return {};
}

}  // namespace heapledger::runtime
