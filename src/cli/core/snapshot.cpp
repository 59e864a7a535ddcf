// `heapledger snapshot`: the live heap of a program that runs in live mode, and goes on running.
#include <ctime>
#include <memory>
#include <string>
#include <utility>

#include "cli/commands.h"
#include "cli/core/views.h"
#include "cli/shared/options.h"
#include "cli/shared/running_heap.h"

namespace heapledger::cli::core {
namespace {

struct SnapshotOptions {
  uint32_t pid = 0;
  HeapOptions heap;
};

int run_snapshot(const SnapshotOptions& options) {
  RunningHeap running(options.pid, options.heap.leaks);
  cores::LiveHeap heap = running.read();
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
      "Examples:\n"
      "  heapledger snapshot 4711\n"
      "  heapledger snapshot 4711 -o before.ledger; sleep 60\n"
      "  heapledger snapshot 4711 -o after.ledger; heapledger diff before.ledger after.ledger");
  command->callback([options, &exit_code] { exit_code = run_snapshot(*options); });
}

}  // namespace heapledger::cli::core
