#include "analyzer/query/suppressions.h"

#include <algorithm>

#include "analyzer/error.h"
#include "analyzer/query/frames.h"

namespace heapledger {
namespace {

// Blocks that the C and C++ libraries keep until the end on purpose, in every program. Nothing here
// may fit what a program allocates itself, such as in its own constructors.
constexpr const char* kBuiltIn = R"(
# The emergency pool for exceptions.
leak:(anonymous namespace)::pool::pool
leak:^_GLOBAL__sub_I_eh_alloc.cc
# Locales.
leak:std::locale::_S_initialize
leak:^__newlocale$
leak:^setlocale$
leak:^bindtextdomain$
leak:^textdomain$
# The buffers of stdio, and what the loader keeps of libraries.
leak:_IO_file_doallocate$
leak:^_dl_new_object$
leak:^_dl_map_object
)";

// Where the libraries have no names: what libstdc++'s own constructors allocate, called straight by
// the loader. (What a program's constructor allocates by operator new is called by the program.)
constexpr const char* kLibrary = "/libstdc++.so";
constexpr const char* kLoader = "/ld-linux";

}  // namespace

bool suppression_matches(std::string_view pattern, std::string_view text) {
  bool at_start = pattern.starts_with('^');
  if (at_start) pattern.remove_prefix(1);
  bool anywhere = !at_start;
  while (!pattern.empty()) {
    if (pattern.front() == '*') {
      pattern.remove_prefix(1);
      anywhere = true;
      continue;
    }
    if (pattern == "$") return anywhere || text.empty();
    std::string_view piece = pattern.substr(0, pattern.find('*'));
    bool is_last = piece.size() == pattern.size();
    bool at_end = is_last && piece.ends_with('$');
    if (at_end) piece.remove_suffix(1);
    if (at_end && anywhere) return text.ends_with(piece);
    size_t found = anywhere ? text.find(piece) : (text.starts_with(piece) ? 0 : text.npos);
    if (found == text.npos) return false;
    text.remove_prefix(found + piece.size());
    if (at_end) return text.empty();
    pattern.remove_prefix(piece.size());
    anywhere = false;
  }
  return true;
}

bool suppresses(std::string_view pattern, const NamedFrame& frame) {
  return suppression_matches(pattern, frame.name) ||
         (!frame.file.empty() && suppression_matches(pattern, frame.file)) ||
         (!frame.module.empty() && suppression_matches(pattern, frame.module));
}

Suppressions Suppressions::built_in() {
  Suppressions suppressions;
  suppressions.add(kBuiltIn);
  suppressions.all_.push_back({kLibrary, true, kLoader});
  for (Suppression& suppression : suppressions.all_) suppression.built_in = true;
  return suppressions;
}

void Suppressions::add(std::string_view text) {
  size_t number = 0;
  while (!text.empty()) {
    ++number;
    size_t length = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r')) {
      line.remove_suffix(1);
    }
    if (line.empty() || line.front() == '#') continue;
    if (!line.starts_with("leak:") || line.size() == 5) {
      throw Error("line " + std::to_string(number) + " of the suppressions, '" + std::string(line) +
                      "', is not of the form leak:PATTERN",
                  ErrorKind::kQuestion);
    }
    all_.push_back({std::string(line.substr(5)), false, {}});
  }
}

}  // namespace heapledger
