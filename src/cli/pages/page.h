// What a report is written on: how wide it is, whether names may be cut, colours, and whether the
// terminal knows more than ASCII. Texts are made with all the signs we use and turned into plain
// ones, each into one of the same width, by finished() alone.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "analyzer/query/frames.h"
#include "text/text.h"

namespace heapledger::cli {

using Buffer = fmt::memory_buffer;

// (Not fmt::format_to(), which would have each file compile all of fmt's formatting anew.)
template <typename... Args>
void put(Buffer& to, fmt::format_string<Args...> format, Args&&... args) {
  to.append(fmt::vformat(format, fmt::make_format_args(args...)));
}

struct Page {
  size_t width = 100;
  bool cut = true;  // names that do not fit; a pipe gets them whole
  bool unicode = true;
  Style style{false};

  // As the terminal is; COLUMNS goes before what it says, and holds for a pipe too.
  static Page for_stdout();

  // The text for that terminal: without Unicode, plain signs.
  std::string finished(const Buffer& text) const;
};

// The number of characters that a terminal shows.
size_t shown_width(std::string_view text);

// `text` broken into lines at spaces.
std::string wrapped(std::string_view text, size_t width);

// The same with all lines so many spaces to the right, the first one included; a pipe gets it as
// one line.
void put_wrapped(Buffer& to, const Page& page, std::string_view text, size_t indent);

// Lines that are wider than the page end with an ellipsis; colours do not count, and are ended.
std::string clipped(std::string_view text, size_t width);

// "src/parse.cpp:42" in at most so many characters, the end of the path if it is longer; empty
// when the file is not known.
std::string place_text(const std::string& file, uint32_t line, size_t most);

// A function and where it is, in `room` characters: "parse(char const*)  src/parse.cpp:42".
std::string function_text(const Page& page, const std::string& name, const std::string& file,
                          uint32_t line, size_t room);
std::string frame_text(const Page& page, const NamedFrame& frame, size_t room);

// A heading of a section.
void put_title(Buffer& to, const Page& page, const std::string& title);

}  // namespace heapledger::cli
