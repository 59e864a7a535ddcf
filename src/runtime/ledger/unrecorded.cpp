#include "runtime/ledger/unrecorded.h"

#include <atomic>
#include <cstring>

namespace heapledger::runtime {
namespace {

using format::FileHeader;
using format::UnrecordedRecord;
using format::UnrecordedTable;

UnrecordedTable* table_in(FileHeader* header) {
  auto* bytes = reinterpret_cast<unsigned char*>(header);
  return reinterpret_cast<UnrecordedTable*>(bytes + format::kUnrecordedOffset);
}

std::atomic_ref<uint32_t> count_of(UnrecordedTable& table, format::Unrecorded reason) {
  return std::atomic_ref<uint32_t>(table.counts[static_cast<uint32_t>(reason)]);
}

UnrecordedRecord* take_place(UnrecordedTable& table) {
  for (UnrecordedRecord& record : table.records) {
    uint32_t none = 0;
    std::atomic_ref<uint32_t> reason(record.reason);
    if (reason.load(std::memory_order_relaxed) == 0 &&
        reason.compare_exchange_strong(none, format::kUnrecordedBusy)) {
      return &record;
    }
  }
  return nullptr;
}

}  // namespace

UnrecordedNote note_unrecorded(FileHeader* header, const UnrecordedProgram& program) {
  if (header == nullptr || program.reason == format::Unrecorded::kNone) return {};
  UnrecordedTable& table = *table_in(header);
  count_of(table, program.reason).fetch_add(1, std::memory_order_relaxed);
  UnrecordedRecord* record = take_place(table);
  if (record != nullptr) {
    record->pid = program.pid;
    record->error = program.error;
    const char* slash = strrchr(program.name, '/');
    const char* name = slash == nullptr ? program.name : slash + 1;
    memset(record->name, 0, sizeof record->name);
    memcpy(record->name, name, strnlen(name, sizeof record->name));
    std::atomic_ref<uint32_t>(record->reason)
        .store(static_cast<uint32_t>(program.reason), std::memory_order_release);
  }
  return {&table, record, program.reason};
}

void take_back(const UnrecordedNote& note) {
  if (note.table == nullptr) return;
  count_of(*note.table, note.reason).fetch_sub(1, std::memory_order_relaxed);
  if (note.record != nullptr) {
    std::atomic_ref<uint32_t>(note.record->reason).store(0, std::memory_order_release);
  }
}

bool has_unrecorded(FileHeader* header) {
  if (header == nullptr) return false;
  for (uint32_t& count : table_in(header)->counts) {
    if (std::atomic_ref<uint32_t>(count).load(std::memory_order_relaxed) != 0) return true;
  }
  return false;
}

}  // namespace heapledger::runtime
