#include "exporters/sqlite_schema.h"

#include <algorithm>

#include "analyzer/query/classes.h"
#include "analyzer/query/figures.h"

namespace heapledger {

// Rows are appended in the order of their keys, so that no index has to be sorted.
const char* const kSqliteTables = R"(
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;

CREATE TABLE ledgers(
  ledger INTEGER PRIMARY KEY,
  path TEXT, pid INTEGER, parent_pid INTEGER, command TEXT, executable TEXT, folder TEXT,
  host TEXT, start_wall_ns INTEGER, duration_ns INTEGER, sampled INTEGER, complete INTEGER,
  calls INTEGER, bytes INTEGER, frees INTEGER, temporary_calls INTEGER, peak_bytes INTEGER,
  peak_blocks INTEGER, peak_time_ns INTEGER, never_freed_bytes INTEGER,
  never_freed_blocks INTEGER, rss_peak_bytes INTEGER, rank INTEGER, job TEXT);

CREATE TABLE threads(
  thread INTEGER PRIMARY KEY,
  ledger INTEGER REFERENCES ledgers, tid INTEGER, name TEXT);

CREATE TABLE modules(module INTEGER PRIMARY KEY, path TEXT, build_id TEXT);

CREATE TABLE functions(function INTEGER PRIMARY KEY, name TEXT);

CREATE TABLE frames(
  frame INTEGER PRIMARY KEY,
  function INTEGER REFERENCES functions, file TEXT, line INTEGER,
  module INTEGER REFERENCES modules, offset INTEGER, pc INTEGER, inlined INTEGER,
  wrapper INTEGER);

CREATE TABLE sites(
  site INTEGER PRIMARY KEY,
  frame INTEGER REFERENCES frames, depth INTEGER);

CREATE TABLE stack(
  site INTEGER REFERENCES sites, depth INTEGER, frame INTEGER REFERENCES frames,
  PRIMARY KEY(site, depth)) WITHOUT ROWID;

CREATE TABLE blocks(
  block INTEGER PRIMARY KEY,
  ledger INTEGER REFERENCES ledgers, address INTEGER, size INTEGER,
  site INTEGER REFERENCES sites, thread INTEGER REFERENCES threads, born_ns INTEGER,
  ended_ns INTEGER, ending TEXT, ended_by INTEGER REFERENCES threads, temporary INTEGER,
  calls INTEGER, bytes INTEGER);

CREATE TABLE series(
  bucket INTEGER PRIMARY KEY,
  begin_ns INTEGER, end_ns INTEGER, min_bytes INTEGER, max_bytes INTEGER, end_bytes INTEGER,
  min_blocks INTEGER, max_blocks INTEGER, end_blocks INTEGER, calls INTEGER, bytes INTEGER,
  min_rss INTEGER, max_rss INTEGER, end_rss INTEGER);

CREATE TABLE markers(
  marker INTEGER PRIMARY KEY,
  time_ns INTEGER, text TEXT, ledger INTEGER REFERENCES ledgers);
)";

namespace {

// The database's numbers end where those with a sign do.
std::string classes_table(const char* name, uint32_t count, ClassBounds (*bounds_of)(uint32_t)) {
  std::string table =
      "CREATE TABLE " + std::string(name) + "(low INTEGER PRIMARY KEY, high INTEGER);\n";
  for (uint32_t i = 0; i < count; ++i) {
    const ClassBounds bounds = bounds_of(i);
    if (bounds.from > INT64_MAX) break;
    table += "INSERT INTO " + std::string(name) + " VALUES(" + std::to_string(bounds.from) + ", " +
             std::to_string(std::min<uint64_t>(bounds.below, INT64_MAX)) + ");\n";
  }
  return table;
}

}  // namespace

std::string sqlite_classes() {
  return classes_table("size_classes", kSizeClassCount, bounds_of_size_class) +
         classes_table("lifetime_classes", kLifetimeClassCount, bounds_of_lifetime_class);
}

std::string sqlite_accounts() {
  std::string table = "CREATE TABLE accounts(site INTEGER PRIMARY KEY REFERENCES sites";
  for (const FigureRow& row : figure_catalog()) {
    if (!row.key.empty()) table += ", " + std::string(row.key) + " INTEGER";
  }
  return table +
         ", never_freed_bytes INTEGER, never_freed_blocks INTEGER, calls_error REAL,"
         " bytes_error REAL, live_error REAL);\n";
}

const char* const kSqliteEntries = R"(
CREATE TABLE entries(
  entry INTEGER PRIMARY KEY,
  time_ns INTEGER, took_ns INTEGER, ledger INTEGER REFERENCES ledgers,
  thread INTEGER REFERENCES threads, what TEXT, function TEXT, address INTEGER,
  old_address INTEGER, size INTEGER, alignment INTEGER, site INTEGER REFERENCES sites,
  calls INTEGER, bytes INTEGER, heap TEXT);
)";

}  // namespace heapledger
