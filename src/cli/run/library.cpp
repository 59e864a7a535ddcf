#include "cli/run/library.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include "analyzer/error.h"
#include "cli/run/exit.h"
#include "cli/shared/exit_status.h"
#include "text/text.h"

#ifndef HEAPLEDGER_RELATIVE_LIBDIR
#define HEAPLEDGER_RELATIVE_LIBDIR "../lib"
#endif

namespace heapledger::cli::run {
namespace {

constexpr const char* kName = "libheapledger.so";
constexpr const char* kOperators = "libheapledger_new.so";

std::string own_path() {
  std::vector<char> path(PATH_MAX);
  const ssize_t bytes = ::readlink("/proc/self/exe", path.data(), path.size());
  if (bytes <= 0) {
    throw ErrorWithStatus(
        "Heapledger cannot find itself: /proc/self/exe cannot be read. Is /proc mounted?",
        kExitOurs);
  }
  return std::string(path.data(), static_cast<size_t>(bytes));
}

std::string canonical(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> resolved(::realpath(path.c_str(), nullptr), ::free);
  return resolved ? resolved.get() : "";
}

}  // namespace

RuntimeLibrary::RuntimeLibrary() {
  tool_ = own_path();
  const std::string folder = tool_.substr(0, tool_.rfind('/'));
  const char* const places[] = {HEAPLEDGER_RELATIVE_LIBDIR, "../lib"};
  for (const char* place : places) {
    path_ = canonical(folder + "/" + place + "/" + kName);
    if (!path_.empty() && ::access(path_.c_str(), R_OK) == 0) break;
    path_.clear();
  }
  if (path_.empty()) {
    std::string message = std::string("The recorder, ") + kName + ", was not found in " +
                          quoted(folder + "/" + places[0]);
    if (std::strcmp(places[0], places[1]) != 0) {
      message += " or " + quoted(folder + "/" + places[1]);
    }
    throw ErrorWithStatus(message + ". Build or install Heapledger again.", kExitOurs);
  }
  if (path_.find_first_of(kNotInPreload) != std::string::npos) make_link();
}

RuntimeLibrary::~RuntimeLibrary() {
  if (!link_.empty()) ::unlink(link_.c_str());
  if (!folder_.empty()) ::rmdir(folder_.c_str());
}

std::string RuntimeLibrary::operators_path() const {
  std::string path = place() + "/" + kOperators;
  const bool usable = path.find_first_of(kNotInPreload) == std::string::npos;
  return usable && ::access(path.c_str(), R_OK) == 0 ? path : "";
}

std::string RuntimeLibrary::keep_link() {
  std::string kept = link_;
  link_.clear();
  folder_.clear();
  return kept;
}

void RuntimeLibrary::make_link() {
  const char* wanted = ::getenv("TMPDIR");
  const bool usable =
      wanted != nullptr && wanted[0] == '/' && std::strpbrk(wanted, kNotInPreload) == nullptr;
  std::string folder = std::string(usable ? wanted : "/tmp") + "/heapledger-XXXXXX";
  if (::mkdtemp(folder.data()) != nullptr) {
    folder_ = folder;
    const std::string link = folder + "/" + kName;
    if (::symlink(path_.c_str(), link.c_str()) == 0) {
      link_ = link;
      return;
    }
  }
  const int error = errno;
  if (!folder_.empty()) ::rmdir(folder_.c_str());
  throw ErrorWithStatus(
      "The recorder lies at " + quoted(path_) +
          ", which LD_PRELOAD cannot hold, and a link to it could not be made in " +
          quoted(folder) + ": " + std::strerror(error) +
          ". Install Heapledger at a path without spaces, colons and dollar signs.",
      kExitOurs);
}

}  // namespace heapledger::cli::run
