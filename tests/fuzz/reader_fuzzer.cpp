// Feeds the reader anything at all, and shows the result in every form there is. Nothing may
// crash, hang, or take memory out of proportion.
//
// The first byte chooses: bit 0, the rest is a ledger as it would be on disk, checksums and all;
// else it is one in the compact form of compact_ledger.h, read without checksums, and whatever
// follows it a second one, which is analysed together with the first and is its parent.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/analysis.h"
#include "analyzer/error.h"
#include "cli/info_json.h"
#include "cli/info_text.h"
#include "cli/report_json.h"
#include "cli/report_text.h"
#include "cli/report_warnings.h"
#include "cli/summary.h"
#include "compact_ledger.h"

namespace heapledger::fuzz {
namespace {

using Sources = std::vector<std::unique_ptr<ByteSource>>;

void show(const Analysis& analysis) {
  static std::FILE* nowhere = std::fopen("/dev/null", "w");
  const Style plain(false);
  report_text(analysis, 10, 8, plain);
  write_report_json(nowhere, analysis, SIZE_MAX);
  for (const LedgerFacts& ledger : analysis.ledgers) info_text(ledger, plain);
  write_info_json(nowhere, analysis);
  run_summary(analysis, plain);
  warnings(analysis);
}

void read(Sources sources, const Options& options) {
  try {
    show(analyze_sources(std::move(sources), options));
  } catch (const Error&) {
    // A clear refusal is a good answer.
  }
}

void read_raw(std::string_view bytes) {
  Sources sources;
  sources.push_back(in_memory("raw.ledger", bytes));
  Options options;
  options.open_parent = nullptr;
  read(std::move(sources), options);
}

void read_compact(std::string_view bytes) {
  std::string_view second;
  Sources sources;
  sources.push_back(expand("first.ledger", bytes, second));
  std::string_view rest;
  if (!second.empty()) sources.push_back(expand("second.ledger", second, rest));
  Options options;
  options.check_sums = false;
  options.open_parent = [second](const std::string&) {
    std::string_view ignored;
    return expand("second.ledger", second, ignored);
  };
  read(std::move(sources), options);
}

}  // namespace
}  // namespace heapledger::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if ((data[0] & 1) != 0) {
    heapledger::fuzz::read_raw(bytes);
  } else {
    heapledger::fuzz::read_compact(bytes);
  }
  return 0;
}
