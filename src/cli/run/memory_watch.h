// Memory samples of the processes of a run, taken from outside while they run. The recorder samples
// with heap calls only; this is for the time in which a program makes none. What was seen is kept
// here until the end and added to the ledgers then, by the only one who writes to them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "cli/run/ledgers.h"
#include "cli/run/output.h"
#include "replay/file_descriptor.h"
#include "writer/memory_samples.h"

namespace heapledger::cli::run {

class MemoryWatch {
 public:
  explicit MemoryWatch(uint64_t run_id);

  // Looks for new ledgers of the run, and takes the samples that are due. Returns how long to wait
  // until the next time: 20 ms, or more where all looks together would take more than a hundredth
  // of one processor.
  std::chrono::nanoseconds look(const OutputPattern& output) noexcept;

  // After the end: adds the samples to these ledgers. Those that somebody may still write to stay
  // as they are.
  void add_to(const std::vector<RunLedger>& ledgers);

 private:
  // A process that records, and goes on to do so.
  struct Watched {
    std::string path;  // of its ledger
    FileDescriptor ledger;
    // These two stay with what they were opened for, whatever becomes of the number of the process:
    // the one with a process, the other with its memory until the next exec.
    FileDescriptor status;
    FileDescriptor maps;
    uint64_t interval_ns = 0;
    uint64_t due_ns = 0;
  };
  using Samples = std::vector<OutsideSample>;

  void find_new(const OutputPattern& output);
  bool is_unchanged(const OutputPattern& output);
  bool begin(const std::string& path);
  bool sample(Watched& watched, uint64_t now);
  void keep(Watched& watched, const OutsideSample& sample);

  uint64_t run_id_;
  uint64_t start_ns_;
  uint64_t due_ns_ = 0;
  uint64_t spent_ns_ = 0;  // processor time
  bool given_up_ = false;

  int64_t folder_changed_ns_ = 0;                    // when it was listed last
  bool expects_more_ = true;                         // of a ledger that has only begun
  std::unordered_map<std::string, unsigned> names_;  // how often each is still to be tried
  std::vector<Watched> watched_;
  std::unordered_map<std::string, Samples> samples_;  // by path
  size_t kept_ = 0;                                   // in all
};

}  // namespace heapledger::cli::run
