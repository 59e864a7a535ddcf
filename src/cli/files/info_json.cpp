#include "cli/files/info_json.h"

#include <fmt/format.h>

#include <string>

#include "analyzer/own_threads.h"
#include "cli/files/info_text.h"
#include "cli/pages/json_parts.h"
#include "cli/pages/unrecorded_text.h"
#include "cli/shared/unseen_calls.h"
#include "settings/settings.h"
#include "text/json_text.h"
#include "text/text.h"

namespace heapledger::cli::files {
namespace {

Json threads_json(const LedgerFacts& ledger) {
  Json list = Json::array();
  for (const ThreadFacts& thread : ledger.threads) {
    list.push_back(Json{{"index", number_of(thread)},
                        {"tid", thread.tid},
                        {"name", as_utf8(thread.name)},
                        {"inherited", is_inherited(thread)}});
  }
  return list;
}

Json modules_json(const LedgerFacts& ledger) {
  Json list = Json::array();
  for (const ModuleFacts& module : ledger.modules) {
    list.push_back(Json{{"id", module.id},
                        {"epoch", module.epoch},
                        {"start", module.start},
                        {"end", module.end},
                        {"bias", module.bias},
                        {"build_id", hex_digits(module.build_id)},
                        {"path", as_utf8(module.path)},
                        {"unloaded", module.unloaded}});
  }
  return list;
}

Json markers_json(const LedgerFacts& ledger) {
  Json list = Json::array();
  for (const MarkerFacts& marker : ledger.markers) {
    list.push_back(Json{{"text", as_utf8(marker.text)}, {"time_ns", marker.time_ns}});
  }
  return list;
}

Json kinds_json(const LedgerFacts& ledger) {
  Json kinds = Json::object();
  for (unsigned kind = 0; kind < ledger.entries_by_kind.size(); ++kind) {
    if (ledger.entries_by_kind[kind] == 0) continue;
    const std::string name = kind_name(kind);
    kinds[name.empty() ? fmt::format("kind {}", kind) : name] = ledger.entries_by_kind[kind];
  }
  return kinds;
}

Json ledger_json(const LedgerFacts& ledger) {
  Json json;
  json["path"] = as_utf8(ledger.path);
  json["command"] = Json::array();
  for (const std::string& argument : ledger.command) json["command"].push_back(as_utf8(argument));
  json["executable"] = as_utf8(ledger.executable);
  json["folder"] = as_utf8(ledger.folder);
  json["pid"] = ledger.pid;
  json["parent_pid"] = ledger.parent_pid;
  json["origin"] = ledger.origin == format::Origin::kForked ? "forked" : "started";
  json["parent_ledger"] = as_utf8(ledger.parent_ledger);
  json["run"] = fmt::format("{:x}", ledger.run_id);
  json["host"] = as_utf8(ledger.host);
  json["rank"] = ledger.rank ? Json(*ledger.rank) : Json(nullptr);
  json["job"] = ledger.job.empty() ? Json(nullptr) : Json(as_utf8(ledger.job));
  json["machine"] = machine_name(ledger.machine);
  json["page_bytes"] = ledger.page_bytes;
  json["runtime"] = as_utf8(ledger.runtime);
  json["allocator"] = as_utf8(ledger.allocator);
  json["mode"] = settings::mode_name(static_cast<settings::Mode>(ledger.mode));
  json["start"] = iso_time(ledger.start_wall_ns);
  json["start_ns"] = ledger.start_wall_ns;
  json["duration_ns"] = ledger.duration_ns;
  json["exited"] = ledger.exited;
  json["still_running"] = ledger.still_running;
  json["stacks_checked"] = ledger.stacks_checked;
  json["stacks_differing"] = ledger.stacks_differing;
  json["ns_per_tick"] = ledger.ns_per_tick;
  json["time_shift"] = ledger.time_shift;
  json["calibrated"] = ledger.calibrated;
  json["format"] = ledger.version;
  json["file_bytes"] = ledger.file_bytes;
  json["sealed"] = ledger.sealed;
  json["windows"] = ledger.windows;
  json["chunks"] = ledger.chunks;
  json["holes"] = ledger.holes;
  json["entries"] = ledger.entries;
  json["bytes_per_entry"] =
      ledger.entries == 0
          ? Json(nullptr)
          : Json(static_cast<double>(ledger.file_bytes) / static_cast<double>(ledger.entries));
  json["entries_by_kind"] = kinds_json(ledger);
  json["complete"] = ledger.complete;
  json["stopped"] = ledger.stopped ? Json(*ledger.stopped) : Json(nullptr);
  json["unwatched"] = ledger.unwatched ? Json(*ledger.unwatched) : Json(nullptr);
  json["unseen"] = ledger.unseen ? Json(unseen_calls(ledger)) : Json(nullptr);
  json["missed"] = ledger.totals.missed;
  json["gaps"] = ledger.gaps;
  json["gap_ns"] = ledger.gap_ns;
  json["markers"] = markers_json(ledger);
  json["heaps"] = Json::array();
  for (const std::string& heap : ledger.heaps) json["heaps"].push_back(as_utf8(heap));
  json["problems"] = ledger.problems;
  json["unrecorded"] = unrecorded_json(ledger.unrecorded);
  json["inherited_blocks"] = ledger.inherited_blocks;
  json["inherited_bytes"] = ledger.inherited_bytes;
  json["parent_found"] = ledger.parent_found;
  json["threads"] = threads_json(ledger);
  json["modules"] = modules_json(ledger);
  return json;
}

}  // namespace

void write_info_json(std::FILE* to, const std::vector<LedgerFacts>& ledgers) {
  std::string text = "{\n\"schema\": \"heapledger.info/2\",\n\"ledgers\": [";
  for (size_t i = 0; i < ledgers.size(); ++i) {
    text += (i == 0 ? "\n" : ",\n") + json_line(ledger_json(ledgers[i]));
    std::fwrite(text.data(), 1, text.size(), to);
    text.clear();
  }
  std::fputs("\n]\n}\n", to);
}

}  // namespace heapledger::cli::files
