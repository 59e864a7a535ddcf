#include "symbols/elf_file.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>

namespace heapledger {
namespace {

bool is_elf(Elf* elf) {
  GElf_Ehdr header;
  return elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header) != nullptr;
}

}  // namespace

ElfFile::ElfFile(const std::string& path) : path_(path) {
  elf_version(EV_CURRENT);
  // Not O_RDONLY alone: a path may name a pipe or a device, which would block or act.
  struct stat status;
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  file_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file_ < 0) return;
  elf_ = elf_begin(file_, ELF_C_READ_MMAP, nullptr);
  if (elf_ != nullptr && !is_elf(elf_)) {
    elf_end(elf_);
    elf_ = nullptr;
  }
}

ElfFile::ElfFile(std::string bytes, std::string path)
    : path_(std::move(path)), bytes_(bytes.begin(), bytes.end()) {
  elf_version(EV_CURRENT);
  elf_ = elf_memory(bytes_.data(), bytes_.size());
  if (elf_ != nullptr && !is_elf(elf_)) {
    elf_end(elf_);
    elf_ = nullptr;
  }
}

ElfFile::~ElfFile() {
  if (elf_ != nullptr) elf_end(elf_);
  if (file_ >= 0) close(file_);
}

ElfFile::ElfFile(ElfFile&& other) noexcept
    : path_(std::move(other.path_)),
      bytes_(std::move(other.bytes_)),
      file_(std::exchange(other.file_, -1)),
      elf_(std::exchange(other.elf_, nullptr)) {}

bool ElfFile::is_native() const {
  GElf_Ehdr header;
  if (elf_ == nullptr || gelf_getehdr(elf_, &header) == nullptr) return false;
  constexpr unsigned char kOrder =
      std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  return header.e_ident[EI_DATA] == kOrder;
}

std::string ElfFile::build_id() const {
  const void* bytes = nullptr;
  const ssize_t length = elf_ != nullptr ? dwelf_elf_gnu_build_id(elf_, &bytes) : 0;
  if (length <= 0) return {};
  return {static_cast<const char*>(bytes), static_cast<size_t>(length)};
}

std::pair<std::string, uint32_t> ElfFile::debug_link() const {
  GElf_Word checksum = 0;
  const char* const name = elf_ != nullptr ? dwelf_elf_gnu_debuglink(elf_, &checksum) : nullptr;
  if (name == nullptr) return {};
  return {name, checksum};
}

Elf_Scn* ElfFile::find(std::string_view name) const {
  size_t names = 0;
  if (elf_ == nullptr || elf_getshdrstrndx(elf_, &names) != 0) return nullptr;
  for (Elf_Scn* at = elf_nextscn(elf_, nullptr); at != nullptr; at = elf_nextscn(elf_, at)) {
    GElf_Shdr header;
    if (gelf_getshdr(at, &header) == nullptr || header.sh_type == SHT_NOBITS) continue;
    const char* const found = elf_strptr(elf_, names, header.sh_name);
    if (found != nullptr && found == name) return at;
  }
  return nullptr;
}

std::string_view ElfFile::section(std::string_view name) const {
  Elf_Scn* const at = find(name);
  const Elf_Data* const data = at != nullptr ? elf_rawdata(at, nullptr) : nullptr;
  if (data == nullptr || data->d_buf == nullptr) return {};
  return {static_cast<const char*>(data->d_buf), data->d_size};
}

bool ElfFile::has_section(std::string_view name) const {
  return find(name) != nullptr;
}

bool ElfFile::is_packed() const {
  if (has_section(".zdebug_info")) return true;
  GElf_Shdr header;
  Elf_Scn* const info = find(".debug_info");
  return info != nullptr && gelf_getshdr(info, &header) != nullptr &&
         (header.sh_flags & SHF_COMPRESSED) != 0;
}

std::vector<AddressRange> ElfFile::code() const {
  std::vector<AddressRange> ranges;
  if (elf_ == nullptr) return ranges;
  for (Elf_Scn* at = elf_nextscn(elf_, nullptr); at != nullptr; at = elf_nextscn(elf_, at)) {
    GElf_Shdr header;
    if (gelf_getshdr(at, &header) == nullptr) continue;
    const bool code = (header.sh_flags & SHF_EXECINSTR) != 0 && (header.sh_flags & SHF_ALLOC) != 0;
    if (code && header.sh_size != 0 && header.sh_addr + header.sh_size > header.sh_addr) {
      ranges.push_back({header.sh_addr, header.sh_addr + header.sh_size});
    }
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const AddressRange& a, const AddressRange& b) { return a.start < b.start; });
  return ranges;
}

}  // namespace heapledger
