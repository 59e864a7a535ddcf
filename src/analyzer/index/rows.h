// Rows that add up: sorted by their places, and those at one place made one row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace heapledger {

// In the order of their places.
struct ByPlace {
  template <typename Row>
  bool operator()(const Row& a, const Row& b) const {
    return a.place() < b.place();
  }
};

// Makes rows at one place, which are neighbours, one row, from the row `first` on, as far as they
// fit into one.
template <typename Row>
void join_neighbours(std::vector<Row>& rows, size_t first) {
  size_t kept = first;
  for (size_t i = first; i < rows.size(); ++i) {
    const bool same = kept > first && rows[kept - 1].place() == rows[i].place();
    if (!same || !rows[kept - 1].join(rows[i])) rows[kept++] = rows[i];
  }
  rows.resize(kept);
}

template <typename Row>
void sort_all(std::vector<Row>& rows) {
  std::sort(rows.begin(), rows.end(), ByPlace());
  join_neighbours(rows, 0);
}

// Rows that come in any order, of which the first ones are sorted already.
template <typename Row>
class SortedRows {
 public:
  // True: so many wait that it is time to sort them.
  bool add(const Row& row) {
    rows.push_back(row);
    const size_t unsorted = rows.size() - sorted_;
    return unsorted >= kLeastToSort && unsorted >= sorted_ / 2;
  }

  // Places are sorted, which are smaller than rows; what was sorted before stays where it is but
  // for making room.
  void sort() {
    struct Waiting {
      decltype(std::declval<Row>().place()) place;
      size_t at;
    };
    std::vector<Waiting> waiting;
    waiting.reserve(rows.size() - sorted_);
    for (size_t i = sorted_; i < rows.size(); ++i) waiting.push_back({rows[i].place(), i});
    std::sort(waiting.begin(), waiting.end(),
              [](const Waiting& a, const Waiting& b) { return a.place < b.place; });
    std::vector<Row> fresh;
    fresh.reserve(waiting.size());
    for (const Waiting& next : waiting) {
      const Row& row = rows[next.at];
      const bool same = !fresh.empty() && fresh.back().place() == next.place;
      if (!same || !fresh.back().join(row)) fresh.push_back(row);
    }
    rows.resize(sorted_ + fresh.size());
    size_t to = rows.size();
    for (size_t i = sorted_, j = fresh.size(); j > 0;) {
      if (i > 0 && fresh[j - 1].place() < rows[i - 1].place()) {
        rows[--to] = rows[--i];
      } else {
        rows[--to] = fresh[--j];
      }
    }
    join_neighbours(rows, 0);
    sorted_ = rows.size();
  }

  // After their places have changed.
  void sort_again() {
    sorted_ = 0;
    sort();
  }

  std::vector<Row> take() {
    sort();
    rows.shrink_to_fit();
    sorted_ = 0;
    return std::move(rows);
  }

  std::vector<Row> rows;

 private:
  static constexpr size_t kLeastToSort = 65536;

  size_t sorted_ = 0;
};

}  // namespace heapledger
