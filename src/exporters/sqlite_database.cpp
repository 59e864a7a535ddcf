#include "exporters/sqlite_database.h"

#include <sqlite3.h>

#include <algorithm>
#include <utility>

#include "analyzer/error.h"
#include "text/text.h"

namespace heapledger {

SqliteDatabase::SqliteDatabase(const std::string& path) {
  int result = sqlite3_open_v2(path.c_str(), &handle_, SQLITE_OPEN_READWRITE, nullptr);
  if (result != SQLITE_OK) {
    std::string why = handle_ == nullptr ? sqlite3_errstr(result) : sqlite3_errmsg(handle_);
    sqlite3_close(std::exchange(handle_, nullptr));
    throw Error("cannot write the database: " + why, ErrorKind::kSystem);
  }
  run("PRAGMA page_size = 16384");
  run("PRAGMA journal_mode = OFF");
  run("PRAGMA synchronous = OFF");
  run("PRAGMA locking_mode = EXCLUSIVE");
  run("PRAGMA cache_size = -16384");
  run("BEGIN");
}

SqliteDatabase::~SqliteDatabase() {
  sqlite3_close(handle_);
}

void SqliteDatabase::run(const char* sql) {
  if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

void SqliteDatabase::close() {
  run("COMMIT");
  if (sqlite3_close(handle_) != SQLITE_OK) fail();
  handle_ = nullptr;
}

void SqliteDatabase::fail() const {
  throw Error(std::string("cannot write the database: ") + sqlite3_errmsg(handle_),
              ErrorKind::kSystem);
}

SqliteRows::SqliteRows(SqliteDatabase& database, const std::string& table, int columns)
    : database_(database), columns_(columns) {
  std::string sql = "INSERT INTO " + table + " VALUES(?";
  for (int i = 1; i < columns; ++i) sql += ",?";
  sql += ")";
  check(sqlite3_prepare_v3(database.handle_, sql.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &insert_,
                           nullptr));
}

SqliteRows::~SqliteRows() {
  sqlite3_finalize(insert_);
}

SqliteRows& SqliteRows::number(uint64_t value) {
  return bits(std::min<uint64_t>(value, INT64_MAX));
}

SqliteRows& SqliteRows::bits(uint64_t value) {
  check(sqlite3_bind_int64(insert_, ++column_, static_cast<sqlite3_int64>(value)));
  return *this;
}

SqliteRows& SqliteRows::real(double value) {
  check(sqlite3_bind_double(insert_, ++column_, value));
  return *this;
}

SqliteRows& SqliteRows::text(std::string_view value) {
  std::string valid = as_utf8(value);
  for (size_t at = 0; (at = valid.find('\0', at)) != std::string::npos;) {
    valid.replace(at, 1, "\\x00");
  }
  check(sqlite3_bind_text64(insert_, ++column_, valid.data(), valid.size(), SQLITE_TRANSIENT,
                            SQLITE_UTF8));
  return *this;
}

SqliteRows& SqliteRows::word(const char* value) {
  check(sqlite3_bind_text(insert_, ++column_, value, -1, SQLITE_STATIC));
  return *this;
}

SqliteRows& SqliteRows::none() {
  check(sqlite3_bind_null(insert_, ++column_));
  return *this;
}

void SqliteRows::add() {
  if (column_ != columns_ || sqlite3_step(insert_) != SQLITE_DONE) database_.fail();
  check(sqlite3_reset(insert_));
  column_ = 0;
}

void SqliteRows::check(int result) const {
  if (result != SQLITE_OK) database_.fail();
}

}  // namespace heapledger
