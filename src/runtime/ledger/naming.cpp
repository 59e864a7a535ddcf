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
  size_t stem = path.size();
  bool has_ending =
      stem > kEndingBytes && memcmp(path.data() + stem - kEndingBytes, kEnding, kEndingBytes) == 0;
  if (has_ending) stem -= kEndingBytes;
  numbered.clear();
  numbered.add(path.data(), stem).add(".").add_number(number);
  if (has_ending) numbered.add(kEnding);
  return !numbered.was_cut();
}

}  // namespace heapledger::runtime
