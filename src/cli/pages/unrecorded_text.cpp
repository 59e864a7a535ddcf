#include "cli/pages/unrecorded_text.h"

#include <cstring>
#include <set>

#include "text/text.h"

namespace heapledger::cli {
namespace {

constexpr size_t kMaxNames = 8;

std::string names_in(const std::vector<UnrecordedGroup>& groups) {
  std::set<std::string> names;
  for (const UnrecordedGroup& group : groups) {
    for (const UnrecordedProgram& program : group.programs) {
      if (!program.name.empty()) names.insert(escaped(program.name));
    }
  }
  std::string text;
  size_t shown = 0;
  for (const std::string& name : names) {
    if (shown++ == kMaxNames) return text + ", …";
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

// The error that all of a group have, if it is one.
std::string error_in(const UnrecordedGroup& group) {
  uint32_t error = group.programs.empty() ? 0 : group.programs.front().error;
  for (const UnrecordedProgram& program : group.programs) {
    if (program.error != error) return {};
  }
  return error == 0 || error >= 4096 ? ""
                                     : std::string(": ") + std::strerror(static_cast<int>(error));
}

}  // namespace

std::string unrecorded_line(const std::vector<UnrecordedGroup>& groups) {
  std::string text;
  for (const UnrecordedGroup& group : groups) {
    text += (text.empty() ? "" : ", ") + with_commas(group.count) + " " +
            unrecorded_phrase(group.reason) + error_in(group);
  }
  const std::string names = names_in(groups);
  return names.empty() ? text : text + " (" + names + ")";
}

std::string unrecorded_text(const std::vector<UnrecordedGroup>& groups) {
  if (groups.empty()) return {};
  return with_commas(count_unrecorded(groups)) + " could not be: " + unrecorded_line(groups);
}

Json unrecorded_json(const std::vector<UnrecordedGroup>& groups) {
  Json list = Json::array();
  for (const UnrecordedGroup& group : groups) {
    Json one;
    one["reason"] = unrecorded_word(group.reason);
    one["count"] = group.count;
    one["programs"] = Json::array();
    for (const UnrecordedProgram& program : group.programs) {
      one["programs"].push_back(
          Json{{"name", as_utf8(program.name)}, {"pid", program.pid}, {"errno", program.error}});
    }
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace heapledger::cli
