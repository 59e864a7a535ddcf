#include "cli/doctor/libraries.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <set>
#include <string_view>

#include "elf/bytes.h"

namespace heapledger::cli::doctor {
namespace {

constexpr const char* kCache = "/etc/ld.so.cache";
constexpr size_t kMostCacheBytes = 64u << 20;
constexpr const char* kUsualFolders[] = {"/lib/x86_64-linux-gnu",
                                         "/usr/lib/x86_64-linux-gnu",
                                         "/lib64",
                                         "/usr/lib64",
                                         "/lib",
                                         "/usr/lib"};

// The cache as glibc has it since 2.2: a header, rows, and texts by their place from its start.
constexpr std::string_view kCacheMagic = "glibc-ld.so.cache1.1";
struct CacheHeader {
  char magic[20];
  uint32_t rows;
  uint32_t text_bytes;
  unsigned char rest[20];
};
struct CacheRow {
  int32_t flags;
  uint32_t name;
  uint32_t path;
  uint32_t system;
  uint64_t hardware;  // not 0: for some processors only
};

std::string_view text_at(std::string_view bytes, size_t at) {
  if (at >= bytes.size()) return {};
  return bytes.substr(at, bytes.find('\0', at) - at);
}

std::string_view folder_of(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? "." : path.substr(0, std::max<size_t>(slash, 1));
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
}

class Search {
 public:
  explicit Search(std::string cache) : cache_(std::move(cache)) {
    const char* folders = std::getenv("LD_LIBRARY_PATH");
    user_folders_ = folders == nullptr ? "" : folders;
  }

  // `program` gives its DT_RPATH to all it loads, as far as the asking one has no DT_RUNPATH.
  LoadedModule find(const std::string& name, const LoadedModule& asking,
                    const LoadedModule& program) {
    LoadedModule found{name, "", {}};
    if (name.find('/') != std::string::npos) {
      take(name, program, found);
      return found;
    }
    if (asking.image.runpath.empty()) {
      if (in_folders(asking.image.rpath, name, asking, found)) return found;
      if (in_folders(program.image.rpath, name, program, found)) return found;
    }
    if (in_folders(user_folders_, name, asking, found)) return found;
    if (in_folders(asking.image.runpath, name, asking, found)) return found;
    for (const std::string& path : places_in_cache(cache_, name)) {
      if (take(path, program, found)) return found;
    }
    for (const char* folder : kUsualFolders) {
      if (take(std::string(folder) + "/" + name, program, found)) return found;
    }
    return found;
  }

 private:
  bool in_folders(std::string_view folders, const std::string& name, const LoadedModule& asking,
                  LoadedModule& found) {
    while (!folders.empty()) {
      const size_t end = std::min(folders.find_first_of(":;"), folders.size());
      std::string folder(folders.substr(0, end));
      folders.remove_prefix(std::min(end + 1, folders.size()));
      for (const char* origin : {"${ORIGIN}", "$ORIGIN"}) {
        replace_all(folder, origin, folder_of(asking.path));
      }
      for (const char* library : {"${LIB}", "$LIB"}) {
        replace_all(folder, library, "lib/x86_64-linux-gnu");
      }
      if (take((folder.empty() ? "." : folder) + "/" + name, asking, found)) return true;
    }
    return false;
  }

  // The loader passes over libraries for other machines.
  static bool take(const std::string& path, const LoadedModule& like, LoadedModule& found) {
    const auto file = elf::ElfBytes::open(path);
    if (!file) return false;
    auto image = elf::read_elf_image(*file);
    if (!image || !image->native || image->machine != like.image.machine) return false;
    found.path = path;
    found.image = std::move(*image);
    return true;
  }

  std::string cache_;
  std::string user_folders_;
};

std::string read_cache() {
  const auto file = elf::ElfBytes::open(kCache);
  return file && file->size() <= kMostCacheBytes ? file->head(kMostCacheBytes) : std::string();
}

}  // namespace

std::vector<std::string> places_in_cache(const std::string& cache, const std::string& name) {
  std::vector<std::string> places;
  // An older form may come first; the texts' places count from where this one begins.
  const size_t start = cache.find(kCacheMagic);
  if (start == std::string::npos || cache.size() - start < sizeof(CacheHeader)) return places;
  const std::string_view bytes = std::string_view(cache).substr(start);
  CacheHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  const size_t room = (bytes.size() - sizeof header) / sizeof(CacheRow);
  for (size_t i = 0; i < std::min<size_t>(header.rows, room); ++i) {
    CacheRow row;
    std::memcpy(&row, bytes.data() + sizeof header + i * sizeof row, sizeof row);
    if (row.hardware == 0 && text_at(bytes, row.name) == name) {
      places.emplace_back(text_at(bytes, row.path));
    }
  }
  return places;
}

std::vector<LoadedModule> modules_of(const std::string& program) {
  std::vector<LoadedModule> modules;
  const auto file = elf::ElfBytes::open(program);
  const auto image = file ? elf::read_elf_image(*file) : std::nullopt;
  if (!image || !image->native) return modules;
  modules.push_back({program, program, *image});
  Search search(read_cache());
  std::set<std::string> met;
  for (size_t at = 0; at < modules.size(); ++at) {
    const std::vector<std::string> needed = modules[at].image.needed;
    for (const std::string& name : needed) {
      if (modules.size() >= kMostModules || !met.insert(name).second) continue;
      modules.push_back(search.find(name, modules[at], modules[0]));
    }
  }
  return modules;
}

}  // namespace heapledger::cli::doctor
