#include "cli/check/limits.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>

#include "analyzer/error.h"
#include "base/units.h"
#include "cli/asking/asked.h"
#include "text/nearest.h"
#include "text/text.h"

namespace heapledger::cli::check {
namespace {

struct Word {
  LimitKind kind;
  std::string name;
  bool counts;          // calls, not bytes
  bool percent;         // may be one
  const char* example;  // of sizes: what can be written besides
  Measure measure = Measure::kLiveBytes;
};

constexpr const char* kNumbers = "a number such as 100000 or 2M";

bool has_limit_of_its_own(Measure measure) {
  return measure == Measure::kLiveBytes || measure == Measure::kLiveBlocks ||
         measure == Measure::kCalls || measure == Measure::kTemporaryCalls;
}

std::vector<Word> make_words() {
  std::vector<Word> words = {
      {LimitKind::kPeak, "max-peak", false, false, ""},
      {LimitKind::kRss, "max-rss", false, false, ""},
      {LimitKind::kUnfreed, "max-never-freed", false, true,
       ", or a share of what is allocated such as 1%"},
      {LimitKind::kCalls, "max-calls", true, false, kNumbers},
      {LimitKind::kTemporary, "max-temporary", true, true,
       "a share of all calls such as 40%, or a number of calls"},
      {LimitKind::kGrowth, "max-growth", true, true, "a percentage such as 5%"},
  };
  for (const FigureRow& row : figure_catalog()) {
    if (row.sum == nullptr || has_limit_of_its_own(row.measure)) continue;
    bool counts = row.unit == FigureUnit::kCount;
    words.push_back({static_cast<LimitKind>(words.size()), "max-" + std::string(row.word), counts,
                     false, counts ? kNumbers : "", row.measure});
  }
  return words;
}

const std::vector<Word>& all_limits() {
  static const std::vector<Word> words = make_words();
  return words;
}

const Word& word_of(LimitKind kind) {
  return all_limits()[static_cast<size_t>(kind)];
}

std::string_view trimmed(std::string_view text) {
  auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// A number of calls: 100000, 1.5k, 2M. Thousands, not powers of two.
bool parse_count(std::string_view text, size_t digits, double number, uint64_t& value) {
  constexpr std::string_view kPrefixes = "kmgt";
  std::string_view unit = trimmed(text.substr(digits));
  if (unit.empty()) {  // exactly, as a double may not be
    auto [last, wrong] = std::from_chars(text.data(), text.data() + digits, value);
    return wrong == std::errc() && last == text.data() + digits;
  }
  const char letter =
      unit.front() < 'a' ? static_cast<char>(unit.front() - 'A' + 'a') : unit.front();
  size_t power = kPrefixes.find(letter);
  if (unit.size() != 1 || power == std::string_view::npos) return false;
  double product = number * std::pow(1000.0, static_cast<double>(power + 1));
  if (product >= 18e18) return false;
  value = static_cast<uint64_t>(product);
  return true;
}

bool parse_value(std::string_view text, Limit& limit) {
  const Word& word = word_of(limit.kind);
  if (text.empty() || text.front() < '0' || text.front() > '9') return false;
  size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  double number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + digits, number);
  if (error != std::errc() || end != text.data() + digits) return false;
  if (trimmed(text.substr(digits)) == "%") {
    limit.is_percent = true;
    limit.percent = number;
    return word.percent;
  }
  if (limit.kind == LimitKind::kGrowth) return false;
  if (word.counts) return parse_count(text, digits, number, limit.value);
  return base::read_size(text, limit.value);
}

// What was read as what, and what to write instead.
std::string refusal(const Word& word, std::string_view text) {
  const std::string given = quoted(std::string(text));
  if (word.counts) {
    return given + " is not a value for " + word.name + "; write " + word.example;
  }
  return word.name + ": cannot read " + given + " as a size: write " + base::kSizesToWrite +
         word.example;
}

std::vector<std::string> all_words() {
  std::vector<std::string> words;
  words.reserve(all_limits().size());
  for (const Word& word : all_limits()) words.emplace_back(word.name);
  return words;
}

LimitKind kind_of(std::string_view name, const std::string& where) {
  for (const Word& word : all_limits()) {
    if (word.name == name) return word.kind;
  }
  std::string all;
  for (const std::string& word : all_words()) all += (all.empty() ? "" : ", ") + word;
  std::string near = nearest_word(name, all_words());
  std::string hint = near.empty() ? "there are: " + all : "is it " + near + "?";
  throw Error(where + "unknown limit " + quoted(std::string(name)) + "; " + hint,
              ErrorKind::kQuestion);
}

Limit parse_line(std::string_view line, const std::string& source) {
  const std::string where = source + ": ";
  size_t sign = line.find('=');
  if (sign == std::string_view::npos) {
    kind_of(trimmed(line.substr(0, line.find_first_of(" \t:"))), where);
    throw Error(where + quoted(std::string(line)) + " has no value; write max-peak = 1G",
                ErrorKind::kQuestion);
  }
  LimitKind kind = kind_of(trimmed(line.substr(0, sign)), where);
  return parse_limit(kind, line.substr(sign + 1), source, where);
}

}  // namespace

std::string_view name_of(LimitKind kind) {
  return word_of(kind).name;
}

size_t limit_kinds() {
  return all_limits().size();
}

Measure measure_of(LimitKind kind) {
  return word_of(kind).measure;
}

Limit parse_limit(LimitKind kind, std::string_view text, const std::string& source,
                  const std::string& where) {
  Limit limit;
  limit.kind = kind;
  limit.source = source;
  if (parse_value(trimmed(text), limit)) return limit;
  throw Error(where + refusal(word_of(kind), trimmed(text)), ErrorKind::kQuestion);
}

std::vector<Limit> parse_limits(std::string_view text, const std::string& path) {
  std::vector<Limit> limits;
  for (size_t number = 1; !text.empty(); ++number) {
    size_t length = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    Limit limit = parse_line(line, path + ":" + std::to_string(number));
    for (const Limit& other : limits) {
      if (other.kind != limit.kind) continue;
      throw Error(limit.source + ": " + std::string(name_of(limit.kind)) +
                      " is there already, at " + other.source + "; keep one of them",
                  ErrorKind::kQuestion);
    }
    limits.push_back(limit);
  }
  return limits;
}

std::vector<Limit> merged_limits(const std::vector<Limit>& first,
                                 const std::vector<Limit>& others) {
  std::vector<Limit> all = first;
  for (const Limit& limit : others) {
    bool has = std::any_of(first.begin(), first.end(),
                           [&](const Limit& one) { return one.kind == limit.kind; });
    if (!has) all.push_back(limit);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Limit& a, const Limit& b) { return a.kind < b.kind; });
  return all;
}

std::string read_words(const std::string& path, const char* what) {
  constexpr size_t kMost = 1 << 20;
  std::ifstream file(path, std::ios::binary);
  std::string text;
  if (file) text.assign(std::istreambuf_iterator<char>(file), {});
  if (!file || text.size() > kMost) {
    throw Error(std::string("cannot read the ") + what + " in " + quoted(path) +
                    (text.size() > kMost ? ": it is too large" : ""),
                ErrorKind::kQuestion);
  }
  return text;
}

}  // namespace heapledger::cli::check
