#include "cli/files/info_text.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "analyzer/own_threads.h"
#include "cli/pages/command_line.h"
#include "cli/pages/page.h"
#include "cli/pages/unrecorded_text.h"
#include "cli/shared/unseen_calls.h"
#include "format/functions.h"
#include "settings/settings.h"

namespace heapledger::cli::files {
namespace {

using format::Kind;

constexpr std::pair<Kind, const char*> kNotes[] = {
    {Kind::kThread, "thread"},
    {Kind::kThreadName, "thread name"},
    {Kind::kSite, "site"},
    {Kind::kModule, "module"},
    {Kind::kUnload, "unload"},
    {Kind::kMemory, "memory sample"},
    {Kind::kInfo, "info"},
    {Kind::kMarker, "marker"},
    {Kind::kCrossCheck, "stack seen differently"},
    {Kind::kFork, "fork"},
    {Kind::kMode, "mode"},
    {Kind::kSampleTime, "time of a sample"},
    {Kind::kMap, "mmap"},
    {Kind::kUnmap, "munmap"},
    {Kind::kRemap, "mremap"},
    {Kind::kBreak, "brk"},
    {Kind::kDamage, "damage"},
    {Kind::kPool, "pool"},
    {Kind::kPoolAllocate, "allocation in a pool"},
    {Kind::kPoolFree, "free in a pool"},
    {Kind::kPoolResize, "resize in a pool"},
    {Kind::kSiteBefore, "calls of a site before"},
    {Kind::kBirth, "allocation in another heap"},
    {Kind::kDeath, "free in another heap"},
    {Kind::kResize, "resize in another heap"},
    {Kind::kHeap, "heap"},
    {Kind::kCode, "code"},
    {Kind::kChain, "chain of sites"},
    {Kind::kFrame, "frame without an address"},
    {Kind::kResident, "what is resident of each mapping"},
};

void put_fact(Buffer& to, const char* name, const std::string& value) {
  if (!value.empty()) put(to, "  {:<13}{}\n", name, value);
}

std::string process_text(const LedgerFacts& ledger) {
  bool forked = ledger.origin == format::Origin::kForked;
  return fmt::format("{}, {} by {}", ledger.pid, forked ? "forked" : "started", ledger.parent_pid);
}

std::string clock_text(const LedgerFacts& ledger) {
  double unit = ledger.ns_per_tick * static_cast<double>(uint64_t{1} << ledger.time_shift);
  return fmt::format("{:.4f} ns a tick{}, entries are stamped in steps of {:.1f} ns",
                     ledger.ns_per_tick, ledger.calibrated ? "" : " (an estimate)", unit);
}

std::string blocks_text(const LedgerFacts& ledger) {
  std::string text = counted(ledger.windows, "window") + ", " + counted(ledger.chunks, "chunk");
  return ledger.holes > 0 ? text + ", " + counted(ledger.holes, "empty place") : text;
}

std::string entries_text(const LedgerFacts& ledger) {
  std::string text = counted(ledger.entries, "entry");
  if (ledger.entries == 0) return text;
  return text + fmt::format(", {:.2f} bytes an entry", static_cast<double>(ledger.file_bytes) /
                                                           static_cast<double>(ledger.entries));
}

std::string inherited_text(const LedgerFacts& ledger) {
  if (ledger.origin != format::Origin::kForked) return "";
  if (!ledger.parent_found) return "unknown: the parent's ledger was not found";
  return counted(ledger.inherited_blocks, "block") + ", " + human_bytes(ledger.inherited_bytes);
}

std::string completeness(const LedgerFacts& ledger) {
  if (ledger.complete) return "yes";
  std::string text = "no";
  if (ledger.unseen) text += ", " + unseen_calls(ledger);
  if (ledger.stopped) text += ", recording stopped early: " + *ledger.stopped;
  if (ledger.totals.missed > 0) {
    text += ", " + counted(ledger.totals.missed, "call") + " could not be entered";
  }
  if (ledger.gaps > 0) text += ", recording was off for a time: " + counted(ledger.gaps, "gap");
  for (const std::string& problem : ledger.problems) text += ", " + printable(problem);
  return text;
}

void put_kinds(Buffer& to, const LedgerFacts& ledger, const Style& style) {
  put(to, "\n{}\n", style.bold("entries by kind"));
  for (unsigned kind = 0; kind < ledger.entries_by_kind.size(); ++kind) {
    if (ledger.entries_by_kind[kind] == 0) continue;
    const std::string name = kind_name(kind);
    put(to, "  {:>14}  {}\n", with_commas(ledger.entries_by_kind[kind]),
        name.empty() ? fmt::format("kind {} (of a later version)", kind) : name);
  }
}

void put_markers(Buffer& to, const LedgerFacts& ledger, const Style& style) {
  if (ledger.markers.empty()) return;
  put(to, "\n{}\n", style.bold(counted(ledger.markers.size(), "marker")));
  for (const MarkerFacts& marker : ledger.markers) {
    put(to, "  {:>14}  {}\n", human_duration(marker.time_ns), escaped(marker.text));
  }
}

std::string heaps_text(const LedgerFacts& ledger) {
  std::string text = ledger.heaps.empty() ? "" : "malloc";
  for (const std::string& heap : ledger.heaps) text += ", " + escaped(heap);
  return text;
}

void put_threads(Buffer& to, const LedgerFacts& ledger, const Style& style) {
  put(to, "\n{}\n", style.bold(counted(own_threads(ledger), "thread")));
  for (const ThreadFacts& thread : ledger.threads) {
    put(to, "  {:>6}  {:>10}  {}{}\n", number_of(thread),
        thread.tid != 0 ? std::to_string(thread.tid) : "-", escaped(thread.name),
        is_inherited(thread) ? ", of the parent: blocks of its are inherited" : "");
  }
  uint64_t counting = ledger.thread_count - ledger.threads.size();
  if (counting > 0) put(to, "  {:>14} only counted calls\n", with_commas(counting));
}

void put_modules(Buffer& to, const LedgerFacts& ledger, const Style& style) {
  put(to, "\n{}\n", style.bold(counted(ledger.modules.size(), "module")));
  for (const ModuleFacts& module : ledger.modules) {
    std::string build_id = module.build_id.empty() ? "no build id" : hex_digits(module.build_id);
    put(to, "  {:>4}  {:#014x}-{:#014x}  epoch {}{}  {}\n        {}\n", module.id, module.start,
        module.end, module.epoch, module.unloaded ? ", unloaded" : "", escaped(module.path),
        build_id);
  }
}

}  // namespace

std::string ending(const LedgerFacts& ledger) {
  if (ledger.live) return "none: this is its heap at one moment";
  if (ledger.still_running) return "none yet: it is still running";
  if (ledger.exited) return "it exited";
  return "without exit handlers: killed, crashed, _exit, exec, or still running";
}

std::string machine_name(uint32_t machine) {
  if (machine == 62) return "x86-64";
  if (machine == 183) return "AArch64";
  return fmt::format("machine {}", machine);
}

std::string kind_name(unsigned number) {
  const auto kind = static_cast<format::Kind>(number);
  const format::KindMeaning meaning = format::meaning_of(kind);
  const format::FunctionRow& row = format::row_of(meaning.function);
  const std::string name = row.name;
  const bool does_several = row.resize != format::Kind::kEnd;
  switch (meaning.event) {
    case format::Event::kBirth:
      return does_several ? name + " of NULL" : name;
    case format::Event::kDeath:
      return does_several ? name + " that freed" : name;
    case format::Event::kResize:
      return name + " of a block";
    case format::Event::kNote:
      break;
  }
  for (const auto& [known, note] : kNotes) {
    if (known == kind) return note;
  }
  return "";
}

std::string info_text(const LedgerFacts& ledger, const Style& style) {
  Buffer to;
  put(to, "{}\n", style.bold(escaped(ledger.path)));
  put_fact(to, "command", command_line(ledger));
  put_fact(to, "executable", escaped(ledger.executable));
  put_fact(to, "folder", escaped(ledger.folder));
  put_fact(to, "process", process_text(ledger));
  put_fact(to, "run", ledger.run_id != 0 ? fmt::format("{:x}", ledger.run_id) : "");
  put_fact(to, "host", escaped(ledger.host));
  put_fact(to, "rank", ledger.rank ? std::to_string(*ledger.rank) : "");
  put_fact(to, "job", escaped(ledger.job));
  put_fact(
      to, "machine",
      fmt::format("{}, pages of {}", machine_name(ledger.machine), human_bytes(ledger.page_bytes)));
  put_fact(to, "runtime", escaped(ledger.runtime));
  put_fact(to, "allocator", escaped(ledger.allocator));
  put_fact(to, "mode", settings::mode_name(static_cast<settings::Mode>(ledger.mode)));
  put_fact(to, "start", iso_time(ledger.start_wall_ns));
  put_fact(to, "duration", human_duration(ledger.duration_ns));
  put_fact(to, "end", ending(ledger));
  put_fact(to, "clock", clock_text(ledger));
  put_fact(to, "inherited", inherited_text(ledger));
  put_fact(to, "file",
           fmt::format("{}{}, format {}, {}", human_bytes(ledger.file_bytes),
                       ledger.sealed ? ", sealed" : "", ledger.version, blocks_text(ledger)));
  put_fact(to, "entries", entries_text(ledger));
  if (ledger.stacks_checked > 0) {
    put_fact(to, "stacks",
             fmt::format("{} compared with another unwinder, {} seen differently",
                         with_commas(ledger.stacks_checked), with_commas(ledger.stacks_differing)));
  }
  put_fact(to, "heaps", heaps_text(ledger));
  put_fact(to, "complete", completeness(ledger));
  put_fact(to, "not recorded", unrecorded_line(ledger.unrecorded));
  put_kinds(to, ledger, style);
  put_markers(to, ledger, style);
  put_threads(to, ledger, style);
  put_modules(to, ledger, style);
  return fmt::to_string(to);
}

}  // namespace heapledger::cli::files
