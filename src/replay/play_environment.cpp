#include "replay/play_environment.h"

#include <strings.h>

#include <string_view>

namespace heapledger {
namespace {

// What allocators read, and what preloads. mimalloc reads its own in any case of letters.
constexpr std::string_view kNotInherited[] = {
    "LD_PRELOAD=", "LD_AUDIT=",     "HEAPLEDGER",        "MALLOC_",     "GLIBC_TUNABLES=",
    "TCMALLOC_",   "MIMALLOC_",     "_RJEM_MALLOC_CONF", "HEAPPROFILE", "HEAPCHECK",
    "HEAP_CHECK_", "HEAP_PROFILE_", "CPUPROFILE",        "PERFTOOLS_",  "JE_MALLOC_CONF",
    "SNMALLOC_",   "SCUDO_OPTIONS",
};

bool inherited(std::string_view variable) {
  for (std::string_view prefix : kNotInherited) {
    if (variable.size() >= prefix.size() &&
        ::strncasecmp(variable.data(), prefix.data(), prefix.size()) == 0) {
      return false;
    }
  }
  return true;
}

bool is_library(const std::string& library) {
  return library != "libc" && library != "null" && !library.empty();
}

// A path as a word of the recorder's settings: no letter of it is a blank or a place holder.
std::string setting_of(std::string_view path) {
  std::string text;
  for (char letter : path) {
    if (letter == ' ' || letter == '\\') text += '\\';
    if (letter == '%') text += '%';
    text += letter;
  }
  return text;
}

}  // namespace

std::vector<std::string> player_environment(const char* const* own, const Candidate& candidate,
                                            const PlayOptions& options) {
  std::vector<std::string> environment;
  for (; *own != nullptr; ++own) {
    if (inherited(*own)) environment.emplace_back(*own);
  }
  std::string preload = options.recorder;
  if (is_library(candidate.library)) {
    if (!preload.empty()) preload += ":";
    preload += candidate.library;
  }
  if (!preload.empty()) environment.push_back("LD_PRELOAD=" + preload);
  if (!options.recorder.empty()) {
    environment.push_back("HEAPLEDGER=out=" + setting_of(options.record_to));
  }
  for (const auto& [name, value] : candidate.environment) {
    // Programs read the first of several with one name.
    const std::string assigned = name + "=";
    std::erase_if(environment,
                  [&](const std::string& variable) { return variable.starts_with(assigned); });
    environment.push_back(assigned + value);
  }
  return environment;
}

}  // namespace heapledger
