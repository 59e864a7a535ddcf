#include <heapledger.h>

#include <algorithm>

#include "cli/fleet/show.h"
#include "text/json_text.h"
#include "text/text.h"

namespace heapledger::cli::fleet {
namespace {

Json holders_json(const std::vector<Holder>& holders) {
  Json list = Json::array();
  for (const Holder& holder : holders) {
    list.push_back(Json{{"process", holder.process}, {"value", holder.value}});
  }
  return list;
}

void put_statistics(Json& json, const Statistics& statistics, uint64_t processes) {
  const Spread spread = statistics.of(processes);
  json["processes"] = spread.processes;
  json["total"] = spread.total;
  json["least"] = spread.least;
  json["most"] = spread.most;
  json["mean"] = spread.mean;
  json["deviation"] = spread.deviation;
  json["median"] = spread.median;
  json["mad"] = spread.mad;
  json["imbalance"] = spread.imbalance;
  json["outliers"] = spread.outliers;
  json["with_most"] = holders_json(statistics.most());
  json["with_least"] = holders_json(statistics.least());
}

Json process_json(const Process& process) {
  Json json;
  json["path"] = as_utf8(process.path);
  json["trouble"] = process.trouble.empty() ? Json(nullptr) : Json(as_utf8(process.trouble));
  json["read"] = process.was_read;
  if (!process.was_read) return json;
  json["program"] = as_utf8(process.program);
  json["host"] = as_utf8(process.host);
  json["job"] = process.job.empty() ? Json(nullptr) : Json(as_utf8(process.job));
  json["rank"] = process.rank ? Json(*process.rank) : Json(nullptr);
  json["pid"] = process.pid;
  json["exited"] = process.ended;
  json["calls"] = process.totals.calls;
  json["bytes"] = process.totals.bytes;
  json["peak_bytes"] = process.totals.peak_bytes;
  json["end_bytes"] = process.totals.end_bytes;
  json["rss_peak_bytes"] = process.totals.rss_peak_bytes;
  return json;
}

std::string csv_text(const std::string& text) {
  std::string cell = as_utf8(text);
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  for (size_t at = 0; (at = cell.find('"', at)) != std::string::npos; at += 2)
    cell.insert(at, 1, '"');
  return '"' + cell + '"';
}

}  // namespace

std::string fleet_json(const Fleet& fleet, const Question& question, size_t top) {
  Json json;
  json["schema"] = "heapledger.fleet/1";
  json["version"] = HEAPLEDGER_VERSION;
  json["by"] = name_of(question.by);
  json["measure"] = name_of(question.sort);
  json["program"] = as_utf8(fleet.program);
  json["missing"] = missing_ranks(fleet);
  json["counted"] = fleet.counted;
  put_statistics(json["all"], fleet.all, fleet.counted.size());
  json["processes"] = Json::array();
  for (const Process& process : fleet.processes) json["processes"].push_back(process_json(process));
  json["group_count"] = fleet.groups.size();
  json["groups"] = Json::array();
  for (size_t i = 0; i < std::min(top, fleet.groups.size()); ++i) {
    const Group& group = fleet.groups[i];
    Json one;
    one["name"] = as_utf8(group.name);
    if (!group.id.empty()) one["id"] = group.id;
    one["function"] = as_utf8(group.function);
    one["file"] = group.file.empty() ? Json(nullptr) : Json(as_utf8(group.file));
    one["line"] = group.line > 0 ? Json(group.line) : Json(nullptr);
    put_statistics(one, group.statistics, fleet.counted.size());
    json["groups"].push_back(std::move(one));
  }
  return json_line(json) + "\n";
}

std::string fleet_csv(const Fleet& fleet, size_t top) {
  std::string text =
      "name,function,file,line,processes,total,least,most,mean,deviation,median,mad,imbalance,"
      "outliers,process_with_most\r\n";
  for (size_t i = 0; i < std::min(top, fleet.groups.size()); ++i) {
    const Group& group = fleet.groups[i];
    const Spread spread = group.statistics.of(fleet.counted.size());
    const Holder& most = group.statistics.most().front();
    text += fmt::format("{},{},{},{},{},{},{},{},{:.3f},{:.3f},{},{},{:.6f},{},{}\r\n",
                        csv_text(group.name), csv_text(group.function), csv_text(group.file),
                        group.line > 0 ? std::to_string(group.line) : "", spread.processes,
                        spread.total, spread.least, spread.most, spread.mean, spread.deviation,
                        spread.median, spread.mad, spread.imbalance, spread.outliers,
                        csv_text(label_of(fleet.processes[most.process])));
  }
  return text;
}

}  // namespace heapledger::cli::fleet
