#include "cli/top/screen_line.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "text/utf8.h"

namespace heapledger::cli::top {
namespace {

using Range = std::pair<uint32_t, uint32_t>;

// Marks that go onto the character before them, and what shows nothing.
constexpr std::array<Range, 12> kNarrowest = {{{0x0300, 0x036f},
                                               {0x0483, 0x0489},
                                               {0x0591, 0x05bd},
                                               {0x0610, 0x061a},
                                               {0x064b, 0x065f},
                                               {0x093c, 0x093c},
                                               {0x0e34, 0x0e3a},
                                               {0x1ab0, 0x1aff},
                                               {0x1dc0, 0x1dff},
                                               {0x200b, 0x200d},
                                               {0x20d0, 0x20ff},
                                               {0xfe00, 0xfe0f}}};

constexpr std::array<Range, 11> kWide = {{{0x1100, 0x115f},
                                          {0x2e80, 0x303e},
                                          {0x3041, 0x33ff},
                                          {0x3400, 0x4dbf},
                                          {0x4e00, 0x9fff},
                                          {0xa960, 0xa97f},
                                          {0xac00, 0xd7a3},
                                          {0xf900, 0xfaff},
                                          {0xfe30, 0xfe6f},
                                          {0xff00, 0xff60},
                                          {0x1f300, 0x3fffd}}};

template <size_t N>
bool within(const std::array<Range, N>& ranges, uint32_t point) {
  return std::any_of(ranges.begin(), ranges.end(), [point](const Range& range) {
    return point >= range.first && point <= range.second;
  });
}

size_t piece_columns(const Utf8Piece& piece) {
  if (!piece.valid || piece.point < kNarrowest.front().first) return 1;
  if (within(kNarrowest, piece.point)) return 0;
  return within(kWide, piece.point) ? 2 : 1;
}

const char* code_of(Look look, bool colours) {
  switch (look) {
    case Look::kStrong:
      return "1";
    case Look::kFaint:
      return "2";
    case Look::kHeading:
      return "7";
    // Orange and blue, as far as sixteen colours go: those that most people can tell apart.
    case Look::kGrows:
      return colours ? "33" : "";
    case Look::kShrinks:
      return colours ? "36" : "";
    case Look::kPlain:
      break;
  }
  return "";
}

}  // namespace

size_t columns_of(std::string_view text) {
  size_t columns = 0;
  for (const Utf8Piece& piece : Utf8Pieces(text)) columns += piece_columns(piece);
  return columns;
}

std::string cut_columns(std::string_view text, size_t columns) {
  if (columns_of(text) <= columns) return std::string(text);
  if (columns == 0) return "";
  size_t used = 0;
  size_t end = 0;
  for (const Utf8Piece& piece : Utf8Pieces(text)) {
    used += piece_columns(piece);
    if (used > columns - 1) break;
    end += piece.bytes.size();
  }
  return std::string(text.substr(0, end)) + "…";
}

Line& Line::put(std::string_view text, Look look) {
  Buffer buffer;
  buffer.append(text);
  std::string shown = page_->finished(buffer);
  columns_ += columns_of(shown);
  pieces_.push_back({std::move(shown), look});
  return *this;
}

Line& Line::put_right(std::string_view text, size_t columns, Look look) {
  size_t used = columns_of(text);
  if (used < columns) put(std::string(columns - used, ' '));
  return put(text, look);
}

Line& Line::fill_to(size_t columns) {
  if (columns_ < columns) put(std::string(columns - columns_, ' '));
  return *this;
}

Line& Line::fit(size_t columns) {
  if (columns_ <= columns) return *this;
  std::vector<Piece> all = std::exchange(pieces_, {});
  columns_ = 0;
  for (Piece& piece : all) {
    size_t used = columns_of(piece.text);
    if (columns_ + used < columns) {
      columns_ += used;
      pieces_.push_back(std::move(piece));
      continue;
    }
    // One column more than there is room for, so that there is an ellipsis in any case.
    put(cut_columns(piece.text + " ", columns - columns_), piece.look);
    break;
  }
  return *this;
}

Line& Line::choose() {
  chosen_ = true;
  return *this;
}

std::string Line::plain() const {
  std::string all;
  for (const Piece& piece : pieces_) all += piece.text;
  all.erase(all.find_last_not_of(' ') + 1);
  return all;
}

std::string Line::painted(bool colours) const {
  std::string all = chosen_ ? "\x1b[7m" : "";
  for (const Piece& piece : pieces_) {
    // A chosen line is all of one look: colours on a bright ground are hard to read.
    std::string code = chosen_ ? "" : code_of(piece.look, colours);
    if (code.empty()) {
      all += piece.text;
    } else {
      all += "\x1b[" + code + "m" + piece.text + "\x1b[0m";
    }
  }
  return chosen_ ? all + "\x1b[0m" : all;
}

}  // namespace heapledger::cli::top
