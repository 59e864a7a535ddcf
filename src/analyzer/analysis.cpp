#include "analyzer/analysis.h"

#include <algorithm>
#include <cstdio>

#include "analyzer/error.h"
#include "analyzer/query.h"

namespace heapledger {
namespace {

std::string base_name(const std::string& path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace

bool all_live(std::span<const LedgerFacts> ledgers) {
  return !ledgers.empty() && std::all_of(ledgers.begin(), ledgers.end(),
                                         [](const LedgerFacts& ledger) { return ledger.live; });
}

Analysis analyze(std::span<const std::string> paths, const Options& options) {
  return Ledgers(paths, options).analysis();
}

Analysis analyze_sources(std::vector<std::unique_ptr<ByteSource>> sources, const Options& options) {
  std::vector<Ledgers::Opener> openers;
  for (std::unique_ptr<ByteSource>& source : sources) {
    // Opened once only: nothing here needs a second pass.
    auto shared = std::make_shared<std::unique_ptr<ByteSource>>(std::move(source));
    openers.emplace_back([shared] { return std::move(*shared); });
  }
  return Ledgers(std::move(openers), options).analysis();
}

namespace {

// Code in no module (made at run time, for one), or a mark where a stack ends early.
std::string name_without_module(uint64_t pc) {
  if (pc == format::kMarkCut) return "[cut: no unwind information]";
  if (pc == format::kMarkDepth) return "[more frames, beyond the depth limit]";
  if (pc == format::kMarkNone) return "[no stack asked for]";
  return hex(pc);
}

}  // namespace

std::vector<Frame> Analysis::frames(const Group& group) const {
  std::vector<Frame> frames;
  for (const SiteFrame& frame : sites->frames(group.site)) {
    if (frame.module == nullptr) {
      frames.push_back({"", 0, frame.pc, name_without_module(frame.pc)});
    } else {
      frames.push_back({frame.module->path, frame.offset, frame.pc,
                        base_name(frame.module->path) + "+" + hex(frame.offset)});
    }
  }
  return frames;
}

bool Analysis::live() const {
  return all_live(ledgers);
}

bool Analysis::complete() const {
  return refusals.empty() && std::all_of(ledgers.begin(), ledgers.end(),
                                         [](const LedgerFacts& ledger) { return ledger.complete; });
}

bool Analysis::damaged() const {
  return !refusals.empty() ||
         std::any_of(ledgers.begin(), ledgers.end(),
                     [](const LedgerFacts& ledger) { return !ledger.problems.empty(); });
}

}  // namespace heapledger
