#include "runtime/os/elf_program.h"

#include <arch_clock.h>
#include <elf.h>

#include <cstring>

namespace heapledger::runtime::os {
namespace {

using format::Unrecorded;

constexpr unsigned kMostDynamic = 4096;
constexpr unsigned kMostNotes = 64;
constexpr unsigned kMostChain = 4096;

bool starts(const char* text, const char* start) {
  return strncmp(text, start, strlen(start)) == 0;
}

const char* base_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

// glibc's loaders; every other is of another C library.
bool is_glibc(const char* loader) {
  const char* name = base_name(loader);
  return starts(name, "ld-linux") || starts(name, "ld64.so") || starts(name, "ld.so") ||
         starts(name, "ld-2.");
}

uint32_t gnu_hash(const char* name) {
  uint32_t hash = 5381;
  for (; *name != '\0'; ++name) hash = hash * 33 + static_cast<unsigned char>(*name);
  return hash;
}

class ElfProgram {
 public:
  explicit ElfProgram(FileBytes& file) : file_(file) {}

  ProgramFacts look() {
    Unrecorded foreign = other_machine();
    if (foreign != Unrecorded::kNone) return {foreign};
    if (!file_.read(0, &header_, sizeof header_) || header_.e_phentsize != sizeof(Elf64_Phdr) ||
        (header_.e_type != ET_EXEC && header_.e_type != ET_DYN)) {
      return {};
    }
    bool dynamic = find_dynamic();
    Elf64_Phdr part;
    if (!find_part(PT_INTERP, part)) {
      if (dynamic && is_loader()) return {Unrecorded::kNone, true};
      return {has_our_note() ? Unrecorded::kNone : Unrecorded::kStatic};
    }
    char loader[64];  // the end of its path
    const uint64_t before = part.p_filesz < sizeof loader ? 0 : part.p_filesz - sizeof loader;
    if (!file_.read_text(part.p_offset + before, loader)) return {};
    if (!is_glibc(loader)) return {Unrecorded::kOtherLibrary};
    if (!dynamic) return {};
    Unrecorded needed = needed_sanitizer();
    return {needed != Unrecorded::kNone ? needed : sanitizer_inside()};
  }

 private:
  Unrecorded other_machine() {
    unsigned char start[EI_NIDENT + 4];
    if (!file_.read(0, start, sizeof start)) return Unrecorded::kNone;
    const bool little = start[EI_DATA] == ELFDATA2LSB;
    const unsigned low = start[EI_NIDENT + (little ? 2 : 3)];
    const unsigned high = start[EI_NIDENT + (little ? 3 : 2)];
    const unsigned machine = high << 8 | low;
    const bool wide = start[EI_CLASS] == ELFCLASS64;
    if (!wide && (machine == EM_386 || machine == kMachine)) return Unrecorded::kNarrow;
    return wide && little && machine == kMachine ? Unrecorded::kNone : Unrecorded::kOtherMachine;
  }

  bool part_at(unsigned index, Elf64_Phdr& part) {
    return file_.read(header_.e_phoff + uint64_t{index} * sizeof part, &part, sizeof part);
  }

  bool find_part(uint32_t type, Elf64_Phdr& part) {
    for (unsigned i = 0; i < header_.e_phnum && part_at(i, part); ++i) {
      if (part.p_type == type) return true;
    }
    return false;
  }

  bool find_offset(uint64_t address, uint64_t& offset) {
    Elf64_Phdr part;
    for (unsigned i = 0; i < header_.e_phnum && part_at(i, part); ++i) {
      if (part.p_type != PT_LOAD || address < part.p_vaddr ||
          address - part.p_vaddr >= part.p_filesz) {
        continue;
      }
      offset = part.p_offset + (address - part.p_vaddr);
      return true;
    }
    return false;
  }

  // Calls `use` for each entry of the dynamic section, until it returns true.
  template <typename Use>
  bool any_dynamic(Use use) {
    Elf64_Dyn entry;
    for (unsigned i = 0; i < kMostDynamic && (i + 1) * sizeof entry <= dynamic_.p_filesz; ++i) {
      if (!file_.read(dynamic_.p_offset + i * sizeof entry, &entry, sizeof entry) ||
          entry.d_tag == DT_NULL) {
        return false;
      }
      if (use(entry)) return true;
    }
    return false;
  }

  bool find_dynamic() {
    if (!find_part(PT_DYNAMIC, dynamic_)) return false;
    uint64_t strings = 0;
    uint64_t symbols = 0;
    uint64_t hashes = 0;
    any_dynamic([&](const Elf64_Dyn& entry) {
      if (entry.d_tag == DT_STRTAB) strings = entry.d_un.d_ptr;
      if (entry.d_tag == DT_SYMTAB) symbols = entry.d_un.d_ptr;
      if (entry.d_tag == DT_GNU_HASH) hashes = entry.d_un.d_ptr;
      return false;
    });
    has_hashes_ = hashes != 0 && find_offset(hashes, hashes_) && find_offset(symbols, symbols_);
    return find_offset(strings, strings_);
  }

  // A dynamic loader run as a program: it has no loader, and preloads as always.
  bool is_loader() {
    return any_dynamic([this](const Elf64_Dyn& entry) {
      char name[32];
      return entry.d_tag == DT_SONAME && file_.read_text(strings_ + entry.d_un.d_val, name) &&
             starts(base_name(name), "ld");
    });
  }

  // The mark of libheapledger_static.a: the program records itself.
  bool has_our_note() {
    Elf64_Phdr part;
    for (unsigned i = 0; i < header_.e_phnum && part_at(i, part); ++i) {
      if (part.p_type == PT_NOTE && is_in_notes(part)) return true;
    }
    return false;
  }

  bool is_in_notes(const Elf64_Phdr& part) {
    static constexpr char kOwner[] = "Heapledger";
    const uint64_t align = part.p_align == 8 ? 8 : 4;
    uint64_t at = 0;
    for (unsigned i = 0; i < kMostNotes && at < part.p_filesz; ++i) {
      Elf64_Nhdr note;
      char name[sizeof kOwner];
      if (!file_.read(part.p_offset + at, &note, sizeof note)) return false;
      if (note.n_type == 1 && note.n_namesz == sizeof kOwner &&
          file_.read(part.p_offset + at + sizeof note, name, sizeof name) &&
          memcmp(name, kOwner, sizeof kOwner) == 0) {
        return true;
      }
      uint64_t content = (at + sizeof note + note.n_namesz + align - 1) & ~(align - 1);
      at = (content + note.n_descsz + align - 1) & ~(align - 1);
    }
    return false;
  }

  Unrecorded needed_sanitizer() {
    Unrecorded found = Unrecorded::kNone;
    any_dynamic([&](const Elf64_Dyn& entry) {
      char name[32];
      if (entry.d_tag != DT_NEEDED || !file_.read_text(strings_ + entry.d_un.d_val, name)) {
        return false;
      }
      found = sanitizer_library(name, strlen(name));
      return found != Unrecorded::kNone;
    });
    return found;
  }

  // Whether the program defines a function that others see.
  bool defines(const char* name) {
    uint32_t lead[4];  // buckets, first symbol, words of the filter, its shift
    if (!has_hashes_ || !file_.read(hashes_, lead, sizeof lead) || lead[0] == 0 || lead[2] == 0) {
      return false;
    }
    const uint32_t hash = gnu_hash(name);
    uint64_t word;
    if (!file_.read(hashes_ + sizeof lead + uint64_t{hash / 64 % lead[2]} * sizeof word, &word,
                    sizeof word) ||
        (word >> hash % 64 & word >> (hash >> (lead[3] & 31)) % 64 & 1) == 0) {
      return false;
    }
    const uint64_t buckets = hashes_ + sizeof lead + uint64_t{lead[2]} * sizeof word;
    const uint64_t chains = buckets + uint64_t{lead[0]} * sizeof(uint32_t);
    uint32_t symbol;
    if (!file_.read(buckets + uint64_t{hash % lead[0]} * sizeof symbol, &symbol, sizeof symbol) ||
        symbol < lead[1]) {
      return false;
    }
    for (unsigned i = 0; i < kMostChain; ++i, ++symbol) {
      uint32_t chained;
      if (!file_.read(chains + uint64_t{symbol - lead[1]} * sizeof chained, &chained,
                      sizeof chained)) {
        return false;
      }
      if ((chained | 1) == (hash | 1) && is_named(symbol, name)) return true;
      if ((chained & 1) != 0) return false;
    }
    return false;
  }

  bool is_named(uint32_t index, const char* wanted) {
    Elf64_Sym symbol;
    char name[32];
    return file_.read(symbols_ + uint64_t{index} * sizeof symbol, &symbol, sizeof symbol) &&
           file_.read_text(strings_ + symbol.st_name, name) && strcmp(name, wanted) == 0;
  }

  // Clang's are linked in and export how they begin. GCC's, linked in with -static-libasan and the
  // like, show only what they stand in front of: no other program brings a malloc and a
  // pthread_create. Which one it is shows in how much more it does.
  Unrecorded sanitizer_inside() {
    struct Mark {
      const char* symbol;
      Unrecorded reason;
    };
    static constexpr Mark kMarks[] = {{"__asan_init", Unrecorded::kAddressSanitizer},
                                      {"__hwasan_init", Unrecorded::kHwAddressSanitizer},
                                      {"__tsan_init", Unrecorded::kThreadSanitizer},
                                      {"__msan_init", Unrecorded::kMemorySanitizer},
                                      {"__lsan_init", Unrecorded::kLeakSanitizer}};
    if (!defines("malloc")) return Unrecorded::kNone;
    for (const Mark& mark : kMarks) {
      if (defines(mark.symbol)) return mark.reason;
    }
    if (!defines("pthread_create")) return Unrecorded::kNone;
    if (defines("epoll_ctl")) return Unrecorded::kThreadSanitizer;
    return defines("strlen") ? Unrecorded::kAddressSanitizer : Unrecorded::kLeakSanitizer;
  }

  FileBytes& file_;
  Elf64_Ehdr header_;
  Elf64_Phdr dynamic_;
  uint64_t strings_ = 0;
  uint64_t symbols_ = 0;
  uint64_t hashes_ = 0;
  bool has_hashes_ = false;
};

}  // namespace

Unrecorded sanitizer_library(const char* name, size_t length) {
  struct Library {
    const char* start;
    Unrecorded reason;
  };
  static constexpr Library kLibraries[] = {
      {"libasan.so", Unrecorded::kAddressSanitizer},
      {"libclang_rt.asan", Unrecorded::kAddressSanitizer},
      {"libhwasan.so", Unrecorded::kHwAddressSanitizer},
      {"libclang_rt.hwasan", Unrecorded::kHwAddressSanitizer},
      {"libtsan.so", Unrecorded::kThreadSanitizer},
      {"libclang_rt.tsan", Unrecorded::kThreadSanitizer},
      {"liblsan.so", Unrecorded::kLeakSanitizer},
      {"libclang_rt.lsan", Unrecorded::kLeakSanitizer},
      {"libclang_rt.msan", Unrecorded::kMemorySanitizer},
  };
  for (const Library& library : kLibraries) {
    size_t start = strlen(library.start);
    if (length >= start && memcmp(name, library.start, start) == 0) return library.reason;
  }
  return Unrecorded::kNone;
}

ProgramFacts look_at_elf(FileBytes& file) {
  return ElfProgram(file).look();
}

}  // namespace heapledger::runtime::os
