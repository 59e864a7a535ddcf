// One row for each call, in the order of time. Of what is the same in many rows the text is made
// once, so that a row costs little more than its numbers.
#include <array>
#include <string>
#include <vector>

#include "exporters/tables.h"

namespace heapledger {
namespace {

constexpr std::array<std::string_view, 15> kEntryColumns = {
    "time_ns",     "took_ns", "pid",       "tid",  "thread", "what",  "function", "address",
    "old_address", "size",    "alignment", "site", "calls",  "bytes", "heap"};

// The cells pid, tid and thread of all threads.
class ThreadCells {
 public:
  ThreadCells(const std::vector<LedgerFacts>& ledgers, const TableWriter& table) {
    for (const LedgerFacts& facts : ledgers) {
      Process& process = processes_.emplace_back(Process{facts.pid, {}});
      for (const ThreadFacts& thread : facts.threads) {
        process.threads.push_back({thread.tid, table.prepare(thread.name)});
      }
    }
  }

  void write(const CallFacts& call, TableWriter& table) const {
    const Process& process = processes_[call.ledger];
    table.number(process.pid);
    if (call.thread >= process.threads.size()) {
      table.none();
      table.none();
      return;
    }
    const auto& [tid, name] = process.threads[call.thread];
    table.number(tid);
    table.prepared(name);
  }

 private:
  struct Thread {
    uint64_t tid;
    std::string name;
  };
  struct Process {
    uint32_t pid;
    std::vector<Thread> threads;
  };
  std::vector<Process> processes_;
};

// The cell heap of all heaps.
std::vector<std::string> heap_cells(const HeapCatalog& heaps, const TableWriter& table) {
  std::vector<std::string> cells;
  for (uint32_t i = 0; i < heaps.size(); ++i) cells.push_back(table.prepare(heaps.at(i).name));
  return cells;
}

void write_entry(const CallFacts& call, const ThreadCells& threads,
                 const std::vector<std::string>& heaps, const char* quote, std::string& word,
                 TableWriter& table) {
  table.number(call.time_ns);
  table.number(call.took_ns);
  threads.write(call, table);
  for (const char* text : {what_is(call), call.function}) {
    word.assign(quote).append(text).append(quote);
    table.prepared(word);
  }
  table.address(call.address);
  table.address(call.old_address);
  table.number(call.size);
  table.number(call.alignment);
  if (call.has_site) {
    table.number(call.site);
  } else {
    table.none();
  }
  table.number(call.calls);
  table.number(call.bytes);
  if (call.heap < heaps.size()) {
    table.prepared(heaps[call.heap]);
  } else {
    table.none();
  }
  table.end_row();
}

}  // namespace

void write_entry_table(ExportRequest& request, TableForm form, Output& output) {
  TableWriter table(form, output, kEntryColumns);
  table.begin(about_table(request, "heapledger.export.entries/1"));
  ThreadCells threads(request.ledgers.facts(), table);
  const std::vector<std::string> heaps = heap_cells(request.ledgers.heaps(), table);
  // Our own words need no escapes in any form.
  const char* quote = form == TableForm::kJson ? "\"" : "";
  std::string word;
  request.ledgers.calls(request.question, [&](const CallFacts& call) {
    write_entry(call, threads, heaps, quote, word, table);
  });
  table.end();
}

}  // namespace heapledger
