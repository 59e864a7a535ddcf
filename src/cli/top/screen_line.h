// A line of a screen: pieces of text with what they look like, never wider than the screen. Widths
// are columns of a terminal: characters of Chinese, Japanese and Korean and most pictures take two,
// marks that go onto another character take none.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/pages/page.h"

namespace heapledger::cli::top {

// What is told by a colour is told by a sign, too.
enum class Look { kPlain, kStrong, kFaint, kGrows, kShrinks, kHeading };

size_t columns_of(std::string_view text);

// At most so many columns; if some are left out, the last is an ellipsis.
std::string cut_columns(std::string_view text, size_t columns);

class Line {
 public:
  // Signs are those that `page` has. Texts are for people already: nothing in them is obeyed.
  explicit Line(const Page& page) : page_(&page) {}

  Line& put(std::string_view text, Look look = Look::kPlain);
  Line& put_right(std::string_view text, size_t columns, Look look = Look::kPlain);
  Line& fill_to(size_t columns);  // with spaces
  Line& fit(size_t columns);      // cuts what is wider
  Line& choose();                 // marks the whole of it

  size_t columns() const { return columns_; }
  std::string plain() const;  // without looks, and without spaces at the end
  std::string painted(bool colours) const;

 private:
  struct Piece {
    std::string text;
    Look look;
  };

  const Page* page_;
  std::vector<Piece> pieces_;
  size_t columns_ = 0;
  bool chosen_ = false;
};

}  // namespace heapledger::cli::top
