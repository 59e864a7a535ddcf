// The columns of figures in tables and trees: the one that is sorted by first, then as many others
// as leave room for the names.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analyzer/query.h"
#include "cli/pages/page.h"

namespace heapledger::cli::report {

// "1.2 MiB", "1,234", "35.0 us": whatever the measure is in.
std::string measure_text(const Figures& figures, Measure measure);

// What a column with that measure is called.
std::string measure_title(Measure measure);

// Which figures are known.
enum class Known {
  kAll,
  kSums,  // what is live, and what sites have summed up: nothing of single blocks before
  kLive,  // what is live, and nothing else
};

class FigureColumns {
 public:
  // `overlapping`: groups have figures of their own beside those of all they contain.
  FigureColumns(const Question& question, const Figures& totals, bool overlapping,
                Known known = Known::kAll);

  void add(const Figures& all, const Figures& self);

  // Drops columns from the right until `least_room` characters are left of the page.
  void fit(const Page& page, size_t least_room);

  // All figures of a line, in aligned columns; both end with two spaces.
  std::string heading() const;
  std::string line(size_t row) const;

  // Characters that they take, and what is left for the name.
  size_t used() const;
  size_t room(const Page& page) const;

 private:
  struct Column {
    std::string title;
    std::function<std::string(const Figures& all, const Figures& self)> text;
    size_t width;
    std::vector<std::string> cells;
  };

  void add_column(const std::string& title,
                  std::function<std::string(const Figures& all, const Figures& self)> text);
  void add_measure(Measure measure);

  std::vector<Column> columns_;
};

}  // namespace heapledger::cli::report
