// The statuses with which `heapledger run` ends when the program cannot; all others are the
// program's own. They are the ones env uses.
#pragma once

namespace heapledger::cli::run {

inline constexpr int kExitOurs = 125;           // we failed, or refused
inline constexpr int kExitNotExecutable = 126;  // there, and cannot be executed
inline constexpr int kExitNotFound = 127;
inline constexpr int kExitSignal = 128;  // plus the number of the signal that ended it

}  // namespace heapledger::cli::run
