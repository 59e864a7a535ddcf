#include "symbols/debug_files.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <climits>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "symbols/elf_file.h"

namespace heapledger {
namespace {

constexpr const char* kSystemFolder = "/usr/lib/debug";

std::string real_path(const std::string& path) {
  char* const real = realpath(path.c_str(), nullptr);
  std::string found(real != nullptr ? real : path);
  std::free(real);
  return found;
}

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

// "/.build-id/ab/cdef….debug"; empty when the build id is too short for that.
std::string by_build_id(std::string_view build_id) {
  if (build_id.size() < 2) return {};
  std::string name = "/.build-id/";
  for (size_t i = 0; i < build_id.size(); ++i) {
    if (i == 1) name += '/';
    const auto byte = static_cast<unsigned char>(build_id[i]);
    name += "0123456789abcdef"[byte >> 4];
    name += "0123456789abcdef"[byte & 15];
  }
  return name + ".debug";
}

std::optional<uint32_t> checksum_of(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  uLong checksum = crc32(0, nullptr, 0);
  std::vector<unsigned char> block(1u << 20);
  ssize_t got = 0;
  while ((got = read(file, block.data(), block.size())) > 0) {
    checksum = crc32(checksum, block.data(), static_cast<uInt>(got));
  }
  close(file);
  if (got < 0) return {};
  return static_cast<uint32_t>(checksum);
}

bool has_dwarf(const ElfFile& file) {
  return file.has_section(".debug_info") || file.has_section(".zdebug_info");
}

class Search {
 public:
  Search(std::span<const std::string> folders, Debuginfod& debuginfod,
         const Debuginfod::Progress& progress)
      : folders_(folders.begin(), folders.end()), debuginfod_(debuginfod), progress_(progress) {
    folders_.emplace_back(kSystemFolder);
  }

  std::string by_id(std::string_view build_id) {
    const std::string name = by_build_id(build_id);
    if (name.empty()) return {};
    for (const std::string& folder : folders_) {
      if (is(folder + name, build_id)) return folder + name;
    }
    return {};
  }

  // .gnu_debuglink gives a name and a checksum.
  std::string by_link(const ElfFile& image, std::string_view build_id) const {
    const auto [name, checksum] = image.debug_link();
    if (name.empty()) return {};
    const std::string own = real_path(image.path());
    const std::string folder = folder_of(own);
    std::vector<std::string> places{folder + "/" + name, folder + "/.debug/" + name};
    for (const std::string& root : folders_) {
      places.push_back(root);
      places.back().append(folder).append("/").append(name);
    }
    for (const std::string& place : places) {
      if (real_path(place) == own) continue;
      const ElfFile file(place);
      if (!file.is_native()) continue;
      // The same build id says the same as the checksum, and needs no reading of it all.
      const std::string its = file.build_id();
      const bool both = !its.empty() && !build_id.empty();
      if (both ? its == build_id : checksum_of(place) == checksum) return place;
    }
    return {};
  }

  std::string by_server(std::string_view build_id) {
    const std::string found = debuginfod_.fetch(build_id, progress_);
    return is(found, build_id) ? found : std::string();
  }

  // The file that dwz has moved common parts to; its name is relative to the one that refers to it.
  std::string common(const std::string& debug) {
    const ElfFile file(debug);
    if (!file.has_section(".gnu_debugaltlink")) return {};
    const std::string_view link = file.section(".gnu_debugaltlink");
    const size_t end = link.find('\0');
    if (end == std::string_view::npos) return {};
    const std::string name(link.substr(0, end));
    const std::string_view build_id = link.substr(end + 1);
    std::string beside = name.starts_with('/') ? name : folder_of(real_path(debug)) + "/" + name;
    if (is(beside, build_id)) return beside;
    if (std::string found = by_id(build_id); !found.empty()) return found;
    for (const std::string& folder : folders_) {
      std::string place = folder + "/.dwz/" + std::string(file_name(name));
      if (is(place, build_id)) return place;
    }
    return by_server(build_id);
  }

 private:
  static bool is(const std::string& path, std::string_view build_id) {
    if (path.empty() || build_id.empty()) return false;
    const ElfFile file(path);
    return file.is_native() && file.build_id() == build_id;
  }

  std::vector<std::string> folders_;
  Debuginfod& debuginfod_;
  const Debuginfod::Progress& progress_;
};

}  // namespace

std::string_view file_name(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

DebugFiles find_debug_files(const std::string& path, std::string_view build_id,
                            std::span<const std::string> folders, Debuginfod& debuginfod,
                            const Debuginfod::Progress& progress) {
  DebugFiles files;
  Search search(folders, debuginfod, progress);
  const ElfFile image(path);
  std::string id(build_id);
  if (!image) {
    files.remark = access(path.c_str(), F_OK) == 0
                       ? path + " cannot be read as a program or library"
                       : path + " is not there";
  } else if (!build_id.empty() && image.build_id() != build_id) {
    files.remark = path + " was built differently from what ran";
  } else {
    files.image = path;
    id = image.build_id();
    if (!image.is_native()) return files;
    if (has_dwarf(image)) files.debug = path;
  }
  if (files.debug.empty()) files.debug = search.by_id(id);
  if (files.debug.empty() && !files.image.empty()) files.debug = search.by_link(image, id);
  if (files.debug.empty()) files.debug = search.by_server(id);
  if (!files.debug.empty()) files.common = search.common(files.debug);
  return files;
}

}  // namespace heapledger
