#include "cores/not_a_core.h"

#include <string_view>

#include "format/layout.h"
#include "format/sealed.h"
#include "text/text.h"

namespace heapledger::cores {
namespace {

struct Packing {
  std::string_view magic;
  std::string_view name;
  std::string_view command;
  std::string_view ending;
};

using namespace std::string_view_literals;

constexpr Packing kPackings[] = {
    {"\x28\xB5\x2F\xFD"sv, "zstd", "zstd -d", ".zst"},
    {"\x1F\x8B"sv, "gzip", "gzip -dk", ".gz"},
    {"\x04\x22\x4D\x18"sv, "lz4", "lz4 -d", ".lz4"},
    {"\xFD\x37\x7A\x58\x5A\x00"sv, "xz", "xz -dk", ".xz"},
    {"BZh"sv, "bzip2", "bzip2 -dk", ".bz2"},
};

std::string packed_with(const Packing& packing, const std::string& path) {
  std::string command(packing.command);
  command += ' ' + shell_word(path);
  std::string unpacked = path.ends_with(packing.ending)
                             ? path.substr(0, path.size() - packing.ending.size())
                             : std::string();
  std::string message =
      "is compressed with " + std::string(packing.name) + "; decompress it first: " + command;
  if (!unpacked.empty()) message += ", then give " + shell_word(unpacked);
  return message;
}

std::string which_elf(const elf::ElfHeader& header) {
  switch (header.type) {
    case 1:
      return "is an object file, not a core dump";
    case elf::kElfProgram:
      return "is a program, not a core dump; the program comes first, then its core";
    case elf::kElfShared:
      return "is a program or library, not a core dump; the program comes first, then its core";
    default:
      return "is an ELF file of an unknown kind, not a core dump";
  }
}

}  // namespace

std::string why_no_core(ByteWindows& file, const std::optional<elf::ElfHeader>& header) {
  std::string said = file.name() + ": ";
  if (header) return said + which_elf(*header);
  unsigned char bytes[16] = {};
  size_t got = file.read(0, bytes);
  std::string_view start(reinterpret_cast<const char*>(bytes), got);
  if (start.empty()) return said + "is empty, not a core dump";
  for (const Packing& packing : kPackings) {
    if (start.starts_with(packing.magic)) return said + packed_with(packing, file.name());
  }
  if (start.starts_with(std::string_view(format::kFileMagic, sizeof(format::kFileMagic))) ||
      start.starts_with(std::string_view(format::kSealedMagic, sizeof(format::kSealedMagic)))) {
    return said + "is a ledger, not a core dump; heapledger report shows it";
  }
  if (start.starts_with("\x7F"
                        "ELF"sv)) {
    return said + "is the beginning of an ELF file, or a damaged one, not a core dump";
  }
  if (start.starts_with("MDMP"sv)) return said + "is a minidump, which has no heap in it";
  return said +
         "is not a core dump: it does not begin with an ELF header; a plain dump of memory "
         "is read as raw memory";
}

}  // namespace heapledger::cores
