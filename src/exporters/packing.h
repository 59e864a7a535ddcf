// Compression of what is written, on its way: the same bytes always give the same bytes; neither a
// name nor a time is in them.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

namespace heapledger {

enum class Packing { kNone, kGzip, kZstd };

// What the ending of a name asks for: .gz, .zst.
Packing packing_by_name(std::string_view path);

class Packer {
 public:
  using Sink = std::function<void(std::string_view)>;

  virtual ~Packer() = default;

  // Takes more bytes, and gives whatever of the result is ready.
  virtual void add(std::string_view bytes, const Sink& sink) = 0;
  // All has been added. Without this the result ends early.
  virtual void finish(const Sink& sink) = 0;
};

// None: nullptr. Throws Error.
std::unique_ptr<Packer> make_packer(Packing packing);

}  // namespace heapledger
