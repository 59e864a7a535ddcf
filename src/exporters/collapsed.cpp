// Collapsed stacks: `main;parse;malloc 4096`, the outermost function first, whole numbers only. One
// line for every stack that differs by its names. What would break a line (its end, the separator,
// other control characters) is replaced.
#include <tsl/robin_map.h>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exporters/formats.h"
#include "exporters/stacks.h"
#include "text/utf8.h"

namespace heapledger {
namespace {

// The separator in a name becomes this; a comma, unless the separator is one.
char substitute_for(std::string_view separator) {
  return separator.find(',') == std::string_view::npos ? ',' : ':';
}

void append_name(std::string_view name, std::string_view separator, std::string& line) {
  size_t begin = line.size();
  for (const Utf8Piece& piece : Utf8Pieces(name)) {
    if (!piece.valid) {
      line += "\xEF\xBF\xBD";
    } else if (piece.point < 0x20 || piece.point == 0x7F ||
               (piece.point >= 0x80 && piece.point < 0xA0) || piece.point == 0x2028 ||
               piece.point == 0x2029) {
      line += ' ';
    } else {
      line += piece.bytes;
    }
  }
  for (size_t at = begin; (at = line.find(separator, at)) != std::string::npos;) {
    line.replace(at, separator.size(), 1, substitute_for(separator));
  }
}

}  // namespace

void write_collapsed(ExportRequest& request, Output& output) {
  tsl::robin_map<std::string, size_t> places;
  std::vector<std::pair<std::string, uint64_t>> lines;
  for_each_stack(request, [&](const ExportedStack& stack) {
    uint64_t value = value_of(stack.figures, request.metric);
    if (value == 0) return;
    std::string line;
    for (size_t i = stack.frames.size(); i-- > 0;) {
      append_name(stack.frames[i].name, request.separator, line);
      if (i > 0) line += request.separator;
    }
    auto [place, is_new] = places.try_emplace(line, lines.size());
    if (is_new) lines.emplace_back(std::move(line), 0);
    lines[place->second].second += value;
  });
  for (const auto& [line, value] : lines) {
    output.write(line);
    output.write(' ');
    output.write(std::to_string(value));
    output.write('\n');
  }
}

}  // namespace heapledger
