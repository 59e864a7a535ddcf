// Sealing in memory, and everything that a ledger says, for comparing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "analyzer/ledger_file.h"
#include "analyzer/merge.h"
#include "analyzer/seal/sealer.h"

namespace heapledger::test {

class StringSink final : public seal::ByteSink {
 public:
  void append(const void* bytes, size_t count) override {
    text.append(static_cast<const char*>(bytes), count);
  }
  std::string text;
};

inline std::string sealed(std::string_view raw, const seal::SealOptions& options = {},
                          seal::SealFacts* facts = nullptr) {
  StringSink sink;
  seal::SealFacts found = seal::seal([&] { return in_memory("raw.ledger", raw); }, sink, options);
  if (facts != nullptr) *facts = found;
  return sink.text;
}

// All that a reader gets out of a ledger, in the order in which it gets it.
struct Contents {
  std::string header;
  std::vector<uint64_t> counts;
  std::vector<std::tuple<uint32_t, uint64_t, uint64_t, uint32_t, std::string>> fillings;
  std::vector<std::tuple<uint32_t, unsigned, uint64_t, uint64_t, uint64_t, uint64_t>> merged;
  std::vector<std::string> problems;

  friend bool operator==(const Contents&, const Contents&) = default;
};

struct Collector {
  Contents& to;
  void prefetch(const format::Entry&) {}
  void extent_opened(Stream& stream) {
    to.merged.emplace_back(stream.window(), 0, 0, 0, 0, stream.extent_thread());
  }
  void entry(Stream& stream, const format::Entry& entry) { add(stream, entry, 0); }
  void resized(Stream& stream, const format::Entry& entry) { add(stream, entry, 100); }
  void add(Stream& stream, const format::Entry& entry, unsigned more) {
    to.merged.emplace_back(stream.window(), static_cast<unsigned>(entry.kind) + more, entry.time,
                           entry.end_time, entry.pointer ^ entry.old_pointer,
                           entry.size ^ entry.site);
  }
};

inline Contents contents(std::string_view bytes) {
  LedgerFile file(in_memory("x.ledger", bytes));
  Contents all;
  all.header.assign(reinterpret_cast<const char*>(&file.header()), sizeof(format::FileHeader));
  const ExtentCounts& counts = file.index().counts();
  all.counts = {counts.windows,
                counts.chunks,
                counts.holes,
                file.index().missed(),
                static_cast<uint64_t>(file.clock().ns_per_tick() * 1e9),
                file.safe_time()};
  for (WindowExtents blocks : file.index().windows()) {
    for (size_t from = 0, to = 0; from < blocks.size(); from = to) {
      while (to < blocks.size() && blocks[to].seq == blocks[from].seq) ++to;
      Payload payload;
      if (!file.load_quietly(blocks.subspan(from, to - from), payload)) continue;
      all.fillings.emplace_back(blocks[from].window, blocks[from].seq, payload.base_time,
                                payload.thread,
                                std::string(payload.bytes.begin(), payload.bytes.end()));
    }
  }
  Merge merge(file);
  Collector collector{all};
  merge.run(UINT64_MAX, collector);
  all.problems = file.problems().texts();
  return all;
}

}  // namespace heapledger::test
