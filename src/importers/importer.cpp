#include "importers/importer.h"

#include <sys/stat.h>

#include <string_view>
#include <utility>

#include "analyzer/error.h"
#include "importers/heaptrack_reader.h"
#include "importers/ledger_writer.h"
#include "importers/line_source.h"

namespace heapledger {
namespace {

// When the file was written last: about when the process ended.
uint64_t written_ns(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0 || facts.st_mtim.tv_sec < 0) return 0;
  return static_cast<uint64_t>(facts.st_mtim.tv_sec) * 1'000'000'000 +
         static_cast<uint64_t>(facts.st_mtim.tv_nsec);
}

}  // namespace

Imported import_recording(const std::string& path, const std::string& raw_ledger,
                          const ImportProgress& progress) {
  return import_source(open_file(path), written_ns(path), raw_ledger, progress);
}

Imported import_source(std::unique_ptr<ByteSource> source, uint64_t ended_ns,
                       const std::string& raw_ledger, const ImportProgress& progress) {
  LineSource lines(std::move(source));
  std::string_view line;
  if (!lines.next(line) || !HeaptrackReader::is_first_line(line)) {
    throw Error(lines.name() +
                    ": is no recording that can be imported: heaptrack files can be, raw or"
                    " interpreted, as they are or with .gz or .zst",
                kExitBadData);
  }
  const std::string first(line);
  LedgerWriter ledger(raw_ledger);
  return HeaptrackReader(lines, ledger).read(first, ended_ns, progress);
}

}  // namespace heapledger
