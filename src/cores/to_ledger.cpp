#include "cores/to_ledger.h"

#include <algorithm>
#include <cstdint>

#include "cores/ordered_blocks.h"
#include "format/inherited_threads.h"
#include "format/modes.h"
#include "text/text.h"
#include "writer/ledger_writer.h"

namespace heapledger::cores {
namespace {

constexpr uint32_t kNobody = 0;  // the thread whose blocks nobody's are

// What lives of a site, to be told from what it did before.
struct Live {
  uint64_t blocks = 0;
  uint64_t bytes = 0;
};

class Writing {
 public:
  Writing(const LiveHeap& heap, const std::string& path, std::vector<std::string>& problems)
      : heap_(heap),
        problems_(problems),
        blocks_(ordered_blocks(heap, problems)),
        now_(moment_of(heap)),
        ledger_(path, thread(first_thread()), LedgerWriter::Times::kAsTheyAre) {}

  void write() {
    write_process();
    write_threads();
    write_modules();
    write_sites();
    write_blocks();
    ledger_.at(now_);
    if (has_accounts()) write_accounts();
    const ResidentMemory& resident = heap_.resident;
    if (heap_.rss_bytes > 0 && resident.total > 0) {
      ledger_.resident(resident.total, resident.swapped, resident.ranges);
    }
    if (heap_.rss_bytes > 0) ledger_.memory(heap_.rss_bytes);
    ledger_.finish(process());
  }

 private:
  // Sums over samples would be counts of samples: they say nothing that could be added.
  bool has_accounts() const { return heap_.has_accounts && !is_sampled(); }
  bool is_sampled() const { return heap_.sample_bytes > 0 || heap_.sample_calls > 0; }

  WriterThread thread(uint32_t index) const {
    if (index == kNobody || index >= heap_.threads.size()) return {kNobody, 0, "(unknown)"};
    const LiveThread& known = heap_.threads[index];
    return {known.inherited ? index | format::kInheritedThread : index, known.tid, known.name};
  }

  uint32_t thread_of(const LiveBlock& block) const {
    return block.thread < heap_.threads.size() ? block.thread : kNobody;
  }

  // A ledger has a thread from its first entry on: the first of its own, if there is any.
  uint32_t first_thread() const {
    for (uint32_t i = 1; i < heap_.threads.size(); ++i) {
      if (!heap_.threads[i].inherited) return i;
    }
    return heap_.threads.size() > 1 ? 1 : kNobody;
  }

  void speak_for(uint32_t index) {
    if (index == speaking_) return;
    speaking_ = index;
    ledger_.thread(thread(index));
  }

  void write_process() {
    std::string command;
    for (const std::string& argument : heap_.command) command.append(argument).push_back('\0');
    ledger_.info(format::InfoKey::kCommand, command);
    ledger_.info(format::InfoKey::kExecutable, heap_.executable);
    ledger_.info(format::InfoKey::kHost, heap_.host);
    ledger_.info(format::InfoKey::kRank, heap_.rank);
    ledger_.info(format::InfoKey::kJob, heap_.job);
    ledger_.info(format::InfoKey::kFolder, heap_.folder);
    ledger_.info(format::InfoKey::kRuntime, heap_.runtime);
    ledger_.info(format::InfoKey::kAllocator, heap_.allocator);
  }

  // Those that have no live blocks, too, if they are its own.
  void write_threads() {
    speaking_ = first_thread();
    for (uint32_t i = 1; i < heap_.threads.size(); ++i) {
      if (!heap_.threads[i].inherited) speak_for(i);
    }
  }

  void write_modules() {
    for (uint32_t i = 1; i < heap_.modules.size(); ++i) {
      const Module& module = heap_.modules[i];
      ledger_.module(i, module.start, module.end, module.bias, module.path, module.build_id);
    }
  }

  void write_sites() {
    std::vector<char> written(heap_.sites.size());
    bool circle = false;
    for (uint32_t site : outermost_first(heap_.sites)) {
      const LiveSite& described = heap_.sites[site];
      uint32_t parent = described.parent < heap_.sites.size() ? described.parent : 0;
      uint32_t module = described.module < heap_.modules.size() ? described.module : 0;
      circle |= parent != 0 && !written[parent];
      ledger_.site(site, written[parent] ? parent : 0, module, described.pc);
      written[site] = 1;
    }
    if (circle) problems_.emplace_back("some call stacks run in circles: they are cut there");
  }

  void write_blocks() {
    if (has_accounts()) live_.resize(heap_.sites.size());
    for (size_t place : blocks_) {
      const LiveBlock& block = heap_.blocks[place];
      uint32_t site = block.site < heap_.sites.size() ? block.site : 0;
      if (heap_.has_times) ledger_.at(std::min(block.time, now_));
      speak_for(thread_of(block));
      ledger_.malloc(block.address, block.size, site);
      if (live_.empty()) continue;
      ++live_[site].blocks;
      live_[site].bytes += block.size;
    }
  }

  void write_accounts() {
    auto more = [](uint64_t all, uint64_t here) { return all > here ? all - here : 0; };
    for (uint32_t i = 1; i < heap_.sites.size(); ++i) {
      const LiveSite& site = heap_.sites[i];
      uint64_t calls = more(site.calls, live_[i].blocks);
      uint64_t bytes = calls > 0 ? more(site.bytes, live_[i].bytes) : 0;
      if (calls > 0 || site.peak > live_[i].bytes) ledger_.site_before(i, calls, bytes, site.peak);
    }
  }

  WriterProcess process() const {
    WriterProcess process;
    process.page_bytes = heap_.page_bytes;
    process.machine = heap_.shape.machine;
    process.pid = heap_.pid;
    process.parent_pid = heap_.parent_pid;
    process.mode = format::kModeLive;
    process.flags = heap_.has_times ? 0 : format::kFlagNoTimes;
    process.sample_bytes = heap_.sample_bytes;
    process.sample_calls = heap_.sample_calls;
    process.missed = heap_.missed;
    process.stop_reason = heap_.stop_reason;
    process.stop_errno = heap_.stop_errno;
    process.started_ns = heap_.started_ns;
    process.exited = false;
    return process;
  }

  const LiveHeap& heap_;
  std::vector<std::string>& problems_;
  std::vector<size_t> blocks_;  // places in the heap, in the order of the ledger
  uint64_t now_;
  LedgerWriter ledger_;
  uint32_t speaking_ = kNobody;
  std::vector<Live> live_;  // by site; only where sites have accounts
};

}  // namespace

std::vector<std::string> write_ledger(const LiveHeap& heap, const std::string& raw_ledger) {
  std::vector<std::string> problems;
  Writing(heap, raw_ledger, problems).write();
  return problems;
}

}  // namespace heapledger::cores
