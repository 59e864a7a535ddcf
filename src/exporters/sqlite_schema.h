// The tables and views of an exported database. docs/exports.md describes them; a change that an
// old query would notice is a new version.
#pragma once

#include <string>

namespace heapledger {

inline constexpr const char* kSqliteSchema = "heapledger.export.sqlite/3";

extern const char* const kSqliteTables;
std::string sqlite_classes();             // those of sizes and lifetimes
std::string sqlite_accounts();            // a column for every figure
extern const char* const kSqliteEntries;  // the one that is only there on request
extern const char* const kSqliteViews;

}  // namespace heapledger
