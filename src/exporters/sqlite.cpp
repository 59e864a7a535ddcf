// An SQLite database for questions that nobody has thought of: processes, threads, sites with their
// stacks and accounts, every block, the course of time, and on request every call. Tables are
// written from start to end, so that memory does not grow with what happened.
#include <heapledger.h>

#include <string>
#include <vector>

#include "exporters/accounts.h"
#include "exporters/formats.h"
#include "exporters/sqlite_database.h"
#include "exporters/sqlite_schema.h"
#include "exporters/sqlite_sites.h"
#include "exporters/tables.h"
#include "text/text.h"

namespace heapledger {
namespace {

// Numbers for the threads of all processes, from 1.
class ThreadNumbers {
 public:
  explicit ThreadNumbers(const std::vector<LedgerFacts>& ledgers) {
    for (const LedgerFacts& facts : ledgers)
      firsts_.push_back(firsts_.back() + facts.threads.size());
  }

  void bind(uint32_t ledger, uint64_t place, SqliteRows& rows) const {
    uint64_t number = firsts_[ledger] + place;
    rows.number_or_none(number < firsts_[ledger + 1], number);
  }

 private:
  std::vector<uint64_t> firsts_ = {1};
};

void write_meta(SqliteDatabase& database, ExportRequest& request, const Figures& totals,
                const Unfreed& unfreed) {
  const Overview& overview = request.ledgers.overview();
  const Filter& filter = request.question.filter;
  SqliteRows rows(database, "meta", 2);
  rows.word("schema").word(kSqliteSchema).add();
  rows.word("version").word(HEAPLEDGER_VERSION).add();
  const std::pair<const char*, uint64_t> numbers[] = {
      {"duration_ns", overview.duration_ns},
      {"calls", totals.calls},
      {"bytes", totals.bytes},
      {"frees", totals.frees},
      {"temporary_calls", totals.temporary_calls},
      {"resizes", totals.resizes},
      {"peak_bytes", totals.live_bytes},
      {"peak_blocks", totals.live_blocks},
      {"peak_time_ns", overview.peak_time_ns},
      {"never_freed_bytes", unfreed.bytes},
      {"never_freed_blocks", unfreed.blocks},
      {"rss_peak_bytes", overview.rss_peak_bytes},
      {"rss_peak_time_ns", overview.rss_peak_time_ns},
      {"filtered", filter.on_blocks() || filter.on_stacks() ? 1 : 0},
  };
  for (const auto& [key, value] : numbers) rows.word(key).number(value).add();
}

void write_ledgers(SqliteDatabase& database, const std::vector<LedgerFacts>& ledgers) {
  SqliteRows rows(database, "ledgers", 24);
  uint64_t number = 0;
  for (const LedgerFacts& facts : ledgers) {
    std::string command = shell_words(facts.command);
    const Totals& totals = facts.totals;
    rows.number(++number).text(facts.path).number(facts.pid).number(facts.parent_pid);
    rows.text(command).text(facts.executable).text(facts.folder).text(facts.host);
    for (uint64_t value :
         {facts.start_wall_ns, facts.duration_ns, uint64_t{facts.sampled}, uint64_t{facts.complete},
          totals.calls, totals.bytes, totals.frees, totals.temporary_calls, totals.peak_bytes,
          totals.peak_blocks, totals.peak_time_ns, totals.end_bytes, totals.end_blocks,
          totals.rss_peak_bytes}) {
      rows.number(value);
    }
    rows.number_or_none(facts.rank.has_value(), facts.rank.value_or(0)).text_or_none(facts.job);
    rows.add();
  }
}

void write_threads(SqliteDatabase& database, const std::vector<LedgerFacts>& ledgers) {
  SqliteRows rows(database, "threads", 4);
  uint64_t number = 0;
  uint64_t ledger = 0;
  for (const LedgerFacts& facts : ledgers) {
    ++ledger;
    for (const ThreadFacts& thread : facts.threads) {
      rows.number(++number).number(ledger).number(thread.tid).text(thread.name).add();
    }
  }
}

const char* ending_word(BlockEvent::What what) {
  switch (what) {
    case BlockEvent::What::kFreed:
      return "freed";
    case BlockEvent::What::kResized:
      return "resized";
    case BlockEvent::What::kLost:
      return "lost";
    case BlockEvent::What::kLeft:
    case BlockEvent::What::kBorn:
      break;
  }
  return "never freed";
}

// A block is written when it ends, at the latest with its process: then all is known of it.
void write_blocks(SqliteDatabase& database, ExportRequest& request, const ThreadNumbers& threads) {
  SqliteRows rows(database, "blocks", 13);
  uint64_t number = 0;
  request.ledgers.block_events(request.question, [&](const BlockEvent& event) {
    using What = BlockEvent::What;
    if (event.what == What::kBorn) return;
    rows.number(++number).number(event.ledger + 1).bits(event.address).number(event.size);
    rows.number(event.site);
    threads.bind(event.ledger, event.thread, rows);
    rows.number(event.birth_ns).number(event.time_ns).word(ending_word(event.what));
    if (event.what == What::kFreed || event.what == What::kResized) {
      threads.bind(event.ledger, event.by, rows);
    } else {
      rows.none();
    }
    rows.number(event.temporary).number(event.calls).number(event.bytes).add();
  });
}

void write_entries(SqliteDatabase& database, ExportRequest& request, const ThreadNumbers& threads) {
  database.run(kSqliteEntries);
  SqliteRows rows(database, "entries", 15);
  const HeapCatalog& heaps = request.ledgers.heaps();
  uint64_t number = 0;
  request.ledgers.calls(request.question, [&](const CallFacts& call) {
    rows.number(++number).number(call.time_ns).number(call.took_ns).number(call.ledger + 1);
    threads.bind(call.ledger, call.thread, rows);
    rows.word(what_is(call)).word(call.function);
    for (uint64_t address : {call.address, call.old_address}) {
      address == 0 ? rows.none() : rows.bits(address);
    }
    rows.number(call.size).number(call.alignment).number_or_none(call.has_site, call.site);
    rows.number(call.calls).number(call.bytes).text(heaps.at(call.heap).name).add();
  });
}

void write_course(SqliteDatabase& database, const Overview& overview) {
  SqliteRows series(database, "series", 14);
  uint64_t number = 0;
  for (const SeriesBucket& bucket : overview.series.buckets) {
    uint64_t begin = number * overview.series.width_ns;
    series.number(++number).number(begin).number(begin + overview.series.width_ns);
    for (uint64_t value : {bucket.min_bytes, bucket.max_bytes, bucket.end_bytes, bucket.min_blocks,
                           bucket.max_blocks, bucket.end_blocks, bucket.calls, bucket.bytes,
                           bucket.min_rss, bucket.max_rss, bucket.end_rss}) {
      series.number(value);
    }
    series.add();
  }
  SqliteRows markers(database, "markers", 4);
  number = 0;
  for (const Marker& marker : overview.markers) {
    markers.number(++number).number(marker.time_ns).text(marker.text).number(marker.ledger + 1);
    markers.add();
  }
}

}  // namespace

void write_sqlite(ExportRequest& request, Output& output) {
  const std::vector<LedgerFacts>& facts = request.ledgers.facts();
  const ThreadNumbers threads(facts);
  SqliteDatabase database(output.file_for_others());
  database.run(kSqliteTables);
  database.run(sqlite_classes().c_str());
  database.run(sqlite_accounts().c_str());
  write_ledgers(database, facts);
  write_threads(database, facts);
  // As its blocks are: nothing is suppressed.
  const UnfreedBySite unfreed(request, Suppressions());
  Figures totals = SqliteSites(database, request, unfreed).write();
  write_meta(database, request, totals, unfreed.total());
  write_course(database, request.ledgers.overview());
  write_blocks(database, request, threads);
  if (request.entries) write_entries(database, request, threads);
  database.run(kSqliteViews);
  database.close();
}

}  // namespace heapledger
