// Names as people say them: without default template arguments, allocators and the namespaces of
// the library's insides, "std::string" for what it stands for; then by rules of the user's own. A
// name of any length takes time about in proportion to its length, and no deeper stack.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heapledger {

// "pattern => replacement", one to a line; empty lines and lines that start with # mean nothing.
// The pattern is text to be found anywhere in a name, at the borders of words; * in it stands for
// anything with balanced brackets, as short as can be, and $1 to $9 in the replacement for what the
// first to the ninth * found.
struct ShortenRule {
  std::vector<std::string> pieces;  // the pattern between its stars
  std::string replacement;
};

struct ShortenRules {
  bool built_in = true;
  std::vector<ShortenRule> own;  // applied after the built-in ones, each to what the last one left

  // Adds the rules in `text`; throws std::runtime_error with "source:line: what is wrong".
  void add(std::string_view text, std::string_view source);
};

// The rules of a file on top of the built-in ones; throws std::runtime_error.
ShortenRules load_shorten_rules(const std::string& path);

std::string shorten(std::string_view name, const ShortenRules& rules = {});

// The two halves of it.
std::string shorten_by_built_in_rules(std::string_view name);
std::string apply_rule(const ShortenRule& rule, std::string_view name);

}  // namespace heapledger
