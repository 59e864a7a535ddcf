// A picture as SVG, written from front to back. Colours are classes of the style sheet at its head
// (style.cpp), so that one file can be light and dark. Texts are escaped here: whatever they hold,
// the picture stays well-formed and nothing in it is obeyed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heapledger {

enum class Scheme { kAuto, kLight, kDark };  // kAuto: as the reader's screen has it

struct Box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;

  double right() const { return x + width; }
  double bottom() const { return y + height; }
};

enum class Anchor { kStart, kMiddle, kEnd };

// Figures that a picture carries for programs: data-NAME="VALUE".
using Data = std::vector<std::pair<std::string_view, std::string>>;

class Svg {
 public:
  Svg(double width, double height, Scheme scheme);

  void open_group(std::string_view classes, const Data& data = {});
  void close_group();

  // `title` is what a reader sees who points at it.
  void rect(const Box& box, std::string_view classes, std::string_view title = {},
            const Data& data = {});
  void line(double x1, double y1, double x2, double y2, std::string_view classes,
            std::string_view title = {}, const Data& data = {});
  void path(std::string_view commands, std::string_view classes, std::string_view title = {},
            const Data& data = {});
  void circle(double x, double y, double radius, std::string_view classes,
              std::string_view title = {}, const Data& data = {});
  void text(double x, double y, std::string_view text, std::string_view classes,
            Anchor anchor = Anchor::kStart);

  std::string finish();

 private:
  void end_element(std::string_view name, std::string_view title);
  void attributes(std::string_view classes, const Data& data);

  std::string text_;
};

// A coordinate: two decimals at most.
std::string coordinate(double value);

// A name from anywhere, of so many characters at most, without anything invisible.
std::string short_name(std::string_view name, size_t characters);

// How many characters of a text have room, and how much room a text takes, roughly: nobody knows
// the reader's font.
size_t characters_in(double width, double font_size);
double width_of(std::string_view text, double font_size);

// Style sheet.
std::string style_sheet(Scheme scheme);
inline constexpr size_t kSeriesColours = 12;  // classes s0 to s11
inline constexpr size_t kLevels = 8;          // classes d1 to d8: from little to full
inline constexpr double kSmallFont = 11;

}  // namespace heapledger
