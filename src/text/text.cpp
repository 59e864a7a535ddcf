#include "text/text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "text/utf8.h"

namespace heapledger {
namespace {

// Would move, hide or reorder what a terminal shows around it.
bool is_obeyed(uint32_t point) {
  return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0xad || point == 0x61c ||
         (point >= 0x200b && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
         (point >= 0x2060 && point <= 0x206f) || point == 0xfeff || point >= 0xe0000;
}

std::string escape(std::string_view text, bool backslashes) {
  std::string safe;
  for (const Utf8Piece& piece : Utf8Pieces(text)) {
    if (!piece.valid) {
      safe += fmt::format("\\x{:02x}", static_cast<unsigned char>(piece.bytes[0]));
    } else if (piece.point == '\\' && backslashes) {
      safe += "\\\\";
    } else if (piece.point == '\n') {
      safe += "\\n";
    } else if (piece.point == '\t') {
      safe += "\\t";
    } else if (!is_obeyed(piece.point)) {
      safe += piece.bytes;
    } else {
      safe += piece.point < 0x80 ? fmt::format("\\x{:02x}", piece.point)
                                 : fmt::format("\\u{:04x}", piece.point);
    }
  }
  return safe;
}

bool is_plain_in_shells(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-./+:,@%=").find(c) != std::string_view::npos;
}

}  // namespace

std::string escaped(std::string_view text) {
  return escape(text, true);
}

std::string printable(std::string_view message) {
  return escape(message, false);
}

std::string quoted(const std::string& text) {
  return "'" + escaped(text) + "'";
}

std::string shell_word(std::string_view text) {
  bool plain = !text.empty();
  for (char c : text) plain = plain && is_plain_in_shells(c);
  if (plain) return std::string(text);
  if (escaped(text) != text) {
    // $'…' takes the escapes of escaped(), and a quote likewise.
    std::string word = "$'";
    for (char c : escaped(text)) word += c == '\'' ? std::string("\\'") : std::string(1, c);
    return word + "'";
  }
  std::string word = "'";
  for (char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string shell_words(const std::vector<std::string>& words) {
  std::string command;
  for (const std::string& word : words) command += (command.empty() ? "" : " ") + shell_word(word);
  return command;
}

std::string as_utf8(std::string_view text) {
  std::string valid;
  for (const Utf8Piece& piece : Utf8Pieces(text)) {
    if (piece.valid) {
      valid += piece.bytes;
    } else {
      valid += fmt::format("\\x{:02x}", static_cast<unsigned char>(piece.bytes[0]));
    }
  }
  return valid;
}

std::string cut_text(std::string_view text, size_t characters) {
  std::string head;
  size_t count = 0;
  size_t last = 0;  // where the last character begins that may have to make room
  for (const Utf8Piece& piece : Utf8Pieces(text)) {
    if (++count > characters) return head.substr(0, last) + "…";
    last = head.size();
    head += piece.bytes;
  }
  return head;
}

std::string with_commas(uint64_t count) {
  std::string digits = std::to_string(count);
  for (size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string counted(uint64_t count, std::string_view what) {
  std::string text = with_commas(count) + " ";
  text += what;
  if (count == 1) return text;
  bool hisses = what.ends_with('s') || what.ends_with('x') || what.ends_with("ch");
  if (what.ends_with('y') && !what.ends_with("ay")) {
    text.replace(text.size() - 1, 1, "ies");
  } else {
    text += hisses ? "es" : "s";
  }
  return text;
}

std::string human_bytes(uint64_t bytes) {
  constexpr std::array<const char*, 7> kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  // 1023.95 would be shown as 1024.0.
  while (value >= 1023.95 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string human_duration(uint64_t ns) {
  if (ns < 1'000) return fmt::format("{} ns", ns);
  auto value = static_cast<double>(ns);
  if (value < 999.95e3) return fmt::format("{:.1f} us", value / 1e3);
  if (value < 999.95e6) return fmt::format("{:.1f} ms", value / 1e6);
  if (value < 59.995e9) return fmt::format("{:.2f} s", value / 1e9);
  uint64_t seconds = ns / 1'000'000'000 + (ns % 1'000'000'000 >= 500'000'000 ? 1 : 0);
  if (seconds < 3600) return fmt::format("{} min {} s", seconds / 60, seconds % 60);
  return fmt::format("{} h {} min", seconds / 3600, seconds % 3600 / 60);
}

std::string percent(uint64_t part, uint64_t whole) {
  if (whole == 0) return "0.0%";
  return fmt::format("{:.1f}%", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string iso_time(uint64_t ns_since_epoch) {
  auto seconds = static_cast<std::time_t>(ns_since_epoch / 1'000'000'000);
  std::tm parts{};
  if (::gmtime_r(&seconds, &parts) == nullptr) return "unknown";
  char text[64];
  size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return std::string(text, length);
}

std::string hex_digits(std::string_view bytes) {
  std::string digits;
  for (char byte : bytes) digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return digits;
}

std::string short_path(const std::string& path) {
  std::error_code error;
  std::string folder = std::filesystem::current_path(error).string();
  if (error || folder.empty()) return path;
  if (folder.back() != '/') folder += '/';
  return path.starts_with(folder) && path.size() > folder.size() ? path.substr(folder.size())
                                                                 : path;
}

Style Style::for_stream(int fd) {
  const char* no_color = std::getenv("NO_COLOR");
  bool wanted = no_color == nullptr || no_color[0] == '\0';
  return Style(wanted && ::isatty(fd) == 1);
}

std::string Style::wrap(const char* code, std::string_view text) const {
  if (!colours_) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

}  // namespace heapledger
