// Massif's snapshots: the heap over time, with a tree at the peak and at some other moments. A
// snapshot without a tree has the most bytes that were live in its stretch of time, so that no
// rise is lost between two of them; one with a tree has those of its very moment.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "exporters/formats.h"
#include "exporters/massif_tree.h"
#include "exporters/stacks.h"
#include "exporters/valgrind_text.h"

namespace heapledger {
namespace {

constexpr uint64_t kMostStretches = 100;
constexpr uint64_t kTrees = 10;  // besides the peak's; the last is at the end
constexpr uint64_t kNsPerMs = 1000000;

enum class Tree { kDetailed, kNone, kPeak };

struct Snapshot {
  uint64_t time_ms = 0;
  uint64_t bytes = 0;  // of those without a tree
  Tree tree = Tree::kNone;
  MomentSpec moment;  // of those with one
};

// Times are whole milliseconds: there are no more stretches than give each snapshot its own.
Series stretches_of(const Overview& overview) {
  uint64_t count = std::clamp<uint64_t>(overview.duration_ns / (2 * kNsPerMs), 1, kMostStretches);
  return overview.series.with_at_most(count);
}

// One for each stretch, in its middle.
void add_stretches(const Overview& overview, const Series& series,
                   std::vector<Snapshot>& snapshots) {
  for (size_t i = 0; i < series.buckets.size(); ++i) {
    uint64_t begin = i * series.width_ns;
    uint64_t end = std::min(begin + series.width_ns, overview.duration_ns);
    if (begin >= end) break;
    bool is_last = end == overview.duration_ns;
    bool has_peak = overview.peak_time_ns >= begin && (overview.peak_time_ns < end || is_last);
    if (has_peak) continue;  // it has a snapshot of its own
    snapshots.push_back(
        {(begin + end) / 2 / kNsPerMs, series.buckets[i].max_bytes, Tree::kNone, {}});
  }
}

// At the peak, at the end, and where some of the stretches end.
void add_trees(const Overview& overview, const Series& series, std::vector<Snapshot>& snapshots) {
  using Kind = MomentSpec::Kind;
  for (uint64_t i = 1; i < kTrees; ++i) {
    uint64_t end_ns = series.buckets.size() * i / kTrees * series.width_ns;
    uint64_t time_ms = std::min(end_ns, overview.duration_ns) / kNsPerMs;
    if (time_ms == 0) continue;  // nothing yet
    snapshots.push_back({time_ms, 0, Tree::kDetailed, {Kind::kTime, time_ms * kNsPerMs, 0, {}}});
  }
  uint64_t end_ms = overview.duration_ns / kNsPerMs;
  snapshots.push_back({end_ms, 0, Tree::kDetailed, {Kind::kEnd, 0, 0, {}}});
  uint64_t peak_ms = overview.peak_time_ns / kNsPerMs;
  snapshots.push_back({peak_ms, 0, Tree::kPeak, {Kind::kPeak, 0, 0, {}}});
}

// In the order of time, with one at a time; but the end always has one, which comes last.
std::vector<Snapshot> plan(const Overview& overview, bool filtered) {
  Series series = stretches_of(overview);
  std::vector<Snapshot> snapshots(1);
  if (!filtered) add_stretches(overview, series, snapshots);
  add_trees(overview, series, snapshots);
  auto is_end = [](const Snapshot& one) {
    return one.tree == Tree::kDetailed && one.moment.kind == MomentSpec::Kind::kEnd;
  };
  std::stable_sort(snapshots.begin(), snapshots.end(), [&](const Snapshot& a, const Snapshot& b) {
    if (a.time_ms != b.time_ms) return a.time_ms < b.time_ms;
    if (is_end(a) != is_end(b)) return is_end(b);
    return a.tree > b.tree;
  });
  auto last = std::unique(snapshots.begin(), snapshots.end(),
                          [&](const Snapshot& kept, const Snapshot& next) {
                            return kept.time_ms == next.time_ms && !is_end(next);
                          });
  snapshots.erase(last, snapshots.end());
  return snapshots;
}

class MassifWriter {
 public:
  MassifWriter(ExportRequest& request, Output& output)
      : request_(request), output_(output), trees_(request.ledgers, output) {}

  void write(const Snapshot& snapshot) {
    if (snapshot.tree == Tree::kNone) {
      write_fields(snapshot.time_ms, snapshot.bytes, "empty");
      return;
    }
    Question question = request_.question;
    question.at = snapshot.moment;
    question.by = GroupBy::kSite;
    question.only_live = true;
    Answer answer = request_.ledgers.ask(question);
    write_fields(snapshot.time_ms, answer.totals.live_bytes,
                 snapshot.tree == Tree::kPeak ? "peak" : "detailed");
    trees_.write(answer);
  }

 private:
  void write_fields(uint64_t time_ms, uint64_t bytes, const char* tree) {
    output_.write(
        fmt::format("#-----------\nsnapshot={}\n#-----------\ntime={}\n"
                    "mem_heap_B={}\nmem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree={}\n",
                    number_++, time_ms, bytes, tree));
  }

  ExportRequest& request_;
  Output& output_;
  MassifTrees trees_;
  uint64_t number_ = 0;
};

}  // namespace

void write_massif(ExportRequest& request, Output& output) {
  const Overview& overview = request.ledgers.overview();
  const Filter& filter = request.question.filter;
  std::string command = valgrind_command(request.ledgers);
  std::replace(command.begin(), command.end(), '#', '$');  // would begin a comment
  output.write("desc: heapledger\ncmd: " + command + "\ntime_unit: ms\n");
  MassifWriter writer(request, output);
  // The most in a stretch of time is known of everything together, not of what a filter selects.
  for (const Snapshot& snapshot : plan(overview, filter.on_blocks() || filter.on_stacks())) {
    writer.write(snapshot);
  }
}

}  // namespace heapledger
