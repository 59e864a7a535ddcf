// One line of a heaptrack recording: a letter and what follows it, numbers in hexadecimal. Every
// step that fails says so and changes nothing; nothing is ever read beyond the line.
#pragma once

#include <charconv>
#include <cstdint>
#include <string_view>

namespace heapledger {

class HeaptrackLine {
 public:
  explicit HeaptrackLine(std::string_view line)
      : kind_(line.empty() ? '#' : line[0]),
        rest_(line.substr(line.size() < 2 ? line.size() : 2)) {}

  char kind() const { return kind_; }
  std::string_view rest() const { return rest_; }
  bool at_end() const { return rest_.empty(); }

  bool number(uint64_t& value) {
    const char* end = rest_.data() + rest_.size();
    auto [at, error] = std::from_chars(rest_.data(), end, value, 16);
    if (error != std::errc() || (at != end && *at != ' ')) return false;
    rest_.remove_prefix(static_cast<size_t>(at - rest_.data()));
    skip_space();
    return true;
  }

  // A text with its length before it; in old files, up to the next space or, if it is the last,
  // all the rest.
  bool text(std::string_view& text, bool sized, bool is_last) {
    uint64_t length = is_last ? rest_.size() : rest_.substr(0, rest_.find(' ')).size();
    if (sized && !number(length)) return false;
    if (length > rest_.size()) return false;
    text = rest_.substr(0, length);
    rest_.remove_prefix(length);
    skip_space();
    return true;
  }

 private:
  void skip_space() {
    if (!rest_.empty() && rest_[0] == ' ') rest_.remove_prefix(1);
  }

  char kind_;
  std::string_view rest_;
};

}  // namespace heapledger
