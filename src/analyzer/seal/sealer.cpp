#include "analyzer/seal/sealer.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <optional>
#include <thread>

#include "analyzer/counts.h"
#include "analyzer/error.h"
#include "analyzer/ledger_file.h"
#include "analyzer/seal/live_scan.h"
#include "analyzer/seal/pieces.h"
#include "analyzer/seal/segment_pool.h"
#include "analyzer/unrecorded.h"

namespace heapledger::seal {
namespace {

using format::PieceKind;

// More than this many fillings in a segment gain little. With many windows it is fewer, so that a
// reader who merges them all keeps every segment in use in its memory.
constexpr size_t kSegmentFillings = 8;
constexpr size_t kFillingsInUse = 1024;

// Scans the ledger in a thread of its own for the sake of checkpoints.
class CheckpointThread {
 public:
  CheckpointThread(const OpenSource& open, const SealOptions& options)
      : file_(open()), keeper_(file_.index(), options.checkpoints, options.level) {
    done_ = std::async(std::launch::async, [this] { scan(); });
  }

  ~CheckpointThread() {
    cancelled_ = true;
    if (done_.valid()) done_.wait();
  }

  uint64_t bytes_done() const { return bytes_done_; }

  // Waits for the end, and calls `now_and_then` meanwhile.
  template <typename Call>
  Scanned finish(Call&& now_and_then) {
    while (done_.wait_for(std::chrono::milliseconds(100)) != std::future_status::ready) {
      now_and_then();
    }
    done_.get();
    return {{}, entries_, keeper_.take()};
  }

 private:
  void scan() {
    LiveScan scan(file_);
    for (; keeper_.pauses_before(UINT64_MAX) && !cancelled_; keeper_.pass_moment()) {
      scan.run(keeper_.moment());
      bytes_done_ = scan.extents_opened() * format::kExtentBytes;
      if (scan.settled() && keeper_.is_due(scan.entries(), scan.live().size())) {
        keeper_.keep(scan.checkpoint(keeper_.moment()));
      }
    }
    if (cancelled_) return;
    scan.run(UINT64_MAX);
    entries_ = scan.entries();
  }

  LedgerFile file_;
  CheckpointKeeper keeper_;
  std::atomic<bool> cancelled_ = false;
  std::atomic<uint64_t> bytes_done_ = 0;
  uint64_t entries_ = 0;
  std::future<void> done_;
};

Filling read_filling(LedgerFile& file, WindowExtents places) {
  Filling filling;
  filling.facts.window = places.front().window;
  filling.facts.seq = places.front().seq;
  filling.facts.base_time = filling.facts.last_time = places.front().base_time;
  Payload payload;
  if (!file.load(places, payload)) {
    filling.facts.flags = format::kFillingLost;
    return filling;
  }
  filling.facts.base_time = payload.base_time;
  filling.facts.thread = payload.thread;
  filling.facts.flags = payload.cut ? format::kFillingCut : 0;
  filling.payload = std::move(payload.bytes);
  return filling;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

unsigned thread_count(const SealOptions& options) {
  unsigned all = std::max(1u, std::thread::hardware_concurrency());
  return options.threads == 0 ? all : std::min(options.threads, all);
}

template <typename Advance>
void add_segments(LedgerFile& file, SegmentPool& pool, Advance&& advance) {
  const std::vector<WindowExtents>& windows = file.index().windows();
  const size_t group =
      std::clamp<size_t>(kFillingsInUse / std::max<size_t>(1, windows.size()), 1, kSegmentFillings);
  for (WindowExtents extents : windows) {
    std::vector<Filling> fillings;
    for (size_t from = 0; from < extents.size();) {
      size_t to = from;
      while (to < extents.size() && extents[to].seq == extents[from].seq) ++to;
      fillings.push_back(read_filling(file, extents.subspan(from, to - from)));
      const size_t count = to - from;
      from = to;
      if (fillings.size() == group || from == extents.size()) {
        pool.add(std::move(fillings));
        fillings.clear();
      }
      advance(count);
    }
  }
}

}  // namespace

SealFacts seal(const OpenSource& open, ByteSink& sink, const SealOptions& options) {
  LedgerFile file(open());
  if (file.sealed()) throw Error(file.name() + ": is sealed already", ErrorKind::kQuestion);
  const std::string problems = joined(file.problems().texts());
  SealedWriter writer(sink, file.header(), file.size());
  Compressor compressor(options.level);
  std::optional<CheckpointThread> scan;
  if (!options.scanned) scan.emplace(open, options);

  const uint64_t total = (scan ? 2 : 1) * file.work_bytes();
  uint64_t read = 0;
  auto report = [&] {
    const uint64_t done = read + (scan ? scan->bytes_done() : 0);
    if (options.progress) options.progress(std::min(done, total), total);
  };
  SegmentPool pool(writer, options.level, thread_count(options));
  add_segments(file, pool, [&](size_t extents) {
    read += extents * format::kExtentBytes;
    report();
  });
  pool.finish();
  Scanned scanned = scan ? scan->finish(report) : options.scanned();

  SealFacts facts;
  facts.raw_bytes = file.size();
  facts.entries = scanned.entries;
  if (writer.in_order()) {
    facts.checkpoints = scanned.checkpoints.size();
    for (const StoredCheckpoint& checkpoint : scanned.checkpoints) {
      writer.add_piece(PieceKind::kCheckpoint, checkpoint.content, checkpoint.time);
    }
  }
  if (!problems.empty()) {
    writer.add_piece(PieceKind::kProblems, pack_text(problems, compressor));
  }
  if (const std::string counts = pack_tables(file.count_tables()); !counts.empty()) {
    writer.add_piece(PieceKind::kCounts, pack_text(counts, compressor));
  }
  const format::UnrecordedTable unrecorded = file.unrecorded();
  if (!read_unrecorded(unrecorded).empty()) {
    const std::string bytes(reinterpret_cast<const char*>(&unrecorded), sizeof unrecorded);
    writer.add_piece(PieceKind::kUnrecorded, pack_text(bytes, compressor));
  }
  const std::string& symbols = scan ? options.symbols : scanned.symbols;
  if (!symbols.empty()) writer.add_piece(PieceKind::kSymbols, pack_text(symbols, compressor));
  if (file.has_changed() || file.has_shrunk()) {
    throw Error(file.name() +
                    ": was written to while it was being sealed; seal it again when the "
                    "program has ended",
                ErrorKind::kQuestion);
  }
  facts.sealed_bytes = writer.finish(file.index().counts(), file.index().missed());
  if (options.progress) options.progress(total, total);
  return facts;
}

}  // namespace heapledger::seal
