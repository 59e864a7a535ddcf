// Feeds the reader anything at all, puts questions, and shows the result in every form there is.
// Nothing may crash, hang, or take memory out of proportion.
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

#include "analyzer/error.h"
#include "analyzer/query.h"
#include "cli/asking/asked.h"
#include "cli/files/info_json.h"
#include "cli/files/info_text.h"
#include "cli/pages/page.h"
#include "cli/report/json.h"
#include "cli/report/text.h"
#include "cli/run/summary.h"
#include "cli/shared/warnings.h"
#include "compact_ledger.h"
#include "questions.h"

namespace heapledger::fuzz {
namespace {

using namespace cli;
using namespace cli::files;
using namespace cli::report;
using namespace cli::run;

void show(Ledgers& ledgers) {
  static std::FILE* nowhere = std::fopen("/dev/null", "w");
  const Overview& overview = ledgers.overview();
  const Style plain(false);
  report_text(ledgers, Asked{}, Page{});
  write_report_json(nowhere, ledgers, Asked{});
  for (const LedgerFacts& ledger : overview.processes) info_text(ledger, plain);
  write_info_json(nowhere, overview.processes);
  run_summary(overview, plain, find_owners(ledgers));
  warnings(overview.processes, ledgers.refusals());
}

void read(std::vector<Ledgers::Opener> sources, const Options& options) {
  try {
    Ledgers ledgers(std::move(sources), options);
    ask_everything(ledgers);
    show(ledgers);
  } catch (const Error&) {
    // A clear refusal is a good answer.
  }
}

void read_raw(std::string_view bytes) {
  Options options;
  options.open_parent = nullptr;
  read({[bytes] { return in_memory("raw.ledger", bytes); }}, options);
}

void read_compact(std::string_view bytes) {
  std::string_view second;
  expand("first.ledger", bytes, second);
  auto open = [](const char* name, std::string_view from) {
    std::string_view ignored;
    return expand(name, from, ignored);
  };
  std::vector<Ledgers::Opener> sources;
  sources.emplace_back([=] { return open("first.ledger", bytes); });
  if (!second.empty()) sources.emplace_back([=] { return open("second.ledger", second); });
  Options options;
  options.check_sums = false;
  options.open_parent = [=](const std::string&) { return open("second.ledger", second); };
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
