#include "runtime/ledger/naming.h"

namespace heapledger::runtime {
namespace {

constexpr char kEnding[] = ".ledger";
constexpr size_t kEndingBytes = sizeof kEnding - 1;

// A fact becomes part of one file name: it must not bring slashes along.
void add_fact(PathText& path, const char* fact) {
  for (; *fact != '\0'; ++fact) {
    char letter = *fact == '/' ? '_' : *fact;
    path.add(&letter, 1);
  }
}

// Bytes of the path before `.ledger`; all of them where it ends otherwise.
size_t stem_of(const PathText& path) {
  size_t bytes = path.size();
  bool has_ending = bytes > kEndingBytes &&
                    memcmp(path.data() + bytes - kEndingBytes, kEnding, kEndingBytes) == 0;
  return has_ending ? bytes - kEndingBytes : bytes;
}

}  // namespace

bool expand_pattern(const char* pattern, const NameFacts& facts, const char* folder,
                    PathText& path) {
  path.clear();
  if (pattern[0] != '/') path.add(folder).add("/");
  for (const char* at = pattern; *at != '\0'; ++at) {
    if (*at != '%') {
      path.add(at, 1);
      continue;
    }
    switch (*++at) {
      case 'e':
        add_fact(path, facts.executable);
        break;
      case 'h':
        add_fact(path, facts.host);
        break;
      case 'j':
        add_fact(path, facts.job);
        break;
      case 'r':
        add_fact(path, facts.rank);
        break;
      case 'p':
        path.add_number(facts.process);
        break;
      case 't':
        path.add_number(facts.seconds);
        break;
      case '%':
        path.add("%");
        break;
      default:
        return false;
    }
  }
  return !path.was_cut();
}

bool numbered_name(const PathText& path, unsigned number, PathText& numbered) {
  size_t stem = stem_of(path);
  numbered.clear();
  numbered.add(path.data(), stem).add(".").add_number(number).add(path.data() + stem);
  return !numbered.was_cut();
}

bool companion_name(const PathText& ledger, const char* ending, PathText& path) {
  path.clear();
  path.add(ledger.data(), stem_of(ledger)).add(ending);
  return !path.was_cut();
}

}  // namespace heapledger::runtime
