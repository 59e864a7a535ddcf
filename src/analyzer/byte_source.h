// Where the bytes of a ledger come from: a file, or memory in tests and fuzzers. Reading goes
// through read() alone, never through a mapping: a ledger that shrinks while it is read gives short
// reads, not SIGBUS, one that a running program is still writing reads fine, and the holes of a
// file in a tmpfs take no memory of it. Where the file system fails, every function throws Error.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace heapledger {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // What to call it when talking to a person: the path.
  virtual const std::string& name() const = 0;

  // How many bytes there are now.
  virtual uint64_t size() = 0;

  // The first place from `offset` on that may hold anything but zeros: a sparse file of any size
  // is stepped through quickly.
  virtual uint64_t next_data(uint64_t offset) { return offset; }

  // Copies up to `count` bytes from `offset`; returns how many there were.
  virtual size_t read(uint64_t offset, void* to, size_t count) = 0;
};

// Opens a regular file. Throws Error when that is impossible or `path` is something else.
std::unique_ptr<ByteSource> open_file(const std::string& path);

// A copy of `bytes`, called `name`.
std::unique_ptr<ByteSource> in_memory(std::string name, std::string_view bytes);

}  // namespace heapledger
