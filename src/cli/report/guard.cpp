#include "cli/report/guard.h"

#include <algorithm>

#include "cli/pages/json_parts.h"
#include "cli/pages/stack.h"
#include "text/text.h"

namespace heapledger::cli::report {
namespace {

constexpr size_t kShown = 10;

const char* word_of(DamageKind kind) {
  switch (kind) {
    case DamageKind::kBefore:
      return "before";
    case DamageKind::kAfter:
      return "after";
    case DamageKind::kFreedAlready:
      break;
  }
  return "freed-already";
}

std::string sentence(const DamageFacts& damage) {
  std::string block = fmt::format("{} at 0x{:x}", human_bytes(damage.size), damage.address);
  switch (damage.kind) {
    case DamageKind::kBefore:
      return block + fmt::format(", written to {} before its start",
                                 counted(0 - static_cast<uint64_t>(damage.offset), "byte"));
    case DamageKind::kAfter:
      return block + fmt::format(", written to past its end, at offset {}", damage.offset);
    case DamageKind::kFreedAlready:
      break;
  }
  return block + ", freed again";
}

// The runtime's own functions are the innermost of a stack that noticed something.
bool is_ours(const NamedFrame& frame) {
  std::string_view module = frame.module;
  module.remove_prefix(std::min(module.rfind('/') + 1, module.size()));
  return module.starts_with("libheapledger.so") ||
         frame.function.starts_with("heapledger::runtime::");
}

std::vector<NamedFrame> noticed_frames(Ledgers& ledgers, const DamageFacts& damage) {
  std::vector<NamedFrame> frames = ledgers.frames(damage.noticed);
  frames.erase(frames.begin(),
               std::find_if(frames.begin(), frames.end(),
                            [](const NamedFrame& frame) { return !is_ours(frame); }));
  return frames;
}

}  // namespace

void put_damages(Buffer& to, Ledgers& ledgers, size_t frames, const Page& page) {
  const Overview& overview = ledgers.overview();
  if (overview.damages == 0) return;
  put_title(to, page, "damaged blocks: " + with_commas(overview.damages));
  uint64_t shown = 0;
  for (const LedgerFacts& ledger : overview.processes) {
    for (const DamageFacts& damage : ledger.damages) {
      if (++shown > kShown) continue;
      put(to, "  {}\n", sentence(damage));
      put_frames(to, ledgers.frames(damage.allocated), frames, page, "    allocated in  ");
      put_frames(
          to, noticed_frames(ledgers, damage), frames, page,
          damage.kind == DamageKind::kFreedAlready ? "    freed by      " : "    noticed by    ");
    }
  }
  if (overview.damages > kShown) {
    put(to, "  {}\n",
        page.style.dim(fmt::format("… and {} more: --json", overview.damages - kShown)));
  }
}

Json damages_json(Ledgers& ledgers) {
  Json json = Json::array();
  for (const LedgerFacts& ledger : ledgers.facts()) {
    for (const DamageFacts& damage : ledger.damages) {
      Json one;
      one["pid"] = ledger.pid;
      one["tid"] = damage.tid;
      one["time_ns"] = damage.time_ns;
      one["what"] = word_of(damage.kind);
      one["address"] = damage.address;
      one["size"] = damage.size;
      one["offset"] = damage.offset;
      one["allocated"] = frames_json(ledgers.frames(damage.allocated));
      one["noticed"] = frames_json(noticed_frames(ledgers, damage));
      json.push_back(std::move(one));
    }
  }
  return json;
}

}  // namespace heapledger::cli::report
