// Writes the seeds of the reader's fuzzer into a folder: small ledgers with every kind of entry,
// alone, in pairs of parent and child, and with everything that can be odd about blocks.
#include <string>

#include "compact_ledger.h"
#include "example_ledger.h"
#include "ledger_builder.h"
#include "seed_folder.h"

namespace {

using heapledger::fuzz::compact;
using heapledger::test::LedgerBuilder;
using Kind = heapledger::format::Kind;
using InfoKey = heapledger::format::InfoKey;
using heapledger::format::ResidentKind;

std::string every_kind() {
  LedgerBuilder ledger;
  ledger.window(0)
      .thread(0, 0, 100, "main")
      .info(0, InfoKey::kCommand, "a")
      .info(0, InfoKey::kParentLedger, "p")
      .module(0, 1, 0x1000, 0x2000, 0x1000, "id", "/x")
      .site(0, 1, 0, 1, 0x1100)
      .site(0, 2, 1, 1, 0x1200)
      .malloc(1, 0x1000, 10, 1)
      .allocate(Kind::kCalloc, 2, 0x2000, 10, 2)
      .calloc_at_once(0x2800, 10, 2)
      .allocate(Kind::kReallocNew, 3, 0x3000, 10)
      .aligned(Kind::kPosixMemalign, 4, 0x4000, 10, 64)
      .resize(5, 0x1000, 6, 0x1800, 20)
      .resident(7, 120,
                {{ResidentKind::kHeap, 0x1000, 0x2000, 100},
                 {ResidentKind::kFile, 0x8000, 0x1000, 10},
                 {ResidentKind::kRecorder, 0, 0, 10}})
      .memory(7, 100, 200)
      .free(8, 0x1800)
      .free_by(Kind::kReallocFree, 9, 0x3000)
      .unload(10, 1)
      .fork(11)
      .unknown_kind(12, "later");
  return ledger.bytes();
}

std::string threads_and_chunks() {
  LedgerBuilder ledger;
  for (unsigned t = 0; t < 12; ++t) {
    ledger.window(t % 3).malloc(4 * t, 0x1000, t).flush();
    ledger.window((t + 1) % 3).free(4 * t + 2, 0x1000);
  }
  return ledger.bytes();
}

std::string skewed() {
  LedgerBuilder ledger;
  ledger.window(0).malloc(20, 0x1000, 7).free(25, 0x1000).free(40, 0x1000).malloc(41, 0x2000, 1);
  ledger.window(1).malloc(10, 0x1000, 5).free(20, 0x1000).free(30, 0x3000).malloc(31, 0x2000, 1);
  return ledger.bytes();
}

std::string child_of_every_kind() {
  LedgerBuilder ledger;
  ledger.header.origin = 1;
  ledger.header.parent_pid = 42;
  ledger.header.pid = 43;
  ledger.header.parent_offset = 60;
  ledger.header.start.ticks += 12;
  ledger.window(0)
      .info(0, InfoKey::kParentLedger, "p")
      .free(1, 0x2000)
      .resize(2, 0x4000, 3, 0x9000, 1);
  return ledger.bytes();
}

}  // namespace

int main(int argc, char** argv) {
  const heapledger::fuzz::SeedFolder seeds(argc, argv);
  const std::string raw(1, '\1');
  const std::string small(1, '\0');
  seeds.write("every_kind", small + compact(every_kind()));
  seeds.write("threads", small + compact(threads_and_chunks()));
  seeds.write("skewed", small + compact(skewed()));
  seeds.write("fork", small + compact(child_of_every_kind()) + compact(every_kind()));
  seeds.write("two", small + compact(every_kind()) + compact(threads_and_chunks()));
  seeds.write("raw_cut", raw + every_kind().substr(0, 4096 + 400));
  seeds.write("raw_header", raw + every_kind().substr(0, 176));
  return 0;
}
