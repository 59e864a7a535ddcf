#include "cli/fleet/reduced.h"

#include <heapledger.h>

#include <fstream>
#include <sstream>
#include <string_view>

#include "analyzer/error.h"
#include "analyzer/query/question_json.h"
#include "exporters/output.h"
#include "text/json_text.h"
#include "text/text.h"

namespace heapledger::cli::fleet {
namespace {

constexpr std::string_view kSchema = "heapledger.fleet.reduced/1";

// All that has to be the same for sums to mean something.
std::string about(const FleetQuestion& question) {
  Question asked = question.question;
  asked.top = SIZE_MAX;
  Json json = to_json(asked);
  json["keep"] = question.keep;
  return json_line(json);
}

struct Numbers {
  const char* name;
  uint64_t Totals::*member;
};
constexpr Numbers kTotals[] = {{"calls", &Totals::calls},
                               {"bytes", &Totals::bytes},
                               {"peak_bytes", &Totals::peak_bytes},
                               {"end_bytes", &Totals::end_bytes},
                               {"rss_peak_bytes", &Totals::rss_peak_bytes}};

Json whole_process(const Process& process) {
  Json json;
  json["path"] = as_utf8(process.path);
  json["program"] = as_utf8(process.program);
  json["host"] = as_utf8(process.host);
  json["job"] = as_utf8(process.job);
  json["rank"] = process.rank ? Json(*process.rank) : Json(nullptr);
  json["pid"] = process.pid;
  json["trouble"] = as_utf8(process.trouble);
  json["read"] = process.was_read;
  json["chosen"] = process.was_chosen;
  json["exited"] = process.ended;
  for (const Numbers& one : kTotals) json[one.name] = process.totals.*one.member;
  return json;
}

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {}

  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(path_ + ": " + why, ErrorKind::kData);
  }
  const Json& member(const Json& json, std::string_view name) const {
    const Json* const found = json.find(name);
    if (found == nullptr) refuse("there is no '" + std::string(name) + "' in it");
    return *found;
  }
  std::string text(const Json& json, std::string_view name) const {
    const std::string* const found = member(json, name).text();
    if (found == nullptr) refuse("'" + std::string(name) + "' is no text");
    return *found;
  }
  uint64_t number(const Json& json, std::string_view name) const {
    const std::optional<uint64_t> found = member(json, name).natural();
    if (!found) refuse("'" + std::string(name) + "' is no number");
    return *found;
  }
  bool truth(const Json& json, std::string_view name) const {
    const bool* const found = member(json, name).truth();
    if (found == nullptr) refuse("'" + std::string(name) + "' is neither true nor false");
    return *found;
  }
  const Json& list(const Json& json, std::string_view name) const {
    const Json& found = member(json, name);
    if (!found.is_array()) refuse("'" + std::string(name) + "' is no list");
    return found;
  }
  // The numbers of processes in it are places in their list.
  Statistics statistics(const Json& json, std::string_view name, size_t processes) const {
    Statistics found;
    if (!found.read(member(json, name))) refuse("'" + std::string(name) + "' is broken");
    for (const std::vector<Holder>* holders : {&found.most(), &found.least()}) {
      for (const Holder& holder : *holders) {
        if (holder.process >= processes) refuse("it names processes that are not there");
      }
    }
    return found;
  }

  Process process(const Json& json) const {
    Process process;
    process.path = text(json, "path");
    process.program = text(json, "program");
    process.host = text(json, "host");
    process.job = text(json, "job");
    if (!member(json, "rank").is_null()) process.rank = number(json, "rank");
    process.pid = static_cast<uint32_t>(number(json, "pid"));
    process.trouble = text(json, "trouble");
    process.was_read = truth(json, "read");
    process.was_chosen = truth(json, "chosen");
    process.ended = truth(json, "exited");
    for (const Numbers& one : kTotals) process.totals.*one.member = number(json, one.name);
    return process;
  }

 private:
  const std::string& path_;
};

}  // namespace

bool is_reduced(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string start(64, '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  return start.find(kSchema) != std::string::npos && start.starts_with('{');
}

Gathered read_reduced(const std::string& path, const FleetQuestion& question) {
  const Reader reader(path);
  std::stringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  Json json;
  std::string why;
  if (!read_json(content.str(), json, why)) reader.refuse(why);
  if (reader.text(json, "question") != about(question)) {
    throw Error(path +
                    " was reduced with another --by, --sort, --filter, --keep or moment: give the "
                    "same here",
                ErrorKind::kQuestion);
  }
  Gathered gathered;
  for (const Json& one : reader.list(json, "processes")) {
    gathered.processes.push_back(reader.process(one));
  }
  const size_t count = gathered.processes.size();
  for (const Json& one : reader.list(json, "programs")) {
    ProgramGroups& groups =
        gathered.programs[{reader.truth(one, "ranked"), reader.text(one, "program")}];
    groups.add_all(reader.statistics(one, "all", count));
    for (const Json& group : reader.list(one, "groups")) {
      groups.add({reader.text(group, "name"), reader.text(group, "id"),
                  reader.text(group, "function"), reader.text(group, "file"),
                  static_cast<uint32_t>(reader.number(group, "line")),
                  reader.statistics(group, "figures", count)});
    }
  }
  return gathered;
}

void write_reduced(const Gathered& gathered, const FleetQuestion& question,
                   const std::string& path) {
  Json json;
  json["schema"] = kSchema;
  json["version"] = HEAPLEDGER_VERSION;
  json["question"] = about(question);
  json["processes"] = Json::array();
  for (const Process& process : gathered.processes)
    json["processes"].push_back(whole_process(process));
  json["programs"] = Json::array();
  for (const auto& [kind, groups] : gathered.programs) {
    Json program;
    program["ranked"] = kind.first;
    program["program"] = as_utf8(kind.second);
    program["all"] = groups.all().to_json();
    program["groups"] = Json::array();
    for (const Group& group : groups.groups()) {
      Json one;
      one["name"] = as_utf8(group.name);
      one["id"] = group.id;
      one["function"] = as_utf8(group.function);
      one["file"] = as_utf8(group.file);
      one["line"] = group.line;
      one["figures"] = group.statistics.to_json();
      program["groups"].push_back(std::move(one));
    }
    json["programs"].push_back(std::move(program));
  }
  Output output(path);
  output.write(json_line(json) + "\n");
  output.finish();
}

}  // namespace heapledger::cli::fleet
