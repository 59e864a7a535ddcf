// heapledger_report: the heapledger tool on this process's own ledger, which is readable at every
// instant.
#include <dlfcn.h>
#include <unistd.h>

#include <cstring>

#include "runtime/api/exported.h"
#include "runtime/bootstrap/environment.h"
#include "runtime/ledger/memory_sample.h"
#include "runtime/ledger/settings_in_force.h"
#include "runtime/modes/note.h"
#include "runtime/os/spawn.h"

namespace heapledger::runtime {
namespace {

constexpr size_t kMaxArguments = 64;
constexpr size_t kMaxVariables = 4096;
constexpr size_t kMaxWords = 16384;

// All that the other program is started with: too large for a stack.
struct Request {
  PathText tool;
  char words[kMaxWords];
  char* arguments[kMaxArguments];
  char* variables[kMaxVariables];
};

bool exists(const PathText& path) {
  return !path.was_cut() && os::is_executable(path.data());
}

// Beside our library (…/lib/libheapledger.so and …/bin/heapledger), or in the same folder.
bool find_beside_library(PathText& path) {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&heapledger_version), &info) == 0) return false;
  const char* slash = info.dli_fname == nullptr ? nullptr : strrchr(info.dli_fname, '/');
  if (slash == nullptr) return false;
  for (const char* place : {"/../bin/heapledger", "/heapledger"}) {
    path.clear();
    path.add(info.dli_fname, static_cast<size_t>(slash - info.dli_fname)).add(place);
    if (exists(path)) return true;
  }
  return false;
}

bool find_in_path(PathText& path) {
  const char* folders = environment("PATH");
  while (folders != nullptr && *folders != '\0') {
    size_t length = strcspn(folders, ":");
    path.clear();
    path.add(folders, length).add("/heapledger");
    if (length > 0 && exists(path)) return true;
    folders += length + (folders[length] == ':' ? 1 : 0);
  }
  return false;
}

bool find_tool(PathText& path) {
  path.clear();
  if (settings_in_force.tool.given()) path.add(settings_in_force.tool.text);
  return exists(path) || find_beside_library(path) || find_in_path(path);
}

// The words of `options`, separated by spaces; a backslash makes the next character literal.
bool add_words(Request& request, const char* options, size_t& count) {
  char* to = request.words;
  const char* from = options;
  if (strlen(options) >= sizeof request.words) return false;
  for (from += strspn(from, " "); *from != '\0'; from += strspn(from, " ")) {
    if (count + 3 > kMaxArguments) return false;
    request.arguments[count++] = to;
    while (*from != '\0' && *from != ' ') {
      if (*from == '\\' && from[1] != '\0') ++from;
      *to++ = *from++;
    }
    *to++ = '\0';
  }
  return true;
}

bool is_ours(const char* variable) {
  return strncmp(variable, "LD_PRELOAD=", 11) == 0 || strncmp(variable, "HEAPLEDGER=", 11) == 0;
}

void add_variables(Request& request) {
  size_t count = 0;
  for (char** at = environ; at != nullptr && *at != nullptr && count + 1 < kMaxVariables; ++at) {
    if (!is_ours(*at)) request.variables[count++] = *at;
  }
  request.variables[count] = nullptr;
}

// A form other than report's own is asked for as of `heapledger export`.
bool asks_for_export(const Request& request, size_t count) {
  for (size_t i = 2; i < count; ++i) {
    const char* word = request.arguments[i];
    if (strcmp(word, "--to") == 0 || strncmp(word, "--to=", 5) == 0) return true;
  }
  return false;
}

bool make_request(Request& request, const char* options) {
  static char report_verb[] = "report";
  static char export_verb[] = "export";
  size_t count = 0;
  if (!find_tool(request.tool)) return false;
  request.arguments[count++] = const_cast<char*>(request.tool.data());
  request.arguments[count++] = report_verb;
  if (!add_words(request, options, count)) return false;
  if (asks_for_export(request, count)) request.arguments[1] = export_verb;
  request.arguments[count++] = const_cast<char*>(ledger_path().data());
  request.arguments[count] = nullptr;
  add_variables(request);
  return true;
}

bool report(int fd, const char* path, const char* options) {
  if (filter_expected()) return false;  // our system calls may be forbidden
  // What other threads do from here on is not in the report; what they did before is.
  enter_note({}, 64, [](Window& window, uint64_t time) { sample_memory_at_exit(window, time); });
  void* memory = os::map_private(sizeof(Request));
  if (memory == nullptr) return false;
  auto& request = *static_cast<Request*>(memory);
  bool good =
      make_request(request, options == nullptr ? "" : options) &&
      os::run_program({request.tool.data(), request.arguments, request.variables, fd, path}) == 0;
  os::unmap(memory, sizeof(Request));
  return good;
}

}  // namespace
}  // namespace heapledger::runtime

// NOLINTBEGIN: names and signatures are those of the public header.
HEAPLEDGER_EXPORTED int heapledger_api_report(int fd, const char* path, const char* options) {
  using namespace heapledger::runtime;
  if ((fd < 0 && path == nullptr) || !is_recording()) return 0;
  return report(fd, path, options);
}
// NOLINTEND
