// One row for each site: its account, the frame to blame, and its stack.
#include <tsl/robin_map.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exporters/accounts.h"
#include "exporters/stacks.h"
#include "exporters/tables.h"
#include "text/json_text.h"
#include "text/text.h"

namespace heapledger {
namespace {

// The site, all figures, what is never freed, their errors, and where it is.
std::vector<std::string_view> account_columns() {
  std::vector<std::string_view> columns = {"site"};
  for (const FigureRow& row : figure_catalog()) {
    if (!row.key.empty()) columns.push_back(row.key);
  }
  for (std::string_view name :
       {"never_freed_bytes", "never_freed_blocks", "calls_error", "bytes_error", "live_error",
        "peak_error", "function", "file", "line", "module", "stack"}) {
    columns.push_back(name);
  }
  return columns;
}

void write_figures(const Figures& figures, const Unfreed* unfreed, TableWriter& table) {
  for (const FigureRow& row : figure_catalog()) {
    if (row.key.empty()) continue;
    is_known(figures, row.measure) ? table.number(value_of(figures, row.measure)) : table.none();
  }
  unfreed != nullptr ? table.number(unfreed->bytes) : table.none();
  unfreed != nullptr ? table.number(unfreed->blocks) : table.none();
  table.real(figures.calls_error);
  table.real(figures.bytes_error);
  table.real(figures.live_error);
  table.real(figures.peak_error);
}

void write_name_or_none(const std::string& name, TableWriter& table) {
  name.empty() ? table.none() : table.text(name);
}

Json frames_json(const std::vector<NamedFrame>& frames) {
  Json list = Json::array();
  for (const NamedFrame& frame : frames) {
    Json json;
    json["name"] = as_utf8(frame.name);
    json["file"] = frame.file.empty() ? Json(nullptr) : Json(as_utf8(frame.file));
    json["line"] = frame.line == 0 ? Json(nullptr) : Json(frame.line);
    json["inlined"] = frame.inlined;
    json["module"] = frame.module.empty() ? Json(nullptr) : Json(as_utf8(frame.module));
    json["offset"] = frame.offset;
    list.push_back(std::move(json));
  }
  return list;
}

void write_place(ExportRequest& request, const ExportedStack& stack, TableWriter& table) {
  NamedFrame blamed = request.ledgers.first_interesting_frame(stack.site);
  table.text(blamed.name.empty() ? stack.frames.front().name : blamed.name);
  write_name_or_none(blamed.file, table);
  blamed.line == 0 ? table.none() : table.number(blamed.line);
  write_name_or_none(blamed.module, table);
  if (table.form() == TableForm::kJson) {
    table.prepared(json_line(frames_json(stack.frames)));
  } else {
    table.text(joined_stack(stack.frames, request.separator));
  }
}

}  // namespace

void write_account_table(ExportRequest& request, TableForm form, Output& output) {
  const std::vector<std::string_view> columns = account_columns();
  TableWriter table(form, output, columns);
  table.begin(about_table(request, "heapledger.export.accounts/2"));
  const UnfreedBySite unfreed(request, Suppressions());
  for_each_stack(request, [&](const ExportedStack& stack) {
    table.number(stack.site);
    write_figures(stack.figures, unfreed.of(stack.site), table);
    write_place(request, stack, table);
    table.end_row();
  });
  table.end();
}

}  // namespace heapledger
