#include "exporters/tables.h"

#include <heapledger.h>

#include "exporters/formats.h"
#include "text/json_text.h"
#include "text/text.h"

namespace heapledger {
namespace {

Json process_about(const LedgerFacts& facts) {
  Json json;
  json["path"] = as_utf8(facts.path);
  json["pid"] = facts.pid;
  json["parent_pid"] = facts.parent_pid;
  json["host"] = as_utf8(facts.host);
  json["rank"] = facts.rank ? Json(*facts.rank) : Json(nullptr);
  json["job"] = facts.job.empty() ? Json(nullptr) : Json(as_utf8(facts.job));
  json["command"] = Json::array();
  for (const std::string& word : facts.command) json["command"].push_back(as_utf8(word));
  json["start_wall_ns"] = facts.start_wall_ns;
  json["duration_ns"] = facts.duration_ns;
  json["sampled"] = facts.sampled;
  json["complete"] = facts.complete;
  return json;
}

void write_table(ExportRequest& request, TableForm form, Output& output) {
  if (request.entries) return write_entry_table(request, form, output);
  write_account_table(request, form, output);
}

}  // namespace

std::string about_table(ExportRequest& request, std::string_view schema) {
  Json json;
  json["schema"] = schema;
  json["version"] = HEAPLEDGER_VERSION;
  json["ledgers"] = Json::array();
  for (const LedgerFacts& facts : request.ledgers.facts()) {
    json["ledgers"].push_back(process_about(facts));
  }
  const Question& question = request.question;
  json["between"] = nullptr;
  if (question.between) {
    json["between"] = {as_utf8(to_text(question.between->first)),
                       as_utf8(to_text(question.between->second))};
  } else if (!request.entries) {
    json["at"] = as_utf8(to_text(question.at));
  }
  std::string text = json_line(json);
  return text.substr(1, text.size() - 2);
}

const char* what_is(const CallFacts& call) {
  if (!call.allocates) return "free";
  return call.old_address != 0 ? "resize" : "allocate";
}

void write_tsv(ExportRequest& request, Output& output) {
  write_table(request, TableForm::kTsv, output);
}

void write_csv(ExportRequest& request, Output& output) {
  write_table(request, TableForm::kCsv, output);
}

void write_json(ExportRequest& request, Output& output) {
  write_table(request, TableForm::kJson, output);
}

}  // namespace heapledger
