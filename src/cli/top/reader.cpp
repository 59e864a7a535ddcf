#include "cli/top/reader.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "analyzer/error.h"
#include "cli/shared/running_heap.h"

namespace heapledger::cli::top {
namespace {

uint64_t monotonic_ns() {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

// What the tables say is as old as the program's last look at itself, which may be long ago.
uint64_t resident_bytes(uint32_t pid, uint64_t otherwise) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
  uint64_t size = 0;
  uint64_t resident = 0;
  if (!(file >> size >> resident)) return otherwise;
  return resident * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

// A process that ends while it is read has lost some of what was read, but not before it has lost
// all of its memory.
bool still_there(const cores::Memory& memory, const cores::LiveHeap& heap) {
  unsigned char byte[1];
  return heap.own_ranges.empty() || memory.read_all(heap.own_ranges.front().start, byte);
}

bool exists(uint32_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  size_t behind_name = text.rfind(") ");
  return behind_name != std::string::npos && text.compare(behind_name + 2, 1, "Z") != 0 &&
         text.compare(behind_name + 2, 1, "X") != 0;
}

std::string end_of(uint32_t pid, bool there) {
  std::string who = "process " + std::to_string(pid);
  if (there) return who + " runs another program now";
  return who + " has ended";
}

}  // namespace

TopReading TopReader::read() {
  TopReading reading;
  bool first = changes_.readings() == 0;
  uint64_t begin = monotonic_ns();
  bool whole = false;
  bool there = true;
  try {
    whole = read_heap(reading);
  } catch (const Error&) {
    if (first) throw;
  }
  if (!whole) {
    there = exists(pid_);
    if (first) throw Error(end_of(pid_, there), ErrorKind::kQuestion);
    last_.ended = end_of(pid_, there);
    return last_;
  }
  reading.took_ns = monotonic_ns() - begin;
  last_ = reading;
  return reading;
}

// False: the process has gone meanwhile, or is not the one that was read before.
bool TopReader::read_heap(TopReading& reading) {
  // Its memory grows and its threads come and go, so it is looked at anew each time.
  RunningHeap running(pid_);
  cores::LiveHeap heap = running.read();
  reading.rss_bytes = resident_bytes(pid_, heap.rss_bytes);
  if (!still_there(running.memory(), heap)) return false;
  if (changes_.readings() > 0 && heap.started_ns != started_ns_) return false;
  started_ns_ = heap.started_ns;
  changes_.add(heap);
  std::vector<cores::SiteChange> changed = changes_.sites();
  std::vector<uint32_t> sites;
  sites.reserve(changed.size());
  for (const cores::SiteChange& site : changed) sites.push_back(site.site);
  names_.learn(heap, sites);
  reading.sites.reserve(changed.size());
  for (cores::SiteChange& site : changed) {
    reading.sites.push_back({std::move(site.change), site.site, names_.of(site.site)});
  }
  reading.pid = pid_;
  reading.program = running.name();
  reading.elapsed_ns = heap.now_ns;
  reading.threads = running.memory().threads().size();
  reading.total = changes_.total();
  reading.interval_ns = changes_.interval_ns();
  reading.since_first_ns = changes_.since_first_ns();
  reading.has_rates = changes_.has_rates();
  reading.estimated = changes_.estimated();
  if (!heap.problems.empty()) reading.problem = heap.problems.front();
  return true;
}

uint64_t interval_for(uint64_t wanted_ns, uint64_t took_ns) {
  constexpr uint64_t kShare = 4;
  return std::max(wanted_ns, took_ns * kShare);
}

}  // namespace heapledger::cli::top
