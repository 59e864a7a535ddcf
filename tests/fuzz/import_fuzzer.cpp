// Hostile recordings of other tools: whatever the bytes, the import ends with an Error or with a
// ledger that can be read, and that has the calls the import says it has.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/error.h"
#include "analyzer/query.h"
#include "importers/importer.h"

using namespace heapledger;

namespace {

constexpr uint64_t kMostSteps = 200'000;

// The ledger of the import, as the reader sees it.
uint64_t calls_in(const std::string& path) {
  Ledgers ledgers(std::vector<std::string>{path}, {});
  const Overview& overview = ledgers.overview();
  if (!ledgers.refusals().empty() || !overview.processes.front().problems.empty()) abort();
  return overview.sums.calls;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const int fd = memfd_create("ledger", MFD_CLOEXEC);
  static const std::string path = "/proc/self/fd/" + std::to_string(fd);
  if (fd < 0 || ftruncate(fd, 0) != 0) abort();
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Imported imported;
  // A few bytes of DHAT can say a hundred million blocks, which would take their time.
  auto stop_long_ones = [](uint64_t done, uint64_t) {
    if (done > kMostSteps) throw Error("long enough", ErrorKind::kData);
  };
  try {
    imported = import_source(in_memory("recording", bytes), 0, path, stop_long_ones);
  } catch (const Error&) {
    return 0;
  }
  // A block at no address is none.
  if (calls_in(path) > imported.calls) abort();
  return 0;
}
