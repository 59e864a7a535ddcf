// A new SQLite file, written in one go: no journal and no waiting for the disk, because the file
// is of no use before it is complete anyway. Failures throw Error with SQLite's own words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace heapledger {

class SqliteDatabase {
 public:
  // An empty file, which is there already.
  explicit SqliteDatabase(const std::string& path);
  ~SqliteDatabase();
  SqliteDatabase(const SqliteDatabase&) = delete;
  SqliteDatabase& operator=(const SqliteDatabase&) = delete;

  void run(const char* sql);

  // All is written out, and the file closed.
  void close();

 private:
  friend class SqliteRows;
  [[noreturn]] void fail() const;

  sqlite3* handle_ = nullptr;
};

// Rows for one table, column by column in the table's order.
class SqliteRows {
 public:
  SqliteRows(SqliteDatabase& database, const std::string& table, int columns);
  ~SqliteRows();
  SqliteRows(const SqliteRows&) = delete;
  SqliteRows& operator=(const SqliteRows&) = delete;

  // What is beyond SQLite's integers, 2^63 and more, is the largest of them.
  SqliteRows& number(uint64_t value);
  // An address: all its bits, as they are.
  SqliteRows& bits(uint64_t value);
  SqliteRows& real(double value);
  // Of bytes that are no UTF-8, and zeros, \xNN. Texts may be used again as soon as this returns.
  SqliteRows& text(std::string_view value);
  // The text is there until the row is added, and needs no such care.
  SqliteRows& word(const char* value);
  SqliteRows& none();
  SqliteRows& number_or_none(bool known, uint64_t value) { return known ? number(value) : none(); }
  SqliteRows& text_or_none(std::string_view value) { return value.empty() ? none() : text(value); }

  // The row is complete.
  void add();

 private:
  void check(int result) const;

  SqliteDatabase& database_;
  sqlite3_stmt* insert_ = nullptr;
  int columns_;
  int column_ = 0;
};

}  // namespace heapledger
