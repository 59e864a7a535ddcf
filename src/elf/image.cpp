#include "elf/image.h"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>

#include "elf/symbols.h"

namespace heapledger::elf {
namespace {

constexpr uint64_t kMostProgramHeaderBytes = 65536;  // the kernel's own limit
constexpr uint64_t kMostLoaderBytes = 4096;          // the kernel's own limit, PATH_MAX
constexpr uint64_t kMostDynamicBytes = 1u << 20;
constexpr size_t kMostOneNameBytes = 1024;
constexpr size_t kMostNeeded = 4096;
constexpr uint64_t kMostNoteBytes = 65536;

using ProgramHeaders = std::vector<ElfW(Phdr)>;

std::string text_at(const ElfBytes& file, uint64_t offset) {
  std::array<char, kMostOneNameBytes> text;
  if (offset >= file.size()) return {};
  const auto bytes = static_cast<size_t>(std::min<uint64_t>(text.size(), file.size() - offset));
  if (!file.read(offset, text.data(), bytes)) return {};
  return {text.data(), strnlen(text.data(), bytes)};
}

std::optional<std::string> loader_of(const ElfBytes& file, const ElfW(Phdr) & interp) {
  const auto text = file.table<char>(interp.p_offset, interp.p_filesz, kMostLoaderBytes);
  if (!text) return std::nullopt;
  return std::string(text->data(), strnlen(text->data(), text->size()));
}

std::optional<uint64_t> file_offset(const ProgramHeaders& headers, uint64_t address) {
  for (const ElfW(Phdr) & header : headers) {
    if (header.p_type == PT_LOAD && address >= header.p_vaddr &&
        address - header.p_vaddr < header.p_filesz) {
      return header.p_offset + (address - header.p_vaddr);
    }
  }
  return std::nullopt;
}

void read_dynamic(const ElfBytes& file, const ProgramHeaders& headers, const ElfW(Phdr) & dynamic,
                  ElfImage& image) {
  const auto entries = file.table<ElfW(Dyn)>(dynamic.p_offset, dynamic.p_filesz / sizeof(ElfW(Dyn)),
                                             kMostDynamicBytes);
  if (!entries) return;
  const auto end = std::find_if(entries->begin(), entries->end(),
                                [](const ElfW(Dyn) & entry) { return entry.d_tag == DT_NULL; });
  const auto strings = std::find_if(
      entries->begin(), end, [](const ElfW(Dyn) & entry) { return entry.d_tag == DT_STRTAB; });
  if (strings == end) return;
  const auto names = file_offset(headers, strings->d_un.d_ptr);
  if (!names) return;
  for (auto entry = entries->begin(); entry != end; ++entry) {
    if (entry->d_tag == DT_RPATH) image.rpath = text_at(file, *names + entry->d_un.d_val);
    if (entry->d_tag == DT_RUNPATH) image.runpath = text_at(file, *names + entry->d_un.d_val);
    if (entry->d_tag == DT_SONAME) image.soname = text_at(file, *names + entry->d_un.d_val);
    if (entry->d_tag == DT_NEEDED && image.needed.size() < kMostNeeded) {
      image.needed.push_back(text_at(file, *names + entry->d_un.d_val));
    }
  }
}

// The mark that libheapledger_static.a leaves in a program: a note with our name.
bool has_our_note(const ElfBytes& file, const ElfW(Phdr) & part) {
  static constexpr char kName[] = "Heapledger";
  constexpr std::string_view kOwner(kName, sizeof kName);  // with its zero byte
  constexpr uint32_t kType = 1;
  const auto bytes = file.table<char>(part.p_offset, part.p_filesz, kMostNoteBytes);
  const uint64_t align = part.p_align == 8 ? 8 : 4;
  if (!bytes) return false;
  for (uint64_t at = 0; at + sizeof(ElfW(Nhdr)) <= bytes->size();) {
    ElfW(Nhdr) note;
    std::memcpy(&note, bytes->data() + at, sizeof note);
    const uint64_t name = at + sizeof note;
    if (note.n_type == kType && note.n_namesz == kOwner.size() &&
        name + kOwner.size() <= bytes->size() &&
        std::string_view(bytes->data() + name, kOwner.size()) == kOwner) {
      return true;
    }
    const uint64_t content = (name + note.n_namesz + align - 1) & ~(align - 1);
    at = (content + note.n_descsz + align - 1) & ~(align - 1);
  }
  return false;
}

void read_program_headers(const ElfBytes& file, const ElfW(Ehdr) & header, ElfImage& image) {
  const auto headers =
      file.table<ElfW(Phdr)>(header.e_phoff, header.e_phnum, kMostProgramHeaderBytes);
  if (!headers || headers->empty() || header.e_phentsize != sizeof(ElfW(Phdr))) {
    image.damaged = true;
    return;
  }
  bool loadable = false;
  for (const ElfW(Phdr) & part : *headers) {
    if (part.p_type == PT_LOAD) {
      loadable = true;
      // A file cut short loads, and then dies of SIGBUS; better said before.
      if (part.p_offset > file.size() || part.p_filesz > file.size() - part.p_offset) {
        image.damaged = true;
      }
    }
    if (part.p_type == PT_NOTE && has_our_note(file, part)) image.holds_recorder = true;
    if (part.p_type == PT_INTERP && !image.loader) {
      image.loader = loader_of(file, part);
      if (!image.loader) image.damaged = true;
    }
  }
  if (!loadable) image.damaged = true;
  if (image.damaged) return;
  const auto dynamic = std::find_if(headers->begin(), headers->end(), [](const ElfW(Phdr) & part) {
    return part.p_type == PT_DYNAMIC;
  });
  if (dynamic != headers->end()) read_dynamic(file, *headers, *dynamic, image);
}

}  // namespace

std::optional<ElfImage> read_elf_image(const ElfBytes& file) {
  std::array<unsigned char, EI_NIDENT + 4> start;  // the identification, e_type and e_machine
  const std::string head = file.head(start.size());
  if (head.compare(0, SELFMAG, ELFMAG) != 0) return std::nullopt;
  ElfImage image;
  if (head.size() < start.size()) {
    image.damaged = true;
    return image;
  }
  std::memcpy(start.data(), head.data(), start.size());
  const bool little = start[EI_DATA] == ELFDATA2LSB;
  const auto half = [&](size_t at) {
    const unsigned low = start[little ? at : at + 1];
    const unsigned high = start[little ? at + 1 : at];
    return static_cast<uint16_t>(high << 8 | low);
  };
  image.wide = start[EI_CLASS] == ELFCLASS64;
  image.type = half(EI_NIDENT);
  image.machine = half(EI_NIDENT + 2);
  image.native = image.wide == (sizeof(ElfW(Addr)) == 8) &&
                 little == (std::endian::native == std::endian::little);
  if (!image.native) return image;

  ElfW(Ehdr) header;
  if (!file.read(0, &header, sizeof header)) {
    image.damaged = true;
    return image;
  }
  read_program_headers(file, header, image);
  if (!image.damaged) find_allocators(file, image);
  return image;
}

}  // namespace heapledger::elf
