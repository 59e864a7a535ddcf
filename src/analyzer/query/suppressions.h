// Never-freed blocks that are known and accepted, in LeakSanitizer's syntax: lines `leak:PATTERN`,
// `#` for comments. A pattern matches anywhere in a function's name, a file's or a module's path of
// any frame; `*` stands for anything, `^` and `$` bind it to the beginning and the end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heapledger {

struct NamedFrame;

struct Suppression {
  std::string pattern;
  bool built_in = false;
  std::string
      caller;  // if any: only where the innermost frame fits, and the one that called it this
};

struct SuppressionUse {
  std::string pattern;
  bool built_in = false;
  uint64_t blocks = 0;
  uint64_t bytes = 0;
  uint64_t sites = 0;
};

class Suppressions {
 public:
  // With those that always apply: what the C and C++ libraries keep on purpose.
  static Suppressions built_in();

  // Adds those in a file's text. Throws Error with the number of a line that makes no sense.
  void add(std::string_view text);

  const std::vector<Suppression>& all() const { return all_; }

 private:
  std::vector<Suppression> all_;
};

bool suppression_matches(std::string_view pattern, std::string_view text);

// Whether it fits the function, the file or the module.
bool suppresses(std::string_view pattern, const NamedFrame& frame);

}  // namespace heapledger
