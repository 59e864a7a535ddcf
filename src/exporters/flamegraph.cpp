#include "exporters/flamegraph.h"

#include <fmt/format.h>

#include <string>

#include "exporters/flamegraph_data.h"
#include "exporters/flamegraph_layout.h"
#include "exporters/picture_resources.h"
#include "text/text.h"
#include "text/utf8.h"
#include "text/xml.h"

namespace heapledger {
namespace {

// In pixels. The script has the same for what it moves.
constexpr uint32_t kUsualWidth = 1200;
constexpr uint32_t kRow = 18;
constexpr uint32_t kMargin = 12;
constexpr uint32_t kKeys = 66;             // where the names of the modules begin
constexpr double kCharacter = 7.23;        // one of the frames' font
constexpr double kHeadingCharacter = 9.6;  // one of the heading's, on the average …
constexpr double kSmallCharacter = 6.6;    // … and of the lines under it
constexpr double kNarrowest = 0.4;
constexpr size_t kLongestKey = 60;
constexpr std::string_view kCallersWords = "; from those that allocate to their callers";

// As much of a name as fits into so many pixels.
std::string fitted(std::string_view name, double room) {
  auto left = static_cast<int>((room - 6) / kCharacter);
  if (left < 2) return "";
  std::string text;
  size_t last = 0;
  for (const Utf8Piece& piece : Utf8Pieces(name)) {
    left -= piece.point >= 0x1100 ? 2 : 1;
    if (left < 0) return text.substr(0, last) + "…";
    last = text.size();
    text += piece.bytes;
  }
  return text;
}

class Picture {
 public:
  Picture(const FlameLayout& layout, ExportRequest& request, const FlamegraphRequest& wanted,
          Output& output)
      : layout_(layout),
        request_(request),
        wanted_(wanted),
        output_(output),
        heading_(heading_of(request, wanted.picture, layout.total)),
        width_(wanted.width > 0 ? wanted.width : kUsualWidth) {
    heading_.what += wanted.inverted ? kCallersWords : "";
    if (layout.left_out) {
      heading_.what += fmt::format("; frames under {} left out", share_text(least_share()));
    }
    if (layout.answer.cut_sites > 0) {
      heading_.what += fmt::format("; {} cut short", counted(layout.answer.cut_sites, "stack"));
    }
  }

  void write_svg(bool with_style_and_script) {
    std::string keys = keys_text();
    uint32_t height = top() + layout_.rows * kRow + kMargin;
    put("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"flamegraph\" width=\"{0}\" "
        "height=\"{1}\" viewBox=\"0 0 {0} {1}\" data-unit=\"{2}\" data-keys=\"{3}\"{4}>\n",
        width_, height, unit_of(request_.metric), kKeys,
        wanted_.width > 0 ? " data-fixed=\"\"" : "");
    if (with_style_and_script) put("<style>\n{}</style>\n", kFlamegraphStyle);
    put("<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n");
    put_line("heading", heading_.title, 27, kHeadingCharacter);
    put_line("what", heading_.what, 46, kSmallCharacter);
    output_.write(keys);
    put("<text class=\"detail\" x=\"{0}\" y=\"{1}\"></text>\n"
        "<text class=\"matched\" x=\"{2}\" y=\"{1}\"></text>\n",
        kMargin, top() - 10, width_ - kMargin);
    put("<g class=\"frames\" transform=\"translate(0,{})\">\n", top());
    for (const FlameFrame& frame : layout_.frames) write_frame(frame);
    put("</g>\n");
    if (layout_.total > 0) {
      put("<metadata class=\"stacks\"{}>", wanted_.inverted ? " data-inverted=\"\"" : "");
      output_.write(flame_data(request_, wanted_, layout_));
      put("</metadata>\n");
    }
    if (with_style_and_script) {
      put("<script><![CDATA[\n{}]]></script>\n", kFlamegraphScript);
    }
    put("</svg>\n");
  }

  void write_html() {
    put("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
        "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body class=\"page\">\n",
        xml_escaped(heading_.title), kFlamegraphStyle);
    write_svg(false);
    put("<script>\n{}</script>\n</body>\n</html>\n", kFlamegraphScript);
  }

 private:
  template <typename... Values>
  void put(fmt::format_string<Values...> form, Values&&... values) {
    output_.write(fmt::format(form, std::forward<Values>(values)...));
  }

  // That of the widest frame which is left out may be more than was asked for.
  double least_share() const {
    uint64_t least = layout_.total;
    for (const FlameFrame& frame : layout_.frames) {
      if (frame.smaller == 0) least = std::min(least, frame.value);
    }
    double share = static_cast<double>(least) / static_cast<double>(layout_.total);
    return layout_.frames.size() < FlameLayout::kMostFrames ? wanted_.least_share : share;
  }

  uint32_t top() const { return kKeys + key_rows_ * kRow + 14; }

  void put_line(const char* name, const std::string& text, uint32_t y, double character) {
    auto room = static_cast<size_t>((width_ - 2 * kMargin) / character);
    put("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n", name, kMargin, y,
        xml_escaped(cut_text(text, room)));
  }

  // The modules and their colours, in as many rows as they need.
  std::string keys_text() {
    std::string text;
    double x = kMargin;
    key_rows_ = layout_.modules.empty() ? 0 : 1;
    auto add = [&](uint32_t colour, const std::string& name, const std::string& whole) {
      std::string shown = cut_text(shown_name(name), kLongestKey);
      double length = static_cast<double>(shown.size()) * kSmallCharacter + 34;
      if (x + length > width_ - kMargin && x > kMargin) {
        x = kMargin;
        ++key_rows_;
      }
      text += fmt::format(
          "<g class=\"key m{}\" transform=\"translate({:.1f},{})\"><title>{}</title>"
          "<rect y=\"-10\" width=\"12\" height=\"12\" rx=\"2\"/><text x=\"18\">{}</text></g>\n",
          colour, x, kKeys + (key_rows_ - 1) * kRow, xml_escaped(shown_name(whole)),
          xml_escaped(shown));
      x += length;
    };
    for (uint32_t i = 0; i < layout_.modules.size(); ++i) {
      const std::string& path = layout_.modules[i];
      std::string name = path.empty() ? "in no module" : std::string(base_name(path));
      add(i, name, path.empty() ? name : path);
    }
    if (layout_.has_others) add(FlameLayout::kOtherModules, "other modules", "other modules");
    return text;
  }

  void write_frame(const FlameFrame& frame) {
    const TreeNode& node = layout_.answer.tree[frame.node];
    bool is_room = frame.smaller > 0;
    std::string name =
        is_room ? fmt::format("… {} smaller", with_commas(frame.smaller)) : shown_name(node.name);
    std::string title =
        fmt::format("{}\n{}, {} of all", name, exact_text(frame.value, request_.metric),
                    percent(frame.value, layout_.total));
    if (!is_room) title += place_text(node.module, node.file, node.line);
    std::string classes =
        is_room ? "rest"
                : fmt::format("frame m{} s{}", frame.colour, frame.depth == 0 ? 0 : shade_of(name));
    double scale = (width_ - 2.0 * kMargin) / static_cast<double>(layout_.total);
    double x = kMargin + static_cast<double>(frame.begin) * scale;
    double room = static_cast<double>(frame.value) * scale;
    put("<g class=\"{}\" data-begin=\"{}\" data-value=\"{}\" data-depth=\"{}\">"
        "<title>{}</title><rect x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"{}\" rx=\"1.5\"/>"
        "<text x=\"{:.2f}\" y=\"{}\">{}</text></g>\n",
        classes, frame.begin, frame.value, frame.depth, xml_escaped(title), x, frame.depth * kRow,
        std::max(room - 1, kNarrowest), kRow - 1, x + 3, frame.depth * kRow + 13,
        xml_escaped(fitted(name, room)));
  }

  const FlameLayout& layout_;
  ExportRequest& request_;
  const FlamegraphRequest& wanted_;
  Output& output_;
  PictureHeading heading_;
  uint32_t width_;
  uint32_t key_rows_ = 0;
};

}  // namespace

void write_flamegraph(ExportRequest& request, const FlamegraphRequest& wanted, Output& output) {
  FlameLayout layout = lay_out(request, wanted);
  Picture picture(layout, request, wanted, output);
  if (wanted.html) {
    picture.write_html();
  } else {
    output.write("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    picture.write_svg(true);
  }
}

}  // namespace heapledger
