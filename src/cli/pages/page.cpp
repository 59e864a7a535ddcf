#include "cli/pages/page.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "text/utf8.h"

namespace heapledger::cli {
namespace {

constexpr size_t kLeastWidth = 40;
constexpr size_t kMostWidth = 400;

// Each of our signs and the plain one in its place.
constexpr std::array<std::pair<std::string_view, char>, 24> kPlainSigns = {{
    {"▁", '.'}, {"▂", '.'}, {"▃", ':'}, {"▄", ':'}, {"▅", '+'}, {"▆", '+'}, {"▇", '#'}, {"█", '#'},
    {"│", '|'}, {"┤", '|'}, {"└", '`'}, {"├", '|'}, {"─", '-'}, {"┴", '+'}, {"▲", '^'}, {"•", 'o'},
    {"…", '~'}, {"←", '<'}, {"→", '>'}, {"·", '-'}, {"×", 'x'}, {"±", '~'}, {"┬", '|'}, {"▼", 'v'},
}};

std::string plain(std::string_view text) {
  std::string all;
  for (const Utf8Piece& piece : Utf8Pieces(text)) {
    auto sign = std::find_if(kPlainSigns.begin(), kPlainSigns.end(),
                             [&](const auto& one) { return one.first == piece.bytes; });
    if (sign != kPlainSigns.end()) {
      all += sign->second;
    } else if (piece.bytes.size() == 1) {
      all += piece.bytes;
    } else {
      all += fmt::format("\\u{:04x}", piece.point);  // of somebody's name
    }
  }
  return all;
}

size_t columns_variable() {
  const char* text = std::getenv("COLUMNS");
  if (text == nullptr) return 0;
  std::string_view digits(text);
  size_t columns = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), columns);
  return error == std::errc() && end == digits.data() + digits.size() ? columns : 0;
}

bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || value[0] == '\0') continue;
    std::string lower;
    for (const char* c = value; *c != '\0'; ++c) {
      lower += static_cast<char>(std::tolower(static_cast<unsigned char>(*c)));
    }
    return lower.find("utf-8") != std::string::npos || lower.find("utf8") != std::string::npos;
  }
  return false;
}

// Without what is between the last brackets: "f(int, long) const" gives "f(…) const".
std::string without_arguments(const std::string& function) {
  size_t close = function.rfind(')');
  if (close == std::string::npos) return function;
  size_t depth = 0;
  for (size_t at = close + 1; at-- > 0;) {
    if (function[at] == ')') ++depth;
    if (function[at] != '(' || --depth > 0) continue;
    bool is_scope = function.compare(at, close - at, "(anonymous namespace") == 0;
    if (at == 0 || close - at < 2 || is_scope) return function;
    return function.substr(0, at + 1) + "…" + function.substr(close);
  }
  return function;
}

// Where the first "::" outside all brackets ends; npos if there is none.
size_t first_scope_end(std::string_view function) {
  size_t depth = 0;
  for (size_t at = 0; at + 1 < function.size(); ++at) {
    if (std::string_view("(<[{").find(function[at]) != std::string_view::npos) ++depth;
    if (depth > 0 && std::string_view(")>]}").find(function[at]) != std::string_view::npos) --depth;
    if (depth == 0 && function.substr(at, 2) == "::") return at + 2;
  }
  return std::string_view::npos;
}

// As much of the end of a name as there is room for: "a::b::c::f(…)" gives "…c::f(…)".
std::string fitted(const std::string& function, size_t room) {
  if (shown_width(function) <= room) return function;
  std::string whole = without_arguments(function);
  std::string_view rest = whole;
  while (shown_width(rest) + (rest.size() < whole.size() ? 1 : 0) > room) {
    size_t scope = first_scope_end(rest);
    if (scope == std::string_view::npos) break;
    rest.remove_prefix(scope);
  }
  if (rest.size() == whole.size()) return cut_text(whole, room);
  return cut_text("…" + std::string(rest), room);
}

constexpr size_t kGap = 2;  // between a function and its place

// The end of a text in so many characters.
std::string end_of(std::string_view text, size_t room) {
  const size_t width = shown_width(text);
  if (width <= room) return std::string(text);
  std::string end = "…";
  size_t at = 0;
  for (const Utf8Piece& piece : Utf8Pieces(text)) {
    if (at++ > width - room) end += piece.bytes;
  }
  return end;
}

// "…/parse.cpp:42" in `room` characters if the path can be cut so far. At `most`, the beginning of
// the file's own name goes as well.
std::string fitted_place(const std::string& place, size_t room, size_t most) {
  if (shown_width(place) <= room) return place;
  std::string rest = place;
  for (size_t slash = rest.find('/', 1); slash != std::string::npos && shown_width(rest) > room;
       slash = rest.find('/', std::string_view("…/").size())) {
    rest = "…" + rest.substr(slash);
  }
  const size_t begin = rest.rfind('/');
  if (shown_width(rest) > room && begin != std::string::npos) rest = rest.substr(begin + 1);
  return end_of(rest, most);
}

// A function with its place behind it. Where there is too little room, the parameters go first,
// then folders of the path, then parts of the name; the file and the line stay.
std::string with_place(const Page& page, std::string function, std::string place, size_t room) {
  constexpr size_t kRoomForBoth = 16;
  if (place.empty() || (page.cut && room < kRoomForBoth)) {
    return page.cut ? fitted(function, room) : function;
  }
  if (page.cut && shown_width(function) + kGap + shown_width(place) > room) {
    function = without_arguments(function);
    const size_t wide = shown_width(function) + kGap;
    // A short name stays whole; the rest of a path goes before it.
    const size_t least_name = std::min(shown_width(function), std::max<size_t>(6, room * 2 / 5));
    const size_t most = room - std::min(room, least_name + kGap);
    place = fitted_place(place, room - std::min(room, wide), most);
    function = fitted(function, room - std::min(room, shown_width(place) + kGap));
  }
  return function + "  " + page.style.dim(place);
}

}  // namespace

Page Page::for_stdout() {
  Page page;
  page.style = Style::for_stream(STDOUT_FILENO);
  page.unicode = locale_is_utf8();
  size_t columns = columns_variable();
  winsize size{};
  bool terminal = ::isatty(STDOUT_FILENO) == 1;
  if (columns == 0 && terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
    columns = size.ws_col;
  }
  page.cut = terminal || columns > 0;
  if (columns > 0) page.width = std::clamp(columns, kLeastWidth, kMostWidth);
  return page;
}

std::string Page::finished(const Buffer& text) const {
  std::string all = fmt::to_string(text);
  return unicode ? all : plain(all);
}

size_t shown_width(std::string_view text) {
  size_t count = 0;
  for (const Utf8Piece& piece : Utf8Pieces(text)) {
    static_cast<void>(piece);
    ++count;
  }
  return count;
}

std::string wrapped(std::string_view text, size_t width) {
  std::string all;
  size_t used = 0;
  while (!text.empty()) {
    size_t end = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, end);
    size_t length = shown_width(word);
    if (used > 0 && used + 1 + length > width) {
      all += '\n';
      used = 0;
    }
    if (used > 0) {
      all += ' ';
      ++used;
    }
    all += word;
    used += length;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return all;
}

void put_wrapped(Buffer& to, const Page& page, std::string_view text, size_t indent) {
  const std::string margin(indent, ' ');
  std::string lines = page.cut ? wrapped(text, page.width - indent) : std::string(text);
  for (size_t at = lines.find('\n'); at != std::string::npos; at = lines.find('\n', at + 1)) {
    lines.insert(at + 1, margin);
  }
  put(to, "{}{}\n", margin, lines);
}

std::string clipped(std::string_view text, size_t width) {
  constexpr std::string_view kPlain = "\x1b[0m";
  std::string all;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    size_t shown = 0;
    size_t end = line.size();  // of what is kept, should the line be too wide
    bool code = false;         // within an escape sequence
    bool coloured = false;
    bool coloured_there = false;  // at that end
    size_t at = 0;
    for (const Utf8Piece& piece : Utf8Pieces(line)) {
      if (piece.bytes == "\x1b") code = true;
      if (!code && ++shown == width) {
        end = at;
        coloured_there = coloured;
      }
      at += piece.bytes.size();
      if (code && piece.bytes == "m") {
        code = false;
        coloured = line.substr(0, at).ends_with(kPlain) ? false : true;
      }
    }
    if (shown > width) {
      all += line.substr(0, end);
      all += "…";
      if (coloured_there) all += kPlain;
    } else {
      all += line;
    }
    all += '\n';
  }
  return all;
}

std::string place_text(const std::string& file, uint32_t line, size_t most) {
  if (file.empty()) return "";
  std::string path = escaped(short_path(file));
  std::string number = line > 0 ? ":" + std::to_string(line) : "";
  while (shown_width(path) + number.size() > most) {
    size_t slash = path.find('/', path.starts_with("…/") ? std::string_view("…/").size() : 1);
    if (slash == std::string::npos) break;
    path = "…" + path.substr(slash);
  }
  return path + number;
}

std::string function_text(const Page& page, const std::string& name, const std::string& file,
                          uint32_t line, size_t room) {
  const size_t most = page.cut ? SIZE_MAX : 48;
  return with_place(page, escaped(name), place_text(file, line, most), room);
}

std::string frame_text(const Page& page, const NamedFrame& frame, size_t room) {
  constexpr std::string_view kMark = " (inlined)";
  if (frame.inlined && room > kMark.size()) room -= kMark.size();
  std::string text = function_text(page, frame.name, frame.file, frame.line, room);
  std::string module = frame.module.substr(frame.module.rfind('/') + 1);
  bool has_place = !frame.file.empty() || module.empty() || frame.name.starts_with(module + "+0x");
  if (!has_place) {
    // Tells sites apart that have no lines; not worth cutting a name for.
    std::string place = fmt::format("{}+{:#x}", escaped(module), frame.offset);
    if (!page.cut || shown_width(escaped(frame.name)) + 2 + place.size() <= room) {
      text = with_place(page, escaped(frame.name), place, room);
    }
  }
  return frame.inlined ? text + page.style.dim(kMark) : text;
}

void put_title(Buffer& to, const Page& page, const std::string& title) {
  put(to, "\n{}\n", page.style.bold(page.cut ? wrapped(title, page.width) : title));
}

}  // namespace heapledger::cli
