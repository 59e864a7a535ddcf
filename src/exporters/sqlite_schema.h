// The tables and views of an exported database. docs/exports.md describes them; a change that an
// old query would notice is a new version.
#pragma once

namespace heapledger {

inline constexpr const char* kSqliteSchema = "heapledger.export.sqlite/1";

extern const char* const kSqliteTables;
extern const char* const kSqliteEntries;  // the one that is only there on request
extern const char* const kSqliteViews;

}  // namespace heapledger
