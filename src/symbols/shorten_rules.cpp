#include <array>
#include <cctype>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "symbols/shorten.h"

namespace heapledger {
namespace {

constexpr std::string_view kArrow = "=>";
constexpr size_t kMostStars = 9;

// Steps for each character of a name, all in all; a rule that needs more matches no further.
constexpr uint64_t kStepsPerCharacter = 64;

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) {
    text.remove_prefix(1);
  }
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) {
    text.remove_suffix(1);
  }
  return text;
}

[[noreturn]] void fail(std::string_view source, size_t line, const std::string& what) {
  throw std::runtime_error(std::string(source) + ":" + std::to_string(line) + ": " + what);
}

// Names have "> >" or ">>", depending on who wrote them; rules find both.
std::string without_gaps(std::string_view text) {
  std::string dense;
  for (const char c : text) {
    while (c == '>' && dense.ends_with("> ")) dense.pop_back();
    dense += c;
  }
  return dense;
}

ShortenRule parse(std::string_view line, std::string_view source, size_t number) {
  const size_t arrow = line.find(kArrow);
  if (arrow == std::string_view::npos) {
    fail(source, number, "a rule is \"pattern => replacement\", and here is no =>");
  }
  const std::string_view pattern = trim(line.substr(0, arrow));
  const std::string_view replacement = trim(line.substr(arrow + kArrow.size()));
  if (pattern.empty()) fail(source, number, "there is no pattern in front of =>");
  ShortenRule rule;
  std::string piece;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\' && i + 1 < pattern.size() && pattern[i + 1] == '*') {
      piece += pattern[++i];
    } else if (pattern[i] == '*') {
      rule.pieces.push_back(without_gaps(piece));
      piece.clear();
    } else {
      piece += pattern[i];
    }
  }
  rule.pieces.push_back(without_gaps(piece));
  if (rule.pieces.front().empty()) fail(source, number, "a pattern cannot begin with *");
  const size_t stars = rule.pieces.size() - 1;
  if (stars > kMostStars) fail(source, number, "a pattern can have 9 * at the most");
  for (size_t i = 0; i + 1 < replacement.size(); ++i) {
    if (replacement[i] != '$') continue;
    const char digit = replacement[i + 1];
    if (digit < '1' || digit > '9' || static_cast<size_t>(digit - '0') > stars) {
      fail(source, number, std::string("$") + digit + " stands for no * of the pattern");
    }
  }
  rule.replacement = replacement;
  return rule;
}

// Matches one rule against one name.
class Matcher {
 public:
  Matcher(const ShortenRule& rule, std::string_view name)
      : rule_(rule), name_(name), steps_(kStepsPerCharacter * (name.size() + 64)) {}

  std::string run() {
    std::string out;
    size_t at = 0;
    while (at < name_.size()) {
      const size_t start = name_.find(rule_.pieces.front(), at);
      if (start == std::string_view::npos || steps_ == 0) break;
      const bool border =
          start == 0 || !is_word_character(name_[start]) || !is_word_character(name_[start - 1]);
      size_t end = 0;
      if (border && rest_matches(0, start + rule_.pieces.front().size(), end) && end > start) {
        out += name_.substr(at, start - at);
        replace(out);
        at = end;
      } else {
        out += name_.substr(at, start + 1 - at);
        at = start + 1;
      }
    }
    out += name_.substr(at);
    return out;
  }

 private:
  // Whether the pattern behind its piece number `piece` matches from `at` on.
  bool rest_matches(size_t piece, size_t at, size_t& end) {
    if (piece + 1 == rule_.pieces.size()) {
      end = at;
      return at == 0 || at == name_.size() || !is_word_character(name_[at]) ||
             !is_word_character(name_[at - 1]);
    }
    const std::string_view next = rule_.pieces[piece + 1];
    int depth = 0;
    for (size_t to = at; to <= name_.size(); ++to) {
      if (steps_ == 0) return false;
      --steps_;
      const bool last = next.empty() && piece + 2 == rule_.pieces.size();
      if (depth == 0 && (last ? ends_argument(to) : name_.substr(to).starts_with(next))) {
        found_[piece] = name_.substr(at, to - at);
        if (rest_matches(piece + 1, to + next.size(), end)) return true;
      }
      if (to == name_.size()) break;
      depth += turn(to);
      if (depth < 0) break;
    }
    return false;
  }

  // A * at the end takes all up to the bracket or comma that ends the argument it is in.
  bool ends_argument(size_t at) const {
    return at == name_.size() || name_[at] == ',' || turn(at) < 0;
  }

  int turn(size_t at) const {
    switch (name_[at]) {
      case '<':
      case '(':
      case '[':
      case '{':
        return 1;
      case '>':
        return at > 0 && name_[at - 1] == '-' ? 0 : -1;
      case ')':
      case ']':
      case '}':
        return -1;
      default:
        return 0;
    }
  }

  void replace(std::string& out) const {
    const std::string& with = rule_.replacement;
    for (size_t i = 0; i < with.size(); ++i) {
      if (with[i] == '$' && i + 1 < with.size() && with[i + 1] >= '1' && with[i + 1] <= '9') {
        out += found_[static_cast<size_t>(with[++i] - '1')];
      } else {
        out += with[i];
      }
    }
  }

  const ShortenRule& rule_;
  const std::string_view name_;
  uint64_t steps_;
  std::array<std::string_view, kMostStars> found_;
};

}  // namespace

void ShortenRules::add(std::string_view text, std::string_view source) {
  size_t number = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    own.push_back(parse(line, source, number));
  }
}

ShortenRules load_shorten_rules(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) {
    throw std::runtime_error(path + ": cannot be read; give a file with at least one rule");
  }
  ShortenRules rules;
  rules.add(text.str(), path);
  return rules;
}

std::string apply_rule(const ShortenRule& rule, std::string_view name) {
  return Matcher(rule, without_gaps(name)).run();
}

}  // namespace heapledger
