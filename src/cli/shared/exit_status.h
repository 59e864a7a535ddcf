// What the tool's exit status says. `run` has more (run/exit.h).
#pragma once

#include <string>

#include "analyzer/error.h"

namespace heapledger::cli {

inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitBadData = 3;

// An error with a status that its kind does not say.
class ErrorWithStatus : public Error {
 public:
  ErrorWithStatus(const std::string& message, int status)
      : Error(message, ErrorKind::kSystem), status_(status) {}

  int status() const { return status_; }

 private:
  int status_;
};

inline int exit_status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kQuestion:
      return kExitUsage;
    case ErrorKind::kData:
      return kExitBadData;
    case ErrorKind::kCancelled:
    case ErrorKind::kSystem:
      break;
  }
  return kExitFailed;
}

inline int exit_status_of(const Error& error) {
  const auto* special = dynamic_cast<const ErrorWithStatus*>(&error);
  return special != nullptr ? special->status() : exit_status_of(error.kind());
}

}  // namespace heapledger::cli
