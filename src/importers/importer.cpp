#include "importers/importer.h"

#include <sys/stat.h>

#include <string_view>
#include <utility>

#include "analyzer/error.h"
#include "importers/dhat_file.h"
#include "importers/dhat_reader.h"
#include "importers/heaptrack_reader.h"
#include "importers/line_source.h"
#include "importers/massif_file.h"
#include "importers/massif_reader.h"
#include "writer/ledger_writer.h"

namespace heapledger {
namespace {

constexpr size_t kBytesToTell = 8192;  // what it is

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
  const std::string_view beginning = lines.beginning(kBytesToTell);
  const std::string first(beginning.substr(0, beginning.find('\n')));
  const bool is_whole = first.size() < beginning.size();  // the line
  const bool is_json = is_dhat(beginning);
  if (!is_json &&
      !(is_whole && (HeaptrackReader::is_first_line(first) || MassifFile::is_first_line(first)))) {
    throw Error(lines.name() +
                    ": not a recording that can be imported: files of heaptrack, massif and DHAT"
                    " can be, as they are or with .gz or .zst",
                ErrorKind::kData);
  }
  LedgerWriter ledger(raw_ledger);
  if (is_json) return DhatReader(lines, ledger).read(ended_ns, progress);
  if (MassifFile::is_first_line(first)) {
    return MassifReader(lines, ledger).read(ended_ns, progress);
  }
  std::string_view line;
  (void)lines.next(line);
  return HeaptrackReader(lines, ledger).read(first, ended_ns, progress);
}

}  // namespace heapledger
