// A folder of Parquet tables: processes, accounts, stacks, series, and on request every call. What
// engines for many of them read: figures by process and site, and stacks that have the same id on
// every host.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <set>

#include "analyzer/error.h"
#include "exporters/accounts.h"
#include "exporters/exporter.h"
#include "exporters/formats.h"
#include "exporters/parquet_table.h"
#include "exporters/stack_ids.h"
#include "exporters/stacks.h"
#include "exporters/tables.h"
#include "text/text.h"

namespace heapledger {
namespace {

using Columns = std::vector<ParquetColumn>;

constexpr ParquetType kNumber = ParquetType::kNumber;
constexpr ParquetType kText = ParquetType::kText;

// One file of the folder, which takes its place when all are complete.
struct TableFile {
  TableFile(const std::string& folder, const std::string& name, Columns columns)
      : output(folder + "/" + name + ".parquet"),
        table([this](std::string_view bytes) { output.write(bytes); }, std::move(columns)) {}

  Output output;
  ParquetTable table;
};

// Whoever joins the tables of several exports knows a process by this.
std::vector<uint64_t> process_numbers(const std::vector<LedgerFacts>& ledgers) {
  std::vector<uint64_t> numbers;
  for (const LedgerFacts& facts : ledgers) {
    StackHash hash;
    hash.add(facts.host);
    for (uint64_t word : {uint64_t{facts.pid}, facts.start_wall_ns, facts.run_id}) hash.add(word);
    numbers.push_back(hash.first() >> 1);  // so that it is no negative number anywhere
  }
  return numbers;
}

// The build id of the program itself.
std::string build_id_of(const LedgerFacts& facts) {
  for (const ModuleFacts& module : facts.modules) {
    if (module.path == facts.executable) return hex_digits(module.build_id);
  }
  return "";
}

class ParquetExport {
 public:
  explicit ParquetExport(ExportRequest& request)
      : request_(request),
        ledgers_(request.ledgers),
        numbers_(process_numbers(ledgers_.facts())),
        folder_(request.folder) {
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (error) {
      throw Error("cannot make the folder '" + folder_ + "': " + error.message(),
                  ErrorKind::kSystem);
    }
  }

  void write() {
    write_processes();
    write_accounts();
    write_stacks();
    write_series();
    if (request_.entries) write_entries();
    for (const auto& file : files_) file->output.finish();
    // One of an export before would be about other ledgers.
    std::error_code none;
    if (!request_.entries) std::filesystem::remove(folder_ + "/entries.parquet", none);
  }

 private:
  ParquetTable& add(const std::string& name, Columns columns) {
    files_.push_back(std::make_unique<TableFile>(folder_, name, std::move(columns)));
    return files_.back()->table;
  }

  void write_processes();
  void write_accounts();
  void write_stacks();
  void write_series();
  void write_entries();

  ExportRequest& request_;
  Ledgers& ledgers_;
  std::vector<uint64_t> numbers_;  // of processes, by ledger
  std::string folder_;
  std::vector<std::unique_ptr<TableFile>> files_;
  std::set<uint32_t> sites_;  // that have a row
};

void ParquetExport::write_processes() {
  ParquetTable& table = add("processes", {{"process", kNumber},
                                          {"run", kText, true},
                                          {"job", kText, true},
                                          {"rank", kNumber, true},
                                          {"host", kText, true},
                                          {"pid", kNumber},
                                          {"parent_pid", kNumber},
                                          {"command", kText},
                                          {"executable", kText},
                                          {"build_id", kText, true},
                                          {"folder", kText},
                                          {"path", kText},
                                          {"start_wall_ns", kNumber},
                                          {"duration_ns", kNumber},
                                          {"sampled", kNumber},
                                          {"complete", kNumber},
                                          {"exited", kNumber},
                                          {"calls", kNumber},
                                          {"bytes", kNumber},
                                          {"frees", kNumber},
                                          {"temporary_calls", kNumber},
                                          {"peak_bytes", kNumber},
                                          {"peak_blocks", kNumber},
                                          {"peak_time_ns", kNumber},
                                          {"never_freed_bytes", kNumber},
                                          {"never_freed_blocks", kNumber},
                                          {"rss_peak_bytes", kNumber}});
  for (size_t i = 0; i < numbers_.size(); ++i) {
    const LedgerFacts& facts = ledgers_.facts()[i];
    const Totals& totals = facts.totals;
    table.number(numbers_[i])
        .text_or_none(facts.run_id != 0 ? fmt::format("{:x}", facts.run_id) : "");
    table.text_or_none(facts.job).number_or_none(facts.rank.has_value(), facts.rank.value_or(0));
    table.text_or_none(facts.host).number(facts.pid).number(facts.parent_pid);
    table.text(shell_words(facts.command)).text(facts.executable).text_or_none(build_id_of(facts));
    table.text(facts.folder).text(facts.path);
    for (uint64_t value :
         {facts.start_wall_ns, facts.duration_ns, uint64_t{facts.sampled}, uint64_t{facts.complete},
          uint64_t{facts.exited}, totals.calls, totals.bytes, totals.frees, totals.temporary_calls,
          totals.peak_bytes, totals.peak_blocks, totals.peak_time_ns, totals.end_bytes,
          totals.end_blocks, totals.rss_peak_bytes}) {
      table.number(value);
    }
    table.end_row();
  }
  table.finish();
}

void ParquetExport::write_accounts() {
  Columns columns = {{"process", kNumber}, {"site", kNumber}};
  for (const FigureRow& row : figure_catalog()) {
    if (!row.key.empty()) columns.push_back({std::string(row.key), kNumber, true});
  }
  for (const char* name : {"never_freed_bytes", "never_freed_blocks"}) {
    columns.push_back({name, kNumber, true});
  }
  for (const char* name : {"calls_error", "bytes_error", "live_error", "peak_error"}) {
    columns.push_back({name, ParquetType::kReal});
  }
  ParquetTable& table = add("accounts", std::move(columns));

  struct Left {
    uint32_t ledger, site;
    uint64_t bytes, blocks;
  };
  std::vector<Left> left;  // in the order in which the rows below come
  const bool has_end = !request_.question.between;
  if (has_end) {
    Question at_end = request_.question;
    at_end.at = parse_moment("end");
    ledgers_.accounts_by_process(at_end, [&](uint32_t ledger, uint32_t site, const Figures& of) {
      if (of.live_blocks > 0) left.push_back({ledger, site, of.live_bytes, of.live_blocks});
    });
  }
  auto next = left.begin();
  ledgers_.accounts_by_process(request_.question, [&](uint32_t ledger, uint32_t site,
                                                      const Figures& of) {
    sites_.insert(site);
    table.number(numbers_[ledger]).number(site);
    for (const FigureRow& row : figure_catalog()) {
      if (row.key.empty()) continue;
      table.number_or_none(is_known(of, row.measure), value_of(of, row.measure));
    }
    while (next != left.end() && std::pair(next->ledger, next->site) < std::pair(ledger, site)) {
      ++next;
    }
    const bool some = next != left.end() && next->ledger == ledger && next->site == site;
    table.number_or_none(has_end, some ? next->bytes : 0);
    table.number_or_none(has_end, some ? next->blocks : 0);
    table.real(of.calls_error).real(of.bytes_error).real(of.live_error).real(of.peak_error);
    table.end_row();
  });
  table.finish();
}

void ParquetExport::write_stacks() {
  ParquetTable& table = add("stacks", {{"site", kNumber},
                                       {"id", ParquetType::kId},
                                       {"depth", kNumber},
                                       {"function", kText},
                                       {"file", kText, true},
                                       {"line", kNumber, true},
                                       {"module", kText, true},
                                       {"stack", kText}});
  const std::vector<StackHash> ids = stack_hashes(ledgers_.sites());
  for (uint32_t site : sites_) {
    const std::vector<NamedFrame> frames = frames_of(ledgers_, site);
    const NamedFrame blamed = ledgers_.first_interesting_frame(site);
    table.number(site).id(ids[site].bytes()).number(frames.size());
    table.text(blamed.name.empty() ? frames.front().name : blamed.name);
    table.text_or_none(blamed.file).number_or_none(blamed.line != 0, blamed.line);
    table.text_or_none(blamed.module).text(joined_stack(frames, ";")).end_row();
  }
  table.finish();
}

void ParquetExport::write_series() {
  Columns columns;
  for (const char* name :
       {"begin_ns", "end_ns", "min_bytes", "max_bytes", "end_bytes", "min_blocks", "max_blocks",
        "end_blocks", "calls", "bytes", "min_rss", "max_rss", "end_rss"}) {
    columns.push_back({name, kNumber});
  }
  ParquetTable& table = add("series", std::move(columns));
  const Series& series = ledgers_.overview().series;
  uint64_t begin = 0;
  for (const SeriesBucket& bucket : series.buckets) {
    table.number(begin).number(begin + series.width_ns);
    for (uint64_t value : {bucket.min_bytes, bucket.max_bytes, bucket.end_bytes, bucket.min_blocks,
                           bucket.max_blocks, bucket.end_blocks, bucket.calls, bucket.bytes,
                           bucket.min_rss, bucket.max_rss, bucket.end_rss}) {
      table.number(value);
    }
    table.end_row();
    begin += series.width_ns;
  }
  table.finish();
}

void ParquetExport::write_entries() {
  ParquetTable& table = add("entries", {{"process", kNumber},
                                        {"time_ns", kNumber},
                                        {"took_ns", kNumber},
                                        {"tid", kNumber, true},
                                        {"thread", kText, true},
                                        {"what", kText},
                                        {"function", kText},
                                        {"address", kNumber, true},
                                        {"old_address", kNumber, true},
                                        {"size", kNumber},
                                        {"alignment", kNumber},
                                        {"site", kNumber, true},
                                        {"calls", kNumber},
                                        {"bytes", kNumber},
                                        {"heap", kText}});
  const HeapCatalog& heaps = ledgers_.heaps();
  ledgers_.calls(request_.question, [&](const CallFacts& call) {
    const std::vector<ThreadFacts>& threads = ledgers_.facts()[call.ledger].threads;
    table.number(numbers_[call.ledger]).number(call.time_ns).number(call.took_ns);
    if (call.thread < threads.size()) {
      table.number(threads[call.thread].tid).text(threads[call.thread].name);
    } else {
      table.none().none();
    }
    table.text(what_is(call)).text(call.function);
    table.number_or_none(call.address != 0, call.address);
    table.number_or_none(call.old_address != 0, call.old_address);
    table.number(call.size).number(call.alignment).number_or_none(call.has_site, call.site);
    table.number(call.calls).number(call.bytes).text(heaps.at(call.heap).name).end_row();
  });
  table.finish();
}

}  // namespace

void write_parquet(ExportRequest& request, Output&) {
  ParquetExport(request).write();
}

}  // namespace heapledger
