#include "cli/run/allocator.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <string_view>

#include "analyzer/error.h"
#include "cli/run/exit.h"
#include "cli/run/library.h"
#include "cli/shared/exit_status.h"
#include "elf/bytes.h"
#include "elf/image.h"
#include "text/text.h"

namespace heapledger::cli::run {
namespace {

constexpr std::string_view kWord = "allocator=";

struct Known {
  const char* name;
  std::array<const char*, 3> files;  // the first that is there
  const char* package;               // Debian's
};
constexpr Known kKnown[] = {
    {"jemalloc", {"libjemalloc.so.2", "libjemalloc.so", nullptr}, "libjemalloc2"},
    {"tcmalloc",
     {"libtcmalloc.so.4", "libtcmalloc_minimal.so.4", "libtcmalloc.so"},
     "libtcmalloc-minimal4"},
    {"mimalloc", {"libmimalloc.so.2", "libmimalloc.so.2.0", "libmimalloc.so"}, "libmimalloc2.0"},
};

bool readable(const std::string& path) {
  return ::access(path.c_str(), R_OK) == 0;
}

// The loader's own list: lines such as "\tlibm.so.6 (libc6,x86-64) => /lib/libm.so.6".
std::string listed_by_loader(const std::string& file) {
  const std::unique_ptr<FILE, int (*)(FILE*)> list(
      ::popen("PATH=\"$PATH:/sbin:/usr/sbin\" ldconfig -p 2>/dev/null", "r"), ::pclose);
  if (!list) return {};
  std::array<char, 4096> line;
  std::string found;
  while (::fgets(line.data(), static_cast<int>(line.size()), list.get()) != nullptr) {
    std::string_view text(line.data());
    const size_t arrow = text.find(" => ");
    if (!found.empty() || arrow == std::string_view::npos || text.substr(1, file.size()) != file ||
        text.substr(1 + file.size(), 1) != " " || text.find("x86-64") == std::string_view::npos) {
      continue;
    }
    text.remove_prefix(arrow + 4);
    found = text.substr(0, text.find('\n'));
  }
  return found;
}

std::string in_folders(std::string_view folders, const std::string& file) {
  while (!folders.empty()) {
    const size_t end = std::min(folders.find(':'), folders.size());
    std::string path = std::string(folders.substr(0, end)) + "/" + file;
    if (end > 0 && readable(path)) return path;
    folders.remove_prefix(std::min(end + 1, folders.size()));
  }
  return {};
}

std::string find_file(const std::string& file) {
  const char* first = ::getenv("LD_LIBRARY_PATH");
  for (std::string path :
       {in_folders(first != nullptr ? first : "", file), listed_by_loader(file),
        in_folders("/usr/local/lib:/usr/lib/x86_64-linux-gnu:/usr/lib64:/usr/lib:/lib", file)}) {
    if (!path.empty()) return path;
  }
  return {};
}

std::string find_known(const Known& known) {
  for (const char* file : known.files) {
    if (file == nullptr) continue;
    std::string path = find_file(file);
    if (!path.empty()) return path;
  }
  return {};
}

std::string expect_known(const Known& known) {
  std::string path = find_known(known);
  if (!path.empty()) return path;
  throw ErrorWithStatus(std::string(known.name) + " is not installed: " + known.files[0] +
                            " was not found. On Debian and Ubuntu: apt install " + known.package +
                            ". Or give the path of the library.",
                        kExitOurs);
}

}  // namespace

std::vector<KnownAllocator> known_allocators() {
  std::vector<KnownAllocator> all;
  for (const Known& known : kKnown) all.push_back({known.name, find_known(known), known.package});
  return all;
}

std::string find_allocator(const std::string& wanted) {
  for (const Known& known : kKnown) {
    if (wanted == known.name) return expect_known(known);
  }
  if (wanted.find('/') == std::string::npos) {
    throw ErrorWithStatus(
        "There is no allocator " + quoted(wanted) +
            ". Known are jemalloc, tcmalloc and mimalloc; any other by its path, such as "
            "./liballocator.so.",
        kExitOurs);
  }
  const std::unique_ptr<char, void (*)(void*)> path(::realpath(wanted.c_str(), nullptr), ::free);
  const auto file = path ? elf::ElfBytes::open(path.get()) : std::nullopt;
  if (!file || !elf::read_elf_image(*file)) {
    throw ErrorWithStatus("The allocator " + quoted(wanted) + " is not a library that can be read.",
                          kExitOurs);
  }
  if (std::string_view(path.get()).find_first_of(kNotInPreload) != std::string_view::npos) {
    throw ErrorWithStatus(
        "The allocator lies at " + quoted(path.get()) +
            ", a path that LD_PRELOAD cannot hold. Copy it to one without spaces, colons "
            "and dollar signs.",
        kExitOurs);
  }
  return path.get();
}

std::string take_allocator(std::vector<std::string>& words) {
  std::string wanted;
  std::erase_if(words, [&](const std::string& word) {
    if (!word.starts_with(kWord)) return false;
    wanted = word.substr(kWord.size());
    return true;
  });
  return wanted;
}

bool brings_operator_new(const std::string& path) {
  const auto file = elf::ElfBytes::open(path);
  const auto image = file ? elf::read_elf_image(*file) : std::nullopt;
  if (!image) return false;
  for (const std::string& library : image->needed) {
    for (const Known& known : kKnown) {
      if (library.starts_with(std::string("lib") + known.name)) return true;
    }
  }
  return false;
}

}  // namespace heapledger::cli::run
