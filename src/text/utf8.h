// Walks over text that may or may not be UTF-8, one character at a time. A byte that is part of no
// valid character is a piece of its own.
#pragma once

#include <cstdint>
#include <string_view>

namespace heapledger {

struct Utf8Piece {
  std::string_view bytes;
  uint32_t point = 0;  // the code point, if valid
  bool valid = false;
};

// The first character of `text`, which is not empty.
Utf8Piece first_utf8(std::string_view text);

// for (const Utf8Piece& piece : Utf8Pieces(text)) …
class Utf8Pieces {
 public:
  explicit Utf8Pieces(std::string_view text) : text_(text) {}

  class Iterator {
   public:
    explicit Iterator(std::string_view left) : left_(left) { load(); }
    const Utf8Piece& operator*() const { return piece_; }
    Iterator& operator++() {
      left_.remove_prefix(piece_.bytes.size());
      load();
      return *this;
    }
    bool operator!=(const Iterator& other) const { return left_.size() != other.left_.size(); }

   private:
    void load() {
      if (!left_.empty()) piece_ = first_utf8(left_);
    }

    std::string_view left_;
    Utf8Piece piece_;
  };

  Iterator begin() const { return Iterator(text_); }
  Iterator end() const { return Iterator({}); }

 private:
  std::string_view text_;
};

}  // namespace heapledger
