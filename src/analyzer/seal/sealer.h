// Makes a sealed ledger of a raw one: its fillings in segments, compressed by several threads, and
// checkpoints, left by a scan that somebody makes anyway or, if nobody does, by one of its own.
// Memory is bounded by the segments in work and by the live blocks. The raw ledger is only read.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/byte_source.h"
#include "analyzer/progress.h"
#include "analyzer/seal/checkpoint_keeper.h"
#include "analyzer/seal/sealed_writer.h"
#include "analyzer/seal/zstd_codec.h"

namespace heapledger::seal {

// What somebody who scans the ledger for other reasons has to say about it.
struct Scanned {
  std::string symbols;
  uint64_t entries = 0;
  std::vector<StoredCheckpoint> checkpoints;
};

struct SealOptions {
  int level = kDefaultLevel;
  unsigned threads = 0;  // that compress; 0: as many as the machine has processors
  std::string symbols;   // as SymbolTable::encode() gave them; empty: none
  CheckpointSpacing checkpoints;
  // Instead of these two: asked for when everything else is done. May throw, and then there is no
  // seal.
  std::function<Scanned()> scanned;
  std::function<void(uint64_t done, uint64_t total)> progress;  // called by the thread that seals
};

struct SealFacts {
  uint64_t raw_bytes = 0;
  uint64_t sealed_bytes = 0;
  uint64_t entries = 0;
  uint64_t checkpoints = 0;
};

// `open` gives the raw ledger, as often as it is asked. Throws Error when that is no raw ledger, or
// when it changes meanwhile.
using OpenSource = std::function<std::unique_ptr<ByteSource>()>;
SealFacts seal(const OpenSource& open, ByteSink& sink, const SealOptions& options);

}  // namespace heapledger::seal
