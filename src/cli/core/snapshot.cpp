// `heapledger snapshot`: the live heap of a program that runs in live mode, and goes on running.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/error.h"
#include "cli/commands.h"
#include "cli/core/views.h"
#include "cli/shared/options.h"
#include "cli/shared/running_heap.h"
#include "cores/glibc_heap.h"
#include "cores/resident_memory.h"

namespace heapledger::cli::core {
namespace {

struct SnapshotOptions {
  uint32_t pid = 0;
  HeapOptions heap;
};

// Whether a range has some of malloc's memory in it, as its books have it.
bool has_part(const format::ResidentRange& range, const std::vector<cores::GlibcArena>& arenas) {
  for (const cores::GlibcArena& arena : arenas) {
    for (const cores::GlibcPart& part : arena.parts) {
      if (part.start < range.start + range.bytes && part.end > range.start) return true;
    }
  }
  return false;
}

// Where malloc's memory is known, all else is somebody else's. Of a heap that nobody knows (no
// arenas), nobody knows what of it is free either.
void tell_heaps_apart(cores::ResidentMemory& resident,
                      const std::vector<cores::GlibcArena>& arenas) {
  using format::ResidentKind;
  for (format::ResidentRange& range : resident.ranges) {
    if (range.kind != ResidentKind::kHeap && range.kind != ResidentKind::kAnonymous) continue;
    if (range.bytes == 0 && !arenas.empty()) continue;
    range.kind = has_part(range, arenas) ? ResidentKind::kHeap : ResidentKind::kOther;
  }
}

// What the kernel and the allocator's own books tell of a program that nobody records. It stands
// still while they are read, and no longer.
cores::LiveHeap read_unrecorded(uint32_t pid, std::string& note) {
  const std::unique_ptr<cores::Memory> memory = cores::stop_process(pid);
  std::optional<cores::GlibcHeap> chunks = cores::walk_glibc_heap(*memory);
  cores::LiveHeap heap;
  if (chunks) {
    heap = std::move(chunks->live);
    heap.problems = std::move(chunks->problems);
  } else {
    heap.has_stacks = heap.has_times = false;
    heap.shape = memory->shape();
    heap.pid = pid;
    heap.executable = memory->executable();
    heap.command = memory->command();
  }
  heap.page_bytes = static_cast<uint32_t>(::sysconf(_SC_PAGESIZE));
  if (!cores::add_resident(heap, *memory)) {
    throw Error("what is resident of process " + std::to_string(pid) + " cannot be read: /proc/" +
                    std::to_string(pid) + "/smaps",
                ErrorKind::kSystem);
  }
  tell_heaps_apart(heap.resident, chunks ? chunks->arenas : std::vector<cores::GlibcArena>());
  note = "process " + std::to_string(pid) + " is not recorded: ";
  note += chunks ? "its blocks are those in glibc's own books, as large as their chunks have room"
                 : "its blocks are not known, and its heap is unexplained";
  return heap;
}

int run_snapshot(const SnapshotOptions& options) {
  if (options.heap.view.words.where_rss && !options.heap.leaks && !is_recorded(options.pid)) {
    std::string note;
    cores::LiveHeap heap = read_unrecorded(options.pid, note);
    if (!options.heap.quiet) fmt::print(stderr, "note: {}\n", note);
    std::string name = std::filesystem::path(heap.executable).filename().string() + "." +
                       std::to_string(options.pid) + ".ledger";
    return show_report(std::move(heap), name, options.heap, 0);
  }
  RunningHeap running(options.pid, options.heap.leaks);
  cores::LiveHeap heap = running.read();
  cores::add_resident(heap, running.memory());
  std::string name = running.name() + "." + std::to_string(options.pid) + ".ledger";
  return show_heap(running.memory(), std::move(heap), name, options.heap);
}

}  // namespace

void add_snapshot(Command& app, int& exit_code) {
  auto options = std::make_shared<SnapshotOptions>();
  Command* command =
      app.add_subcommand("snapshot", "The live heap of a running program, without stopping it");
  command->add_option("PID", options->pid, "A process that runs with --mode live")
      ->required()
      ->type_name("");
  add_heap_options(*command, options->heap);
  command->footer(
      "The program must have been started in live mode: heapledger run --mode live -- CMD, or "
      "with\n"
      "HEAPLEDGER=\"mode=live\". Its tables are read out of its memory while it runs: whoever may\n"
      "debug it (the same user, where the system allows that; root) may take snapshots.\n\n"
      "With --leaks its threads stand still while the memory is scanned.\n\n"
      "Where the resident memory goes (--where-rss) is told of every program, recorded or not. Of "
      "one\n"
      "that is not, the blocks are those in glibc's books, and it stands still while they are "
      "read.\n\n"
      "Examples:\n"
      "  heapledger snapshot 4711\n"
      "  heapledger snapshot 4711 --where-rss\n"
      "  heapledger snapshot 4711 -o before.ledger; sleep 60\n"
      "  heapledger snapshot 4711 -o after.ledger; heapledger diff before.ledger after.ledger");
  command->callback([options, &exit_code] { exit_code = run_snapshot(*options); });
}

}  // namespace heapledger::cli::core
