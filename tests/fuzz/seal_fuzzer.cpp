// Feeds the reader of sealed ledgers anything at all, and asks for everything there is to ask.
// Nothing may crash, hang, or take memory out of proportion.
//
// The first byte chooses: bit 0, the rest is a sealed ledger as it would be on disk, checksums and
// all; else checksums are not looked at and the header is put right, so that the fuzzer gets
// inside.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "analyzer/error.h"
#include "analyzer/ledger_file.h"
#include "analyzer/query.h"
#include "analyzer/seal/live_scan.h"
#include "format/sealed.h"
#include "questions.h"

namespace heapledger::fuzz {
namespace {

void mend_header(std::string& bytes) {
  format::SealedHeader header{};
  std::memcpy(&header, bytes.data(), std::min(bytes.size(), sizeof header));
  std::memcpy(header.magic, format::kSealedMagic, sizeof header.magic);
  header.version = format::kSealedVersion;
  header.ledger.version = format::kVersion;
  header.ledger.header_bytes = format::kMinHeaderBytes;
  header.ledger.extent_bytes = format::kExtentBytes;
  header.ledger.time_shift &= 31;
  bytes.resize(std::max(bytes.size(), sizeof header));
  std::memcpy(bytes.data(), &header, sizeof header);
}

void read_everything(LedgerFile& file) {
  seal::LiveScan all(file);
  all.run(UINT64_MAX);
  uint64_t middle = 0;
  for (WindowExtents blocks : file.index().windows()) {
    middle = std::max(middle, blocks[blocks.size() / 2].base_time);
  }
  seal::live_at(file, middle);
  seal::live_at(file, UINT64_MAX);
  uint64_t bytes = 0;
  file.for_each_note(UINT64_MAX, [&bytes](uint32_t, uint32_t, const format::Entry& entry) {
    for (char c : entry.fields) bytes += static_cast<unsigned char>(c);
  });
  file.stored_symbols();
  file.problems().texts();
}

}  // namespace
}  // namespace heapledger::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace heapledger;
  if (size == 0) return 0;
  std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  bool check_sums = (data[0] & 1) != 0;
  if (!check_sums) fuzz::mend_header(bytes);
  try {
    LedgerFile file(in_memory("fuzzed.ledger", bytes), check_sums);
    fuzz::read_everything(file);
    Options options;
    options.check_sums = check_sums;
    options.open_parent = nullptr;
    Ledgers ledgers({[&bytes] { return in_memory("fuzzed.ledger", bytes); }}, options);
    fuzz::ask_everything(ledgers);
  } catch (const Error&) {
    // A clear refusal is a good answer.
  }
  return 0;
}
