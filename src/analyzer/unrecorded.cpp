#include "analyzer/unrecorded.h"

#include <algorithm>
#include <cstring>

namespace heapledger {
namespace {

using format::Unrecorded;

struct Words {
  const char* word;
  const char* phrase;
};

Words words_of(Unrecorded reason) {
  switch (reason) {
    case Unrecorded::kNone:
      break;
    case Unrecorded::kAddressSanitizer:
      return {"AddressSanitizer", "with AddressSanitizer"};
    case Unrecorded::kThreadSanitizer:
      return {"ThreadSanitizer", "with ThreadSanitizer"};
    case Unrecorded::kLeakSanitizer:
      return {"LeakSanitizer", "with LeakSanitizer"};
    case Unrecorded::kMemorySanitizer:
      return {"MemorySanitizer", "with MemorySanitizer"};
    case Unrecorded::kHwAddressSanitizer:
      return {"HWAddressSanitizer", "with HWAddressSanitizer"};
    case Unrecorded::kOtherLibrary:
      return {"other C library", "with another C library than glibc"};
    case Unrecorded::kNarrow:
      return {"32 bits", "of 32 bits"};
    case Unrecorded::kOtherMachine:
      return {"other machine", "for another machine"};
    case Unrecorded::kStatic:
      return {"static", "static"};
    case Unrecorded::kPrivileged:
      return {"other rights", "with other rights (setuid)"};
    case Unrecorded::kNoLedger:
      return {"no ledger", "unable to create a ledger"};
    case Unrecorded::kOutOfReach:
      return {"out of reach", "unable to read the recorder (chroot, another user)"};
    case Unrecorded::kCleared:
      return {"cleared environment", "with a cleared environment"};
    case Unrecorded::kFiltered:
      return {"filter", "forked behind a system call filter"};
  }
  return {"unknown", "for a reason this version does not know"};
}

}  // namespace

std::vector<UnrecordedGroup> read_unrecorded(const format::UnrecordedTable& table) {
  std::vector<UnrecordedGroup> groups;
  for (uint32_t reason = 1; reason < format::kUnrecordedReasons; ++reason) {
    if (table.counts[reason] == 0) continue;
    UnrecordedGroup group{static_cast<Unrecorded>(reason), table.counts[reason], {}};
    for (const format::UnrecordedRecord& record : table.records) {
      if (record.reason != reason || group.programs.size() == group.count) continue;
      group.programs.push_back({std::string(record.name, strnlen(record.name, sizeof record.name)),
                                record.pid, record.error});
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

void add_unrecorded(std::vector<UnrecordedGroup>& groups,
                    const std::vector<UnrecordedGroup>& more) {
  for (const UnrecordedGroup& other : more) {
    auto place = std::lower_bound(
        groups.begin(), groups.end(), other.reason,
        [](const UnrecordedGroup& group, Unrecorded reason) { return group.reason < reason; });
    if (place == groups.end() || place->reason != other.reason) {
      groups.insert(place, other);
      continue;
    }
    place->count += other.count;
    place->programs.insert(place->programs.end(), other.programs.begin(), other.programs.end());
  }
}

uint64_t count_unrecorded(const std::vector<UnrecordedGroup>& groups) {
  uint64_t count = 0;
  for (const UnrecordedGroup& group : groups) count += group.count;
  return count;
}

const char* unrecorded_word(Unrecorded reason) {
  return words_of(reason).word;
}

const char* unrecorded_phrase(Unrecorded reason) {
  return words_of(reason).phrase;
}

}  // namespace heapledger
