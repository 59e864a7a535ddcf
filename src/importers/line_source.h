// The lines of a text file, one after the other; a file that gzip or zstd has compressed is read
// like any other. Memory is bounded, whatever the file holds.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "analyzer/byte_source.h"

namespace heapledger {

class LineSource {
 public:
  explicit LineSource(std::unique_ptr<ByteSource> source);
  ~LineSource();
  LineSource(const LineSource&) = delete;
  LineSource& operator=(const LineSource&) = delete;

  // The next line without its end; false at the end. Throws Error when the file cannot be read,
  // cannot be decompressed from its very beginning, or has a line longer than any should be.
  bool next(std::string_view& line);

  // What comes next, so many bytes of it if there are; it is not taken.
  std::string_view beginning(size_t bytes);

  // All that is left, as it comes, not by lines; false at the end. Throws Error as next() does.
  bool next_piece(std::string_view& piece);

  const std::string& name() const { return source_->name(); }
  uint64_t number() const { return number_; }  // of the line, from 1 on

  // The file ends in the middle of a line, or of what was compressed.
  bool cut_short() const { return cut_short_; }

  uint64_t bytes_read() const { return offset_; }
  uint64_t bytes_in_all() { return source_->size(); }

 private:
  struct Plain;
  struct Gzip;
  struct Zstd;
  class Decoder;

  bool fill();
  bool decode_more();

  std::unique_ptr<ByteSource> source_;
  std::unique_ptr<Decoder> decoder_;
  uint64_t offset_ = 0;    // of what has been read of the file
  std::string input_;      // as read …
  std::string_view left_;  // … and of that what is not decoded yet
  std::string text_;       // decoded, and not given out yet, from `begin_` on
  size_t begin_ = 0;
  uint64_t number_ = 0;
  bool file_ended_ = false;
  bool text_ended_ = false;
  bool cut_short_ = false;
};

}  // namespace heapledger
