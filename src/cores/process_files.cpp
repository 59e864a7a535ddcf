#include "cores/process_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>

#include "cores/memory.h"
#include "elf/reader.h"

namespace heapledger::cores {
namespace {

std::string process_path(uint32_t pid, std::string_view name) {
  return "/proc/" + std::to_string(pid) + "/" + std::string(name);
}

// Empty when it cannot be read. The kernel's files have no size: they are read up to their end.
std::string whole_file(const std::string& path) {
  std::string text;
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return text;
  char bytes[16 * 1024];
  for (;;) {
    ssize_t got = ::read(fd, bytes, sizeof(bytes));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(bytes, static_cast<size_t>(got));
  }
  ::close(fd);
  return text;
}

// Takes a number off the front of a text, and one character behind it.
std::optional<uint64_t> take_number(std::string_view& text, int base) {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(std::min(text.size(), static_cast<size_t>(end - text.data()) + 1));
  return value;
}

}  // namespace

bool is_kernel_region(const Region& region) {
  return region.path.starts_with("[vdso") || region.path.starts_with("[vvar") ||
         region.path == "[vsyscall]";
}

// 55d0c8a00000-55d0c8a21000 r-xp 00002000 08:01 1234    /usr/bin/cat
std::optional<Region> region_of_line(std::string_view line) {
  Region region;
  auto start = take_number(line, 16);
  auto end = take_number(line, 16);
  if (!start || !end || *start >= *end || line.size() < 5) return std::nullopt;
  region.start = *start;
  region.end = *end;
  region.readable = line[0] == 'r';
  region.writable = line[1] == 'w';
  region.executable = line[2] == 'x';
  line.remove_prefix(5);
  region.file_offset = take_number(line, 16).value_or(0);
  // The device and the inode; then blanks up to the name.
  for (int i = 0; i < 2; ++i) line.remove_prefix(std::min(line.size(), line.find(' ') + 1));
  line.remove_prefix(std::min(line.size(), line.find_first_not_of(' ')));
  region.path = line;
  return region;
}

std::vector<Region> regions_of_process(uint32_t pid) {
  std::vector<Region> regions;
  std::string text = whole_file(process_path(pid, "maps"));
  std::string_view rest = text;
  uint64_t free_from = 0;
  while (!rest.empty()) {
    size_t length = std::min(rest.find('\n'), rest.size());
    auto region = region_of_line(rest.substr(0, length));
    // The list is read in steps, while the process goes on mapping.
    if (region && region->start >= free_from) {
      free_from = region->end;
      regions.push_back(std::move(*region));
    }
    rest.remove_prefix(std::min(rest.size(), length + 1));
  }
  return regions;
}

std::vector<uint32_t> threads_of_process(uint32_t pid) {
  std::vector<uint32_t> threads;
  DIR* folder = ::opendir(process_path(pid, "task").c_str());
  if (folder == nullptr) return threads;
  while (const dirent* entry = ::readdir(folder)) {
    std::string_view name = entry->d_name;
    if (auto tid = take_number(name, 10)) threads.push_back(static_cast<uint32_t>(*tid));
  }
  ::closedir(folder);
  std::sort(threads.begin(), threads.end());
  return threads;
}

std::vector<std::string> command_of_process(uint32_t pid) {
  std::vector<std::string> words;
  std::string text = whole_file(process_path(pid, "cmdline"));
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\0', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

std::string executable_of_process(uint32_t pid) {
  char target[PATH_MAX];
  ssize_t length = ::readlink(process_path(pid, "exe").c_str(), target, sizeof(target));
  return length <= 0 ? std::string() : std::string(target, static_cast<size_t>(length));
}

std::string thread_name(uint32_t pid, uint32_t tid) {
  std::string name = whole_file(process_path(pid, "task/" + std::to_string(tid) + "/comm"));
  if (!name.empty() && name.back() == '\n') name.pop_back();
  return name;
}

uint64_t waiting_stack_pointer(uint32_t pid, uint32_t tid) {
  // "7 0x… … 0x7ffc… 0x7f31…": the last but one is the stack pointer. "running" has none.
  std::string text = whole_file(process_path(pid, "task/" + std::to_string(tid) + "/syscall"));
  size_t last = text.rfind(" 0x");
  if (last == std::string::npos || last == 0) return 0;
  size_t before = text.rfind(" 0x", last - 1);
  if (before == std::string::npos) return 0;
  std::string_view number = std::string_view(text).substr(before + 3);
  return take_number(number, 16).value_or(0);
}

std::optional<Shape> shape_of_process(uint32_t pid) {
  int fd = ::open(process_path(pid, "exe").c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  auto header = elf::read_elf_header([fd](uint64_t offset, std::span<unsigned char> out) {
    ssize_t got = ::pread(fd, out.data(), out.size(), static_cast<off_t>(offset));
    return got < 0 ? size_t{0} : static_cast<size_t>(got);
  });
  ::close(fd);
  if (!header) return std::nullopt;
  return header->shape;
}

}  // namespace heapledger::cores
