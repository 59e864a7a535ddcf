#include "analyzer/query/filter.h"

#include <fnmatch.h>

#include <algorithm>
#include <charconv>

#include "analyzer/error.h"
#include "base/units.h"

namespace heapledger {
namespace {

constexpr const char* kAllowed =
    "conditions are size, lifetime or time with <, <=, =, >=, > and a value or =FROM..TO; thread, "
    "function, module, heap, host or job with =PATTERN or =!PATTERN; rank=0,8-15";

[[noreturn]] void refuse(std::string_view word, const std::string& why) {
  throw Error("filter '" + std::string(word) + "': " + why, ErrorKind::kQuestion);
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

using Parse = uint64_t (*)(std::string_view);

// A block that is never freed lives longer than any other.
uint64_t parse_lifetime(std::string_view text) {
  return text == "never" ? UINT64_MAX : parse_duration(text);
}

void narrow(Bounds& bounds, std::string_view word, std::string_view relation,
            std::string_view value, Parse parse) {
  uint64_t least = 0;
  uint64_t most = UINT64_MAX;
  try {
    size_t dots = value.find("..");
    if (relation == "=" && dots != std::string_view::npos) {
      if (dots > 0) least = parse(value.substr(0, dots));
      if (dots + 2 < value.size()) most = parse(value.substr(dots + 2));
      if (least > most) refuse(word, "the first value is larger than the second");
    } else {
      uint64_t bound = parse(value);
      if (relation == "=") least = most = bound;
      if (relation == ">=") least = bound;
      if (relation == "<=") most = bound;
      if (relation == ">") {
        if (bound == UINT64_MAX) refuse(word, "nothing is larger");
        least = bound + 1;
      }
      if (relation == "<") {
        if (bound == 0) refuse(word, "nothing is smaller");
        most = bound - 1;
      }
    }
  } catch (const Error& error) {
    if (std::string_view(error.what()).starts_with("filter")) throw;
    refuse(word, error.what());
  }
  bounds.least = std::max(bounds.least, least);
  bounds.most = std::min(bounds.most, most);
}

void add_pattern(Patterns& patterns, std::string_view word, std::string_view relation,
                 std::string_view value) {
  if (relation == "!=") {
    patterns.out.emplace_back(value);
  } else if (relation != "=") {
    refuse(word, "a name is compared with = or !=");
  } else if (value.starts_with('!')) {
    value.remove_prefix(1);
    patterns.out.emplace_back(value);
  } else {
    patterns.in.emplace_back(value);
  }
  if (value.empty()) refuse(word, "the pattern is empty");
}

bool is_ranks(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789-") == std::string_view::npos;
}

void add_ranks(Patterns& patterns, std::string_view word, std::string_view relation,
               std::string_view value) {
  add_pattern(patterns, word, relation, value);
  const bool out = relation == "!=" || value.starts_with('!');
  try {
    parse_ranks((out ? patterns.out : patterns.in).back());
  } catch (const Error& error) {
    refuse(word, error.what());
  }
}

void add_condition(Filter& filter, std::string_view word) {
  size_t at = word.find_first_of("<>=!");
  if (at == std::string_view::npos || at == 0) refuse(word, kAllowed);
  std::string_view key = trim(word.substr(0, at));
  size_t length = 1;
  if (word[at] != '=' && at + 1 < word.size() && word[at + 1] == '=') length = 2;
  std::string_view relation = word.substr(at, length);
  std::string_view value = trim(word.substr(at + length));
  if (relation == "!") refuse(word, kAllowed);
  auto number = [&](Bounds& bounds, Parse parse) {
    if (relation == "!=") refuse(word, "a number is compared with <, <=, =, >= or >");
    narrow(bounds, word, relation, value, parse);
  };
  if (key == "size") {
    number(filter.size, parse_bytes);
  } else if (key == "lifetime") {
    number(filter.lifetime_ns, parse_lifetime);
  } else if (key == "time") {
    number(filter.time_ns, parse_duration);
  } else if (key == "thread") {
    add_pattern(filter.threads, word, relation, value);
  } else if (key == "module") {
    add_pattern(filter.modules, word, relation, value);
  } else if (key == "heap") {
    add_pattern(filter.heaps, word, relation, value);
  } else if (key == "rank") {
    add_ranks(filter.ranks, word, relation, value);
  } else if (key == "host") {
    add_pattern(filter.hosts, word, relation, value);
  } else if (key == "job") {
    add_pattern(filter.jobs, word, relation, value);
  } else if (key == "function") {
    add_pattern(filter.functions, word, relation, value);
  } else {
    refuse(word, "unknown condition '" + std::string(key) + "'; " + kAllowed);
  }
}

}  // namespace

namespace {

// Where only * and ? are special.
bool matches_wildcards(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0;
  size_t star = std::string_view::npos, after_star = 0;  // the last one, and what it has so far
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      after_star = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++after_star;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace

bool matches(std::string_view pattern, std::string_view text) {
  if (pattern.find_first_of("*?[") == std::string_view::npos) {
    return text.find(pattern) != std::string_view::npos;
  }
  if (pattern.find_first_of("[\\") == std::string_view::npos) {
    return matches_wildcards(pattern, text);
  }
  return ::fnmatch(std::string(pattern).c_str(), std::string(text).c_str(), 0) == 0;
}

// Commas inside brackets belong to a pattern: f(int, long), map<a, b>. More ranks may follow those
// of a condition.
Filter parse_filter(std::string_view text) {
  Filter filter;
  size_t begin = 0;
  int depth = 0;
  bool in_value = false;
  std::string_view of_ranks;  // "rank=" or "rank!=" of the condition before
  for (size_t i = 0; i <= text.size(); ++i) {
    bool at_end = i == text.size();
    if (!at_end) {
      char c = text[i];
      if (c == '(' || (c == '<' && in_value)) ++depth;
      if ((c == ')' || (c == '>' && in_value)) && depth > 0) --depth;
      if (c == '=' || c == '<' || c == '>') in_value = true;
      if (c != ',' || depth > 0) continue;
    }
    std::string_view word = trim(text.substr(begin, i - begin));
    if (is_ranks(word) && !of_ranks.empty()) {
      add_condition(filter, std::string(of_ranks) + std::string(word));
    } else if (!word.empty()) {
      add_condition(filter, word);
      of_ranks = word.starts_with("rank") ? word.substr(0, word.find_first_of("0123456789"))
                                          : std::string_view();
    }
    if (word.empty() && !(at_end && begin == 0)) refuse(text, "a condition is empty");
    begin = i + 1;
    depth = 0;
    in_value = false;
  }
  return filter;
}

Bounds parse_ranks(std::string_view text) {
  Bounds bounds;
  const char* const end = text.data() + text.size();
  auto [after, wrong] = std::from_chars(text.data(), end, bounds.least);
  bounds.most = bounds.least;
  if (wrong == std::errc() && after != end && *after == '-') {
    const auto last = std::from_chars(after + 1, end, bounds.most);
    after = last.ptr;
    wrong = last.ec;
  }
  if (wrong != std::errc() || after != end || bounds.least > bounds.most) {
    throw Error("cannot read '" + std::string(text) + "' as ranks: write 3, or 8-15",
                ErrorKind::kQuestion);
  }
  return bounds;
}

uint64_t parse_bytes(std::string_view text) {
  uint64_t value = 0;
  if (base::read_size(text, value)) return value;
  throw Error("cannot read '" + std::string(text) + "' as a size: write " + base::kSizesToWrite,
              ErrorKind::kQuestion);
}

uint64_t parse_duration(std::string_view text) {
  uint64_t value = 0;
  if (base::read_duration(text, value)) return value;
  throw Error(
      "cannot read '" + std::string(text) + "' as a duration: write " + base::kDurationsToWrite,
      ErrorKind::kQuestion);
}

}  // namespace heapledger
