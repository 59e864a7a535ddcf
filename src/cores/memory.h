// The memory of a process, wherever it comes from: a core dump, a plain dump of memory, a process
// that runs. Every reader of heaps asks only through this.
//
// Whatever the dump holds may be wrong: lengths, addresses, counts. Nothing here throws for that;
// what cannot be read is not there, and problems() says so. One thread at a time may read.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "elf/shape.h"

namespace heapledger::cores {

using elf::Shape;

// A range of addresses and what is known of it. Whether all of it can be read, only read() tells.
struct Region {
  uint64_t start = 0;
  uint64_t end = 0;
  bool readable = true;
  bool writable = true;
  bool executable = false;
  std::string path;  // of the file that is mapped there, or a name like [stack]; empty: anonymous
  uint64_t file_offset = 0;
};

// A loaded program or library.
struct Module {
  uint64_t start = 0;  // its first address and the one behind its last
  uint64_t end = 0;
  uint64_t bias = 0;     // what was added to the addresses in its file
  std::string build_id;  // raw bytes; empty: unknown
  std::string path;
  std::string file;  // where that file is here, proved to be the one; empty: not found
};

struct Thread {
  uint32_t tid = 0;
  std::string name;
  uint64_t stack_pointer = 0;
  std::vector<uint64_t> registers;  // general ones, the stack pointer among them
  uint64_t thread_pointer = 0;      // where thread-local storage is; 0: unknown
};

class Memory {
 public:
  virtual ~Memory() = default;

  // Copies what is at `address`; returns how many bytes could be had from there without a gap.
  virtual size_t read(uint64_t address, std::span<unsigned char> out) const = 0;

  // By address, without overlaps.
  virtual const std::vector<Region>& regions() const = 0;
  // Empty where nothing tells: in a plain dump.
  virtual const std::vector<Module>& modules() const = 0;
  virtual const std::vector<Thread>& threads() const = 0;
  virtual Shape shape() const = 0;

  virtual uint32_t pid() const { return 0; }             // 0: unknown
  virtual std::string executable() const { return {}; }  // path
  virtual std::vector<std::string> command() const { return {}; }
  virtual std::vector<std::string> problems() const { return {}; }  // for people, a line each
  virtual bool is_cut() const { return false; }  // less is there than the dump itself says

  // The first address from this one on that may hold anything but zeros: what was reserved and
  // never touched is stepped over quickly, and so is what cannot be read. UINT64_MAX: none is left.
  virtual uint64_t next_data(uint64_t address) const { return address; }

  // All of `out`, or nothing.
  bool read_all(uint64_t address, std::span<unsigned char> out) const {
    return read(address, out) == out.size();
  }

  // A number of this machine's type, turned around if the dump's byte order is another.
  template <typename Number>
  std::optional<Number> number(uint64_t address) const {
    unsigned char bytes[sizeof(Number)];
    if (!read_all(address, bytes)) return std::nullopt;
    return decode<Number>(bytes, shape().big_endian);
  }

  // A pointer or size_t of the dump's.
  std::optional<uint64_t> word(uint64_t address) const {
    if (shape().word_bytes == 4) return number<uint32_t>(address);
    return number<uint64_t>(address);
  }

  template <typename Number>
  static Number decode(const unsigned char* bytes, bool big_endian) {
    Number value = 0;
    for (size_t i = 0; i < sizeof(Number); ++i) {
      size_t place = big_endian ? i : sizeof(Number) - 1 - i;
      value = static_cast<Number>(value << 7 << 1 | bytes[place]);
    }
    return value;
  }
};

// An ELF core, of gcore or the kernel, of any word size and byte order. `executable`: the program's
// file, for what the core left out (code and read-only data); empty: as named in the core.
// `sysroot`: a folder under which the files named in the core are looked for first. Throws Error
// when it is no core.
std::unique_ptr<Memory> open_core(const std::string& path, const std::string& executable,
                                  const std::string& sysroot);

// A plain dump whose first byte was at `base`. Throws Error when it cannot be read.
std::unique_ptr<Memory> open_raw(const std::string& path, uint64_t base, const Shape& shape);

// A process that runs, which goes on running. Throws Error when it cannot be read, with what would
// help.
std::unique_ptr<Memory> open_process(uint32_t pid);

// The same, but its threads stand still, and have their registers, for as long as this lives.
std::unique_ptr<Memory> stop_process(uint32_t pid);

// All that can be read of a region, in order, in pieces of at most `piece_bytes` (rounded up to
// whole pages). Steps over holes page by page, and may leave out pages that hold nothing but zeros.
// A piece's bytes are good until the next one.
using PieceCallback = std::function<void(uint64_t address, std::span<const unsigned char> bytes)>;
void for_each_piece(const Memory& memory, const Region& region, size_t piece_bytes,
                    const PieceCallback& callback);

}  // namespace heapledger::cores
