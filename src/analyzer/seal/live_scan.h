// Scans a ledger only as far as its live blocks go, from its beginning or from a checkpoint: the
// way to have the state at any time without reading a whole sealed ledger.
//
//   if (std::optional<Checkpoint> from = file.checkpoint_before(time)) {
//     LiveScan scan(file, *from);
//     scan.run(time);  // scan.live() is what was live then, by address
//   }
//
// A query that needs more than live blocks does the same with its own visitor: put the
// checkpoint's blocks and recent deaths into its Pairing, take the notes up to the checkpoint's
// time from LedgerFile::for_each_note(), make a Merge of windows_from(), run it to the checkpoint's
// time with births and deaths ignored (threads change there), and go on from there. What is told by
// entries before the checkpoint (totals, peaks, which block was a thread's last) is not
// in it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/ledger_file.h"
#include "analyzer/merge.h"
#include "analyzer/pairing.h"
#include "analyzer/sampling.h"
#include "analyzer/seal/checkpoint.h"

namespace heapledger::seal {

// For every window, its fillings from the one on that is in use at `time`.
std::vector<WindowExtents> windows_from(const ExtentIndex& index, uint64_t time);

class LiveScan final : private PairingSink {
 public:
  explicit LiveScan(LedgerFile& file);
  LiveScan(LedgerFile& file, const Checkpoint& from);
  LiveScan(const LiveScan&) = delete;
  LiveScan& operator=(const LiveScan&) = delete;

  // Scans everything up to and including `time`.
  void run(uint64_t time) { merge_.run(time, *this); }
  bool finished() const { return merge_.finished(); }

  // Nothing more will come: what waits for something happens now.
  void finish() { pairing_.finish(); }

  // Where the live blocks are to stay as they are, whatever is scanned after: a moment that is
  // between two entries of one time.
  struct Hold {
    enum class At { kNothing, kMarker, kSample, kBytes };
    At at = At::kNothing;
    uint64_t time = 0;   // kMarker, kSample: after the first one of that time …
    std::string text;    // … a marker with this text
    uint64_t bytes = 0;  // kBytes: after the first birth that makes the live blocks so large
  };
  // What blocks stand for, in live_bytes(); without it they stand for themselves. `sampling` is to
  // outlive the scan.
  void weigh_with(const Sampling& sampling);
  void hold(Hold hold) { hold_ = std::move(hold); }
  bool held() const { return held_; }

  // By address; `account` is the id of the site, `thread` the thread's index.
  const LiveBlocks& live() const { return pairing_.live(); }

  // So many entries have been scanned, those before the checkpoint included.
  uint64_t entries() const { return entries_; }
  uint64_t extents_opened() const { return blocks_opened_; }
  uint64_t live_bytes() const { return live_bytes_; }

  // The state now, if it is one to go on from: nothing waits for anything.
  bool settled() const { return pairing_.settled(); }
  Checkpoint checkpoint(uint64_t time) const;

  // For Merge:
  void prefetch(const format::Entry& entry) const { pairing_.live().prefetch(entry.pointer); }
  void extent_opened(Stream& stream);
  void entry(Stream& stream, const format::Entry& entry);
  void resized(Stream& stream, const format::Entry& entry);

 private:
  template <typename Sink>
  friend class heapledger::Pairing;

  // For Pairing:
  void born(LiveBlock& block) override {
    live_bytes_ += bytes_of(block);
    // While others wait, more may happen before anybody could stop it: then it is not held.
    if (hold_.at == Hold::At::kBytes && live_bytes_ >= hold_.bytes && pairing_.settled()) {
      held_ = skipping_ = true;
    }
  }
  void died(const LiveBlock& block, const Death&) override { live_bytes_ -= bytes_of(block); }
  void never_born(uint64_t, const Death&) override {}
  void never_died(const LiveBlock& block, uint64_t) override { live_bytes_ -= bytes_of(block); }

  void meet(const format::Entry& entry);
  uint64_t bytes_of(const LiveBlock& block) const {
    return sampling_ == nullptr ? block.size : sampling_->of(block).bytes;
  }

  const Sampling* sampling_ = nullptr;
  Merge merge_;
  Pairing<LiveScan> pairing_;
  bool skipping_ = false;
  bool held_ = false;
  Hold hold_;
  uint64_t live_bytes_ = 0;
  uint64_t entries_ = 0;
  uint64_t blocks_opened_ = 0;
};

// What was live at `time`, by address.
std::vector<LiveBlock> live_at(LedgerFile& file, uint64_t time);

}  // namespace heapledger::seal
