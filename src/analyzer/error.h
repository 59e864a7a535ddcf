// The one kind of failure that everything but the runtime throws: a message a user understands
// (what went wrong and what to do about it), and of what kind it is. Whoever asked decides what
// follows from it; the tool's main makes it an exit status.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace heapledger {

enum class ErrorKind : uint8_t {
  kCancelled,  // whoever asked wanted no answer any more
  kSystem,     // the system, or another program, did not do what it should
  kQuestion,   // what was asked for is not there or makes no sense: ask otherwise
  kData,       // a file is damaged, or not what it should be
};

class Error : public std::runtime_error {
 public:
  Error(const std::string& message, ErrorKind kind) : std::runtime_error(message), kind_(kind) {}

  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

// Several as one, each on a line of its own; its kind is the last that any of them has.
inline Error all_of(std::span<const Error> errors) {
  std::string message;
  ErrorKind kind = ErrorKind::kCancelled;
  for (const Error& error : errors) {
    message += (message.empty() ? "" : "\n") + std::string(error.what());
    kind = std::max(kind, error.kind());
  }
  return Error(message, kind);
}

}  // namespace heapledger
