#include "cli/doctor/show.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "text/json_text.h"

namespace heapledger::cli::doctor {
namespace {

constexpr size_t kMarkWidth = 9;
constexpr size_t kNameWidth = 13;
constexpr size_t kIndent = 2 + kMarkWidth + kNameWidth;
constexpr size_t kLeastWidth = 30;

const char* name_of(Mark mark) {
  return mark == Mark::kOk ? "ok" : mark == Mark::kNote ? "note" : "problem";
}

const char* name_of(ModuleSymbols::From from) {
  switch (from) {
    case ModuleSymbols::From::kInside:
      return "inside";
    case ModuleSymbols::From::kSeparate:
      return "separate";
    case ModuleSymbols::From::kSymbols:
      return "symbols";
    case ModuleSymbols::From::kExports:
      return "exports";
    case ModuleSymbols::From::kNowhere:
      break;
  }
  return "none";
}

// Broken at spaces; a word that is too long stays whole, so that a path can be copied.
std::string broken(const std::string& text, size_t width) {
  const std::string indent(kIndent, ' ');
  std::string lines;
  size_t used = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (used > 0 && used + 1 + word.size() > width) {
      lines += "\n" + indent;
      used = 0;
    }
    if (used > 0) lines += ' ';
    used += word.size() + (used > 0 ? 1 : 0);
    lines += word;
    at = end + 1;
  }
  return lines + "\n";
}

std::string line_of(const Check& check, const Style& style, size_t width) {
  const std::string mark = fmt::format("{:<{}}", name_of(check.mark), kMarkWidth);
  const size_t room = std::max(width, kIndent + kLeastWidth) - kIndent;
  std::string text = "  ";
  text += check.mark == Mark::kOk     ? style.dim(mark)
          : check.mark == Mark::kNote ? style.warning(mark)
                                      : style.bold(mark);
  text += fmt::format("{:<{}}", check.name, kNameWidth) + broken(check.text, room);
  if (!check.remedy.empty()) text += std::string(kIndent, ' ') + broken(check.remedy, room);
  return text;
}

std::string verdict(const Diagnosis& diagnosis) {
  const std::string who =
      diagnosis.program_name.empty() ? "Programs" : escaped(diagnosis.program_name);
  const size_t problems = diagnosis.count(Mark::kProblem);
  const size_t notes = diagnosis.count(Mark::kNote);
  std::string text = who + (problems == 0 ? " can be recorded" : " cannot be recorded");
  if (problems > 0) return text + ": " + counted(problems, "problem") + ".";
  if (notes > 0) text += "; " + counted(notes, "thing") + " to know";
  return text + ".";
}

Json checks_json(const std::vector<Check>& checks) {
  Json list = Json::array();
  for (const Check& check : checks) {
    list.push_back({{"mark", name_of(check.mark)},
                    {"name", check.name},
                    {"text", as_utf8(check.text)},
                    {"remedy", as_utf8(check.remedy)}});
  }
  return list;
}

Json modules_json(const std::vector<ModuleSymbols>& modules) {
  Json list = Json::array();
  for (const ModuleSymbols& module : modules) {
    list.push_back({{"name", as_utf8(module.name)},
                    {"path", as_utf8(module.path)},
                    {"debug", name_of(module.from)},
                    {"debug_file", as_utf8(module.debug_file)}});
  }
  return list;
}

// A hundredth of a nanosecond is more than can be measured.
double rounded(double ns) {
  return std::round(ns * 1000) / 1000;
}

}  // namespace

std::string doctor_text(const Diagnosis& diagnosis, const Style& style, size_t width) {
  if (!diagnosis.installation.empty()) {
    std::string text = style.bold("This installation") + "\n";
    for (const Check& check : diagnosis.installation) text += line_of(check, style, width);
    return text;
  }
  std::string text = style.bold(verdict(diagnosis)) + "\n";
  if (!diagnosis.program.empty()) {
    text += "\n" + style.bold("The program") + "\n";
    for (const Check& check : diagnosis.program) text += line_of(check, style, width);
  }
  text += "\n" + style.bold("This machine") + "\n";
  for (const Check& check : diagnosis.machine) text += line_of(check, style, width);
  if (!diagnosis.program.empty()) return text;
  text += "\n" + style.bold("Pools that heapledger run --no-pools switches off") + "\n";
  for (const run::Pool& pool : run::kPools) {
    text += fmt::format("  {}={}: {}{}\n", pool.variable, pool.value, pool.name,
                        pool.remark.empty() ? "" : fmt::format(" ({})", pool.remark));
  }
  return text;
}

std::string doctor_json(const Diagnosis& diagnosis) {
  Json json;
  json["schema"] = "heapledger.doctor/1";
  json["recordable"] = diagnosis.recordable();
  json["program"] = as_utf8(diagnosis.program_name);
  json["executable"] = as_utf8(diagnosis.executable);
  json["installation_checks"] = checks_json(diagnosis.installation);
  json["program_checks"] = checks_json(diagnosis.program);
  json["machine_checks"] = checks_json(diagnosis.machine);
  json["modules"] = modules_json(diagnosis.modules);
  Json pools = Json::array();
  for (const run::Pool* pool : diagnosis.pools) {
    pools.push_back({{"pool", pool->name}, {"variable", pool->variable}, {"value", pool->value}});
  }
  json["pools"] = std::move(pools);
  json["clock"] = {{"steady", diagnosis.clock.steady},
                   {"ns_per_tick", rounded(diagnosis.clock.ns_per_tick)},
                   {"ns_per_reading", rounded(diagnosis.clock.ns_per_reading)},
                   {"ns_per_kernel_reading", rounded(diagnosis.clock.ns_per_kernel_reading)}};
  return json_line(json);
}

}  // namespace heapledger::cli::doctor
