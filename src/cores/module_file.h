// An ELF image, of which little more is wanted than where it is loaded and its build id; in a file,
// or in the memory of a process.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cores/byte_windows.h"
#include "cores/memory.h"
#include "elf/reader.h"

namespace heapledger::cores {

struct ElfImage {
  elf::ElfHeader header;
  std::vector<elf::ElfSegment> segments;
  std::string build_id;
  // What lies between the program headers and the end of the first page.
  std::vector<unsigned char> sample;

  // What was added to the addresses in the file when the image was loaded at `start`.
  uint64_t bias_at(uint64_t start) const;
  // Behind its last address in memory, in whole pages.
  uint64_t end_with(uint64_t bias) const;
  bool same_build(const ElfImage& other) const;
};

// Of a program or library whose header is at `start`; nothing when there is none.
std::optional<ElfImage> image_in_memory(const elf::ReadAt& memory, uint64_t start);

struct ModuleFile {
  std::shared_ptr<ByteWindows> bytes;
  ElfImage image;
};

// Files that were looked at once are not looked at again.
class ModuleFiles {
 public:
  // Null when there is no such file, or it is no program or library.
  const ModuleFile* find(const std::string& path);

 private:
  std::map<std::string, std::unique_ptr<ModuleFile>> files_;
};

}  // namespace heapledger::cores
