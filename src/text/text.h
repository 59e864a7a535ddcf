// Texts for people: sizes, counts, times, and names that come from somewhere else. Names out of
// ledgers are hostile until escaped(): nothing that a terminal would obey gets through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heapledger {

// Control characters, invalid UTF-8, invisible direction marks and backslashes as \x1b, \u202e, \\.
std::string escaped(std::string_view text);

// The same for a whole message, parts of which may be escaped already: backslashes stay.
std::string printable(std::string_view message);

// A name, escaped, between single quotes, for messages.
// Not a view, and twice: std::quoted would be chosen where it is known.
std::string quoted(const std::string& text);
inline std::string quoted(std::string& text) {
  return quoted(static_cast<const std::string&>(text));
}

// One word for a shell, quoted only where needed.
std::string shell_word(std::string_view text);

// A whole command, as a shell would understand it.
std::string shell_words(const std::vector<std::string>& words);

// For JSON: valid UTF-8 as it is, other bytes as \xNN.
std::string as_utf8(std::string_view text);

// Two digits for each byte.
std::string hex_digits(std::string_view bytes);

// At most so many characters, the last of them an ellipsis if some are left out.
std::string cut_text(std::string_view text, size_t characters);

// 1,234,567
std::string with_commas(uint64_t count);

// 1,234 calls; 1 call
std::string counted(uint64_t count, std::string_view what);

// 415 B, 12.3 MiB
std::string human_bytes(uint64_t bytes);

// 35 ns, 1.23 ms, 2 min 3 s
std::string human_duration(uint64_t ns);

// 12.3%
std::string percent(uint64_t part, uint64_t whole);

// 2026-01-31T12:34:56Z
std::string iso_time(uint64_t ns_since_epoch);

// The path as seen from the current folder, when it lies below that.
std::string short_path(const std::string& path);

// What a terminal can show beyond plain text. Made for one stream; pipes get plain text.
class Style {
 public:
  explicit Style(bool colours) : colours_(colours) {}

  // Colours when `fd` is a terminal and NO_COLOR is not set.
  static Style for_stream(int fd);

  std::string bold(std::string_view text) const { return wrap("1", text); }
  std::string dim(std::string_view text) const { return wrap("2", text); }
  std::string warning(std::string_view text) const { return wrap("33", text); }

 private:
  std::string wrap(const char* code, std::string_view text) const;

  bool colours_;
};

}  // namespace heapledger
