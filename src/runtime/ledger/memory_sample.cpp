#include "runtime/ledger/memory_sample.h"

#include <arch_order.h>

#include <cstring>

#include "runtime/ledger/layers_above.h"
#include "runtime/ledger/live_image.h"
#include "runtime/ledger/resident.h"
#include "runtime/os/descriptor_gate.h"
#include "runtime/os/os.h"
#include "runtime/os/together.h"

namespace heapledger::runtime {

HEAPLEDGER_TOGETHER constinit std::atomic<uint64_t> memory_due{0};

namespace {

constexpr uint64_t kIntervalNs = 10'000'000;
constexpr unsigned kSampleEntryBytes = 64;
// A forked child that ends sooner is not worth the look.
constexpr uint64_t kFirstSampleAfterNs = 1'000'000;

struct Sampler {
  std::atomic<bool> at_work{false};
  uint64_t last_ns = 0;
};
HEAPLEDGER_TOGETHER constinit Sampler sampler = {};
constinit char status_text[4096] = {};  // for whoever is at work

struct Memory {
  uint64_t rss = 0;
  uint64_t peak = 0;
  uint64_t files = 0;  // the part of rss that is of mapped files and shared memory
};

// The number of kilobytes in a line such as "VmRSS:    1234 kB", as bytes; 0 if it is not there.
uint64_t field(const char* text, const char* name) {
  const char* at = strstr(text, name);
  if (at == nullptr) return 0;
  at += strlen(name);
  while (*at == ' ' || *at == '\t') ++at;
  uint64_t value = 0;
  for (; *at >= '0' && *at <= '9'; ++at) value = value * 10 + static_cast<uint64_t>(*at - '0');
  return value * 1024;
}

// The high-water mark of getrusage would be cheaper, but survives exec: it may be another
// program's.
Memory read_memory() {
  os::DescriptorHold hold;
  if (!hold) return {};
  int fd = os::open_readonly("/proc/self/status");
  if (fd < 0) return {};
  hold.set(fd);
  long got = os::read_some(fd, status_text, sizeof status_text - 1);
  hold.close(fd);
  if (got <= 0) return {};
  status_text[got] = '\0';
  return {field(status_text, "\nVmRSS:"), field(status_text, "\nVmHWM:"),
          field(status_text, "\nRssFile:") + field(status_text, "\nRssShmem:")};
}

void remember_clock(const format::ClockPair& pair) {
  format::FileHeader& header = *ledger_header();
  uint32_t next = header.latest_index + 1;
  header.latest[next & 1] = pair;
  os::keep_store_order();
  header.latest_index = next;
}

// When to look again: 10 ms from now, by the rate of the clock since the start.
void schedule(const format::ClockPair& now) {
  const format::ClockPair& start = ledger_header()->start;
  uint64_t ticks = now.ticks - start.ticks;
  uint64_t ns = now.monotonic_ns - start.monotonic_ns;
  uint64_t per_interval = ns == 0 ? kIntervalNs : ticks / (ns / 1000 + 1) * (kIntervalNs / 1000);
  memory_due.store((now.ticks + per_interval) >> clock_choice.shift, std::memory_order_relaxed);
}

// Returns the resident memory, or 0.
uint64_t enter(Window& window, uint64_t time, const format::ClockPair& now, LookAt when) {
  schedule(now);
  sampler.last_ns = now.monotonic_ns;
  remember_clock(now);
  Memory memory = read_memory();
  if (live_tables_wanted()) set_live_clock(now, memory.rss);
  if (memory.rss == 0 || live_tables_wanted()) return memory.rss;
  look_at_mappings(window, time, now.monotonic_ns, memory.rss, when);
  format::LongEntry(window.encoder, format::Kind::kMemory, time)
      .number(memory.rss)
      .number(memory.peak)
      .number(now.ticks)
      .number(now.monotonic_ns)
      .number(memory.files)
      .finish();
  return memory.rss;
}

}  // namespace

void sample_memory(Window& window, uint64_t time) {
  // Live mode makes no entry of it, and never empties its windows.
  if (!live_tables_wanted() && window.limit - window.encoder.cursor < kSampleEntryBytes) return;
  if (filter_expected()) memory_due.store(UINT64_MAX, std::memory_order_relaxed);
  if (filter_expected() || sampler.at_work.exchange(true, std::memory_order_acquire)) return;
  format::ClockPair now = clock_pair();
  if (now.monotonic_ns - sampler.last_ns >= kIntervalNs) {
    uint64_t rss = enter(window, time, now, LookAt::kSample);
    refresh_name(window, time);
    summarize_when_due(window, time, now, rss);
  } else {
    schedule(now);
  }
  sampler.at_work.store(false, std::memory_order_release);
  look_at_orders_in(window, time);
}

void sample_memory_at_exit(Window& window, uint64_t time) {
  if (filter_expected() || !room_for(window, kSampleEntryBytes)) return;
  if (sampler.at_work.exchange(true, std::memory_order_acquire)) return;
  format::ClockPair now = clock_pair();
  uint64_t rss = enter(window, time, now, LookAt::kExit);
  summarize_when_due(window, time, now, rss);
  sampler.at_work.store(false, std::memory_order_release);
}

void restart_memory_samples() {
  const uint64_t wait =
      clock_choice.counter ? os::rough_units(kFirstSampleAfterNs) : kFirstSampleAfterNs;
  memory_due.store(now_units() + wait, std::memory_order_relaxed);
  sampler.last_ns = 0;
  restart_looks();
  sampler.at_work.store(false, std::memory_order_relaxed);
}

}  // namespace heapledger::runtime
