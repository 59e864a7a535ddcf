#include "cli/program_check/path.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace heapledger::cli::program_check {
namespace {

// 0, or why this file cannot be executed.
int execution_error(const std::string& path) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0) return errno;
  if (!S_ISREG(info.st_mode)) return EACCES;
  if (::faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) != 0) return errno;
  return 0;
}

std::string default_search_path() {
  std::string path(::confstr(_CS_PATH, nullptr, 0), '\0');
  ::confstr(_CS_PATH, path.data(), path.size());
  while (!path.empty() && path.back() == '\0') path.pop_back();
  return path;
}

}  // namespace

FoundProgram find_program(const std::string& command, const char* search_path) {
  if (command.empty()) return {"", ENOENT};
  if (command.find('/') != std::string::npos) {
    const int error = execution_error(command);
    return {error == 0 ? command : "", error};
  }
  const std::string folders = search_path != nullptr ? search_path : default_search_path();
  std::string_view rest = folders;
  bool denied = false;
  while (true) {
    const size_t end = rest.find(':');
    const std::string_view folder = rest.substr(0, end);
    // An empty entry is the current folder.
    std::string path = folder.empty() ? command : std::string(folder) + "/" + command;
    const int error = execution_error(path);
    if (error == 0) return {std::move(path), 0};
    // The search goes on past a file it may not execute, and only remembers it.
    if (error == EACCES) denied = true;
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return {"", denied ? EACCES : ENOENT};
}

}  // namespace heapledger::cli::program_check
