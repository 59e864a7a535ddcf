#include "runtime/modes/every.h"

#include <atomic>

#include "runtime/ledger/clock.h"
#include "runtime/ledger/file.h"
#include "runtime/ledger/layers_above.h"
#include "runtime/ledger/settings_in_force.h"
#include "runtime/modes/statistics.h"
#include "runtime/os/descriptor_gate.h"
#include "runtime/os/line_output.h"

namespace heapledger::runtime {
namespace {

constexpr char kHeading[] =
    "seconds\tcalls\tbytes\tfrees\tlive_blocks\tlive_bytes\tpeak_bytes\trss_bytes\n";
constexpr size_t kMarkerBytes = 48;

struct Summary {
  PathText path;
  std::atomic<bool> at_work{false};
  uint64_t next_ns = 0;  // since the start
  uint64_t number = 0;
  uint64_t rss = 0;  // as last sampled
  Statistics figures;
  os::Text<256> line;
};
constinit Summary summary = {};

class Work {
 public:
  Work() : ours_(!summary.at_work.exchange(true, std::memory_order_acquire)) {}
  ~Work() {
    if (ours_) summary.at_work.store(false, std::memory_order_release);
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  explicit operator bool() const { return ours_; }

 private:
  bool ours_;
};

void add_seconds(uint64_t ns) {
  uint64_t milliseconds = ns / 1'000'000;
  uint64_t part = milliseconds % 1000;
  summary.line.add_number(milliseconds / 1000).add(".");
  summary.line.add(part < 10 ? "00" : part < 100 ? "0" : "").add_number(part);
}

void add_column(int64_t value) {
  if (value < 0) value = 0;  // frees of blocks from before the statistics
  summary.line.add("\t").add_number(static_cast<uint64_t>(value));
}

void append(int fd, const char* text, size_t bytes) {
  os::Output output;
  if (os::look_at_output(fd, output) != 0) return;
  if (output.kind == os::OutputKind::kFile && output.bytes == 0) {
    os::write_line(fd, output, kHeading, sizeof kHeading - 1);
    if (os::look_at_output(fd, output) != 0) return;
  }
  os::write_line(fd, output, text, bytes);
}

void write_line(uint64_t since_start_ns) {
  Statistics& figures = summary.figures;
  if (!read_statistics(figures, false)) return;
  summary.line.clear();
  add_seconds(since_start_ns);
  for (uint64_t value : {figures.calls, figures.bytes, figures.frees}) {
    summary.line.add("\t").add_number(value);
  }
  add_column(figures.live_blocks);
  add_column(figures.live_bytes);
  add_column(static_cast<int64_t>(figures.peak_bytes));
  summary.line.add("\t").add_number(summary.rss).add("\n");
  os::DescriptorHold hold;
  if (!hold) return;
  int fd = os::open_for_lines(summary.path.data());
  if (fd < 0) return;
  hold.set(fd);
  append(fd, summary.line.data(), summary.line.size());
  hold.close(fd);
}

void enter_marker(Window& window, uint64_t time) {
  if (!room_for(window, kMarkerBytes)) return;
  os::Text<32> name;
  name.add("every ").add_number(summary.number);
  format::LongEntry(window.encoder, format::Kind::kMarker, time)
      .bytes(name.data(), name.size())
      .finish();
}

}  // namespace

void begin_summary(const PathText& path) {
  summary.path = path;
  summary.next_ns = settings_in_force.every_ns;
  summary.number = 0;
  summary.at_work.store(false, std::memory_order_relaxed);
}

void summarize_when_due(Window& window, uint64_t time, const format::ClockPair& now, uint64_t rss) {
  if (settings_in_force.every_ns == 0) return;
  Work work;
  if (!work) return;
  if (rss != 0) summary.rss = rss;
  uint64_t since_start = now.monotonic_ns - ledger_header()->start.monotonic_ns;
  if (since_start < summary.next_ns) return;
  const uint64_t every = settings_in_force.every_ns;
  summary.next_ns = (since_start / every + 1) * every;
  ++summary.number;
  enter_marker(window, time);
  write_line(since_start);
}

void end_summary() {
  Work work;
  if (!work || settings_in_force.every_ns == 0 || filter_expected()) return;
  write_line(clock_pair().monotonic_ns - ledger_header()->start.monotonic_ns);
}

}  // namespace heapledger::runtime
