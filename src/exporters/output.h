// Where an export goes: to standard output, or to a file, which appears under its name only when it
// is complete, and is compressed if its name ends in .gz or .zst. Written in large pieces; a write
// that fails throws Error.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "exporters/packing.h"

namespace heapledger {

class Output {
 public:
  // Standard output.
  Output();
  // A file. An empty path: standard output, too.
  explicit Output(std::string path);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(std::string_view bytes) {
    if (buffer_.size() + bytes.size() > kBufferBytes) flush();
    buffer_.append(bytes);
  }
  void write(char byte) { write(std::string_view(&byte, 1)); }

  bool is_file() const { return !path_.empty(); }
  const std::string& path() const { return path_; }

  // Before anything is written: compressed in this way, whatever the name says.
  void pack(Packing packing) { packer_ = make_packer(packing); }

  // For libraries and programs that write files themselves: they write to this one, and nothing is
  // written here. Throws Error on standard output, and where the name asks for compression.
  const std::string& file_for_others();

  // All has been written: the file takes its place. Without this it never does.
  void finish();

 private:
  static constexpr size_t kBufferBytes = size_t{1} << 18;

  void flush();
  void write_out(std::string_view bytes);
  [[noreturn]] void fail(const char* what) const;

  std::string path_;
  std::string temporary_;
  int fd_ = 1;
  std::string buffer_;
  std::unique_ptr<Packer> packer_;
};

}  // namespace heapledger
