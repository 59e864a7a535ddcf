// The two tables that tsv, csv and json can be of: a row for each site, or one for each call.
#pragma once

#include "exporters/exporter.h"
#include "exporters/table_writer.h"

namespace heapledger {

void write_account_table(ExportRequest& request, TableForm form, Output& output);
void write_entry_table(ExportRequest& request, TableForm form, Output& output);

// For JSON: which table it is, and of what.
std::string about_table(ExportRequest& request, std::string_view schema);

// "allocate", "resize" or "free". A resize of a block that was not sampled is an allocation.
const char* what_is(const CallFacts& call);

}  // namespace heapledger
