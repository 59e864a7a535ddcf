#include "plots/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "text/text.h"
#include "text/utf8.h"
#include "text/xml.h"

namespace heapledger {
namespace {

const char* name_of(Anchor anchor) {
  switch (anchor) {
    case Anchor::kStart:
      return "start";
    case Anchor::kMiddle:
      return "middle";
    case Anchor::kEnd:
      break;
  }
  return "end";
}

}  // namespace

std::string coordinate(double value) {
  std::string text = fmt::format("{:.2f}", std::isfinite(value) ? value : 0.0);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string short_name(std::string_view name, size_t characters) {
  // The escapes of the first so many bytes are already more than has room.
  return cut_text(escaped(name.substr(0, characters * 4 + 4)), characters);
}

size_t characters_in(double width, double font_size) {
  return static_cast<size_t>(std::max(1.0, width / (font_size * 0.6)));
}

double width_of(std::string_view text, double font_size) {
  size_t characters = 0;
  for (const Utf8Piece& piece : Utf8Pieces(text)) characters += piece.bytes.empty() ? 0 : 1;
  return static_cast<double>(characters) * font_size * 0.6;
}

Svg::Svg(double width, double height, Scheme scheme) {
  text_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\">\n<style>\n{2}</style>\n",
      coordinate(width), coordinate(height), style_sheet(scheme));
  rect({0, 0, width, height}, "page");
}

void Svg::attributes(std::string_view classes, const Data& data) {
  if (!classes.empty()) text_ += fmt::format(" class=\"{}\"", classes);
  for (const auto& [name, value] : data) {
    text_ += fmt::format(" data-{}=\"{}\"", name, xml_text(value));
  }
}

void Svg::end_element(std::string_view name, std::string_view title) {
  if (title.empty()) {
    text_ += "/>\n";
  } else {
    text_ += fmt::format("><title>{}</title></{}>\n", xml_text(title), name);
  }
}

void Svg::open_group(std::string_view classes, const Data& data) {
  text_ += "<g";
  attributes(classes, data);
  text_ += ">\n";
}

void Svg::close_group() {
  text_ += "</g>\n";
}

void Svg::rect(const Box& box, std::string_view classes, std::string_view title, const Data& data) {
  text_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", coordinate(box.x),
                       coordinate(box.y), coordinate(std::max(box.width, 0.0)),
                       coordinate(std::max(box.height, 0.0)));
  attributes(classes, data);
  end_element("rect", title);
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view classes,
               std::string_view title, const Data& data) {
  text_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"", coordinate(x1),
                       coordinate(y1), coordinate(x2), coordinate(y2));
  attributes(classes, data);
  end_element("line", title);
}

void Svg::path(std::string_view commands, std::string_view classes, std::string_view title,
               const Data& data) {
  if (commands.empty()) return;
  text_ += "<path d=\"";
  text_ += commands;
  text_ += '"';
  attributes(classes, data);
  end_element("path", title);
}

void Svg::circle(double x, double y, double radius, std::string_view classes,
                 std::string_view title, const Data& data) {
  text_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"", coordinate(x), coordinate(y),
                       coordinate(radius));
  attributes(classes, data);
  end_element("circle", title);
}

void Svg::text(double x, double y, std::string_view text, std::string_view classes, Anchor anchor) {
  text_ += fmt::format("<text x=\"{}\" y=\"{}\"", coordinate(x), coordinate(y));
  attributes(classes, {});
  if (anchor != Anchor::kStart) text_ += fmt::format(" text-anchor=\"{}\"", name_of(anchor));
  text_ += fmt::format(">{}</text>\n", xml_text(text));
}

std::string Svg::finish() {
  text_ += "</svg>\n";
  return std::move(text_);
}

}  // namespace heapledger
