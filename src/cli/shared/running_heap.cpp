#include "cli/shared/running_heap.h"

#include <cstring>
#include <ctime>
#include <filesystem>
#include <optional>

#include "analyzer/error.h"
#include "format/layout.h"
#include "format/modes.h"
#include "settings/settings.h"

namespace heapledger::cli {
namespace {

using cores::FoundTables;
using cores::Memory;
using cores::Region;

// The header of the ledger that the process writes, where it has it mapped.
struct MappedLedger {
  format::FileHeader header{};
  uint64_t tables = 0;
};

std::optional<MappedLedger> find_ledger(const Memory& memory) {
  for (const Region& region : memory.regions()) {
    if (region.file_offset != 0 || region.path.empty() || !region.writable) continue;
    MappedLedger found;
    auto* bytes = reinterpret_cast<unsigned char*>(&found.header);
    if (!memory.read_all(region.start, {bytes, sizeof found.header})) continue;
    if (std::memcmp(found.header.magic, format::kFileMagic, sizeof found.header.magic) != 0) {
      continue;
    }
    found.tables = memory.number<uint64_t>(region.start + format::kLiveAddressOffset).value_or(0);
    return found;
  }
  return std::nullopt;
}

[[noreturn]] void refuse(uint32_t pid, const std::optional<MappedLedger>& ledger) {
  std::string text = "process " + std::to_string(pid);
  std::error_code ignored;
  std::string link = "/proc/" + std::to_string(pid) + "/exe";
  if (std::filesystem::read_symlink(link, ignored).filename() == "heapledger") {
    text += " is heapledger itself: name the program that it runs (pgrep -P " +
            std::to_string(pid) + ")";
  } else if (!ledger) {
    text +=
        " is not recorded: start it with heapledger run --mode live -- CMD (where its resident "
        "memory goes can be told all the same: --where-rss)";
  } else {
    auto mode = static_cast<settings::Mode>(ledger->header.mode);
    text += std::string(" is recorded in mode ") + settings::mode_name(mode) +
            ", and snapshots need live: start it with heapledger run --mode live -- CMD";
    if (mode == settings::Mode::kTrace || mode == settings::Mode::kSample) {
      text += " (its ledger can be read while it runs: heapledger report, --at end)";
    }
  }
  throw Error(text, ErrorKind::kQuestion);
}

FoundTables find_tables(const Memory& memory, uint32_t pid) {
  std::optional<MappedLedger> ledger = find_ledger(memory);
  if (!ledger || ledger->tables == 0) refuse(pid, ledger);
  std::optional<FoundTables> found = cores::live_tables_at(memory, ledger->tables);
  if (!found) refuse(pid, std::nullopt);
  return *found;
}

}  // namespace

bool is_recorded(uint32_t pid) {
  return find_ledger(*cores::open_process(pid)).has_value();
}

RunningHeap::RunningHeap(uint32_t pid, bool stopped)
    : memory_(stopped ? cores::stop_process(pid) : cores::open_process(pid)),
      tables_(find_tables(*memory_, pid)) {}

cores::LiveHeap RunningHeap::read() const {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  uint64_t ns =
      static_cast<uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(now.tv_nsec);
  return cores::read_live_tables(*memory_, tables_, ns);
}

std::string RunningHeap::name() const {
  return std::filesystem::path(memory_->executable()).filename().string();
}

}  // namespace heapledger::cli
