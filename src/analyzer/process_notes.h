// What a ledger says about its process besides the heap: threads, modules, the command line and so
// on. Everything is bounded, because the texts come from a file that anybody may have written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/id_table.h"
#include "analyzer/ledger_facts.h"
#include "format/entry_decoder.h"

namespace heapledger {

// A module as an entry describes it; the texts are views into the entry.
struct ModuleNote {
  uint32_t id = 0;
  uint64_t epoch = 0;
  uint64_t start = 0;
  uint64_t end = 0;
  uint64_t bias = 0;
  std::string_view build_id;
  std::string_view path;
};

// False when the fields are not those of a module.
bool read_module(std::string_view fields, ModuleNote& module);

class ProcessNotes {
 public:
  // The place of a thread among those seen so far, by the index the ledger gives it.
  uint32_t thread(uint32_t index);
  size_t threads() const { return threads_.size(); }
  uint64_t tid_of(uint32_t thread) const { return threads_[thread].tid; }
  uint32_t index_of(uint32_t thread) const { return threads_[thread].index; }

  // A thread introduces itself: its place, or IdTable::kNone when the fields make no sense.
  uint32_t introduce_thread(std::string_view fields);
  void rename_thread(uint32_t thread, std::string_view name);

  void add_module(const ModuleNote& module);
  void unload_module(std::string_view fields);
  void add_info(std::string_view fields);

  void tell(LedgerFacts& facts);

 private:
  static constexpr size_t kMaxModules = 65536;

  std::vector<ThreadFacts> threads_;
  IdTable thread_places_;
  std::vector<ModuleFacts> modules_;
  IdTable module_places_;
  std::string info_[11];  // by InfoKey
};

}  // namespace heapledger
