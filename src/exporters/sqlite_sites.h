// Sites in an exported database: their stacks, with every frame, function and module written once,
// and their accounts.
#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <string>
#include <vector>

#include "exporters/accounts.h"
#include "exporters/exporter.h"
#include "exporters/sqlite_database.h"

namespace heapledger {

class SqliteSites {
 public:
  SqliteSites(SqliteDatabase& database, ExportRequest& request, const UnfreedBySite& unfreed);

  // Writes all; returns the figures of all.
  Figures write();

 private:
  void write_modules();
  void write_site(uint32_t site);
  void write_account(uint32_t site, const Figures& figures);
  uint64_t frame_number(const NamedFrame& frame);
  uint64_t function_number(const std::string& name);

  ExportRequest& request_;
  const UnfreedBySite& unfreed_;
  SqliteRows modules_;
  SqliteRows functions_;
  SqliteRows frames_;
  SqliteRows sites_;
  SqliteRows stacks_;
  SqliteRows accounts_;
  tsl::robin_map<std::string, uint64_t> module_numbers_;  // by path
  tsl::robin_map<std::string, uint64_t> function_numbers_;
  tsl::robin_map<std::string, uint64_t> frame_numbers_;
};

}  // namespace heapledger
