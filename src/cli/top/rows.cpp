#include "cli/top/rows.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "text/text.h"

namespace heapledger::cli::top {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool has(std::string_view text, std::string_view part) {
  auto same = [](char a, char b) { return lower(a) == lower(b); };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

// Which stacks have a text. Frames are shared by many of them, and looked at once.
class TextFilter {
 public:
  explicit TextFilter(std::string_view text) : text_(text) {}

  bool chooses(const SiteName& stack) {
    if (text_.empty()) return true;
    return std::any_of(stack.frames.begin(), stack.frames.end(),
                       [this](const NamedFrame* frame) { return on(*frame); });
  }

 private:
  bool on(const NamedFrame& frame) {
    auto [known, is_new] = known_.try_emplace(&frame, false);
    if (is_new) {
      std::string place = frame.file + ":" + std::to_string(frame.line);
      known->second = has(frame.name, text_) || has(place, text_) || has(frame.module, text_);
    }
    return known->second;
  }

  std::string_view text_;
  std::unordered_map<const NamedFrame*, bool> known_;
};

TopRow row_of(const WatchedSite& site, TopBy by) {
  TopRow row;
  row.change = site.change;
  row.stack = site.name;
  row.stack_bytes = site.change.live_bytes;
  const NamedFrame* blamed = site.name->blamed;
  row.name = blamed == nullptr ? "(no stack)" : blamed->name;
  if (blamed != nullptr) row.file = blamed->file;
  if (by == TopBy::kSite) {
    row.key = std::to_string(site.site);
    if (blamed != nullptr) row.line = blamed->line;
  } else {
    row.key = row.name + '\0' + (blamed == nullptr ? "" : blamed->module);
  }
  return row;
}

void merge(TopRow& into, TopRow&& row) {
  into.change.add(row.change);
  into.sites += row.sites;
  if (row.stack_bytes <= into.stack_bytes) return;
  into.stack = row.stack;
  into.stack_bytes = row.stack_bytes;
}

// What rows are sorted by, the largest first; names the other way round.
int64_t measure(const TopRow& row, const TopSortRow& sort) {
  if (sort.sum != nullptr) return static_cast<int64_t>(row.change.*sort.sum);
  return sort.other != nullptr ? row.change.*sort.other : 0;
}

void sort_rows(std::vector<TopRow>& rows, const TopChoice& choice) {
  const TopSortRow& sort = row_of(choice.sort);
  auto before = [&](const TopRow& a, const TopRow& b) {
    if (sort.sort == TopSort::kName && a.name != b.name) return a.name < b.name;
    int64_t of_a = measure(a, sort);
    int64_t of_b = measure(b, sort);
    if (of_a != of_b) return of_a > of_b;
    if (a.change.live_bytes != b.change.live_bytes) {
      return a.change.live_bytes > b.change.live_bytes;
    }
    return std::tie(a.name, a.key) < std::tie(b.name, b.key);
  };
  std::sort(rows.begin(), rows.end(), before);
  if (choice.reverse) std::reverse(rows.begin(), rows.end());
}

}  // namespace

const std::array<TopSortRow, 5>& top_sorts() {
  const auto of = [](TopSort sort, Measure measure, std::string_view word, std::string_view title) {
    const FigureRow& row = heapledger::row_of(measure);
    return TopSortRow{sort, word.empty() ? row.word : word, title.empty() ? row.title : title,
                      row.sum, nullptr};
  };
  static const std::array<TopSortRow, 5> sorts = {{
      of(TopSort::kLive, Measure::kLiveBytes, "", "live bytes"),
      {TopSort::kGrowth, "growth", "growth since top began", nullptr,
       &cores::Change::growth_since_first},
      of(TopSort::kRate, Measure::kBytes, "rate", "bytes allocated"),
      of(TopSort::kBlocks, Measure::kLiveBlocks, "", ""),
      {TopSort::kName, "name", "name", nullptr, nullptr},
  }};
  return sorts;
}

const TopSortRow& row_of(TopSort sort) {
  return top_sorts()[static_cast<size_t>(sort)];
}

std::vector<std::string> top_sort_words() {
  std::vector<std::string> words;
  for (const TopSortRow& row : top_sorts()) words.emplace_back(row.word);
  return words;
}

std::string_view name_of(TopBy by) {
  return by == TopBy::kSite ? "site" : "function";
}

std::vector<TopRow> top_rows(const TopReading& reading, const TopChoice& choice) {
  std::vector<TopRow> rows;
  std::unordered_map<std::string, size_t> places;
  TextFilter filter(choice.filter);
  for (const WatchedSite& site : reading.sites) {
    if (!filter.chooses(*site.name)) continue;
    TopRow row = row_of(site, choice.by);
    auto [place, is_new] = places.try_emplace(row.key, rows.size());
    if (is_new) {
      rows.push_back(std::move(row));
    } else {
      merge(rows[place->second], std::move(row));
    }
  }
  sort_rows(rows, choice);
  return rows;
}

}  // namespace heapledger::cli::top
