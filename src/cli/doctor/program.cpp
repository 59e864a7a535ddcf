// The program's side of the diagnosis.
#include <limits.h>
#include <stdlib.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <memory>

#include "cli/doctor/checks.h"
#include "cli/doctor/libraries.h"
#include "cli/doctor/symbols.h"
#include "cli/program_check/path.h"
#include "cli/program_check/program_check.h"
#include "text/text.h"

namespace heapledger::cli::doctor {
namespace {

constexpr size_t kMostNamed = 4;
constexpr int kGlibWithoutSlices = 7600;  // 2.76, as in libglib-2.0.so.0.7600.0

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), ::free);
  return real ? real.get() : path;
}

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMostNamed); ++i) {
    text += (i == 0 ? "" : ", ") + escaped(names[i]);
  }
  if (names.size() > kMostNamed) {
    text += " and " + with_commas(names.size() - kMostNamed) + " more";
  }
  return text;
}

Check check_found(const std::string& command, const program_check::ProgramCheck& check) {
  const program_check::FoundProgram found =
      program_check::find_program(command, std::getenv("PATH"));
  std::string text = escaped(found.path.empty() ? command : found.path);
  if (!check.executable.empty() && check.executable != found.path) {
    text += ", a script run by " + escaped(check.executable);
  }
  return {Mark::kOk, "program", text, ""};
}

void add_findings(const program_check::ProgramCheck& check, std::vector<Check>& checks) {
  for (const program_check::ProgramFinding& finding : check.findings) {
    checks.push_back({finding.refuses ? Mark::kProblem : Mark::kNote, "recording",
                      printable(finding.text), printable(finding.remedy)});
  }
}

// A linked program that is like us in machine and C library.
Check check_linking(const LoadedModule& program, size_t libraries) {
  std::string text = "dynamically linked with " + counted(libraries, "library");
  if (program.image.loader) text += ", loaded by " + escaped(*program.image.loader) + " (glibc)";
  return {Mark::kOk, "linking", text, ""};
}

void check_missing(const std::vector<LoadedModule>& modules, std::vector<Check>& checks) {
  std::vector<std::string> missing;
  for (const LoadedModule& module : modules) {
    if (module.path.empty()) missing.push_back(module.name);
  }
  if (missing.empty()) return;
  checks.push_back({Mark::kNote, "libraries", "not found: " + list(missing),
                    "Install them, or set LD_LIBRARY_PATH as for the program."});
}

// An allocator in a library is what ours calls; one under other names is not seen.
void check_allocators(const std::vector<LoadedModule>& modules, std::vector<Check>& checks) {
  for (size_t i = 1; i < modules.size(); ++i) {
    const elf::ElfImage& image = modules[i].image;
    const std::string_view name = base_name(modules[i].name);
    if (name.starts_with("libc.so") || name.starts_with("ld-")) continue;
    const std::string whose = image.allocator.empty() ? "an allocator" : image.allocator;
    if (image.exports_malloc) {
      checks.push_back({Mark::kOk, "allocator",
                        escaped(whose) + " in " + escaped(name) + ": recorded like libc's", ""});
    } else if (image.prefixed_allocator || image.hides_malloc) {
      checks.push_back({Mark::kNote, "allocator",
                        escaped(whose) + " in " + escaped(name) +
                            " under names of its own: what goes through it is not recorded",
                        "Use it as malloc, or build without it, for a full recording."});
    }
  }
}

const char* source_text(ModuleSymbols::From from) {
  switch (from) {
    case ModuleSymbols::From::kInside:
      return "functions and lines (debug information inside)";
    case ModuleSymbols::From::kSeparate:
      return "functions and lines (separate debug file)";
    case ModuleSymbols::From::kSymbols:
      return "functions, no lines (a symbol table only)";
    case ModuleSymbols::From::kExports:
      return "exported functions only (stripped)";
    case ModuleSymbols::From::kNowhere:
      break;
  }
  return "no names";
}

void check_symbols(const std::vector<ModuleSymbols>& modules, std::vector<Check>& checks) {
  using From = ModuleSymbols::From;
  const From own = modules.front().from;
  const bool has_lines = own == From::kInside || own == From::kSeparate;
  checks.push_back({has_lines ? Mark::kOk : Mark::kNote, "names", source_text(own),
                    has_lines ? ""
                              : "Build it with -g, install its debug package (-dbgsym, "
                                "-debuginfo), or use --debuginfod."});
  size_t full = 0;
  std::vector<std::string> poor;
  for (size_t i = 1; i < modules.size(); ++i) {
    const bool lines = modules[i].from == From::kInside || modules[i].from == From::kSeparate;
    full += lines ? 1 : 0;
    if (!lines && !modules[i].path.empty()) poor.emplace_back(base_name(modules[i].name));
  }
  if (full + poor.size() == 0) return;
  std::string text =
      with_commas(full) + " of " + counted(full + poor.size(), "library") + " with lines";
  if (!poor.empty()) text += "; without: " + list(poor);
  checks.push_back({Mark::kOk, "libraries", text, ""});
}

// libglib-2.0.so.0.7400.6 is 2.74.
bool glib_has_slices(const std::string& path) {
  const std::string real = real_path(path);
  const size_t at = real.rfind(".so.0.");
  int version = 0;
  if (at == std::string::npos) return true;
  const char* const digits = real.data() + at + 6;
  std::from_chars(digits, real.data() + real.size(), version);
  return version < kGlibWithoutSlices;
}

bool has_pool(const run::Pool& pool, const LoadedModule& module) {
  std::string name(base_name(real_path(module.path)));
  if (!name.starts_with(pool.library) && !name.starts_with("lib" + std::string(pool.library))) {
    return false;
  }
  return pool.variable != "G_SLICE" || glib_has_slices(module.path);
}

void find_pools(const std::vector<LoadedModule>& modules, Diagnosis& diagnosis) {
  for (const run::Pool& pool : run::kPools) {
    const bool there = std::any_of(modules.begin(), modules.end(), [&](const LoadedModule& module) {
      if (module.path.empty()) return false;
      return pool.common ? has_pool(pool, module)
                         : module.image.soname.find("libstdc++") == std::string::npos &&
                               uses_standard_pools(module.path);
    });
    if (!there) continue;
    diagnosis.pools.push_back(&pool);
    diagnosis.program.push_back(
        {Mark::kNote, "pools", std::string(pool.name) + " hides the blocks it shares out",
         "heapledger run --no-pools shows them: it sets " + std::string(pool.variable) + "=" +
             std::string(pool.value) + "."});
  }
}

// Heaps that cannot be switched off.
void find_heaps(const std::string& executable, std::vector<Check>& checks) {
  const std::string_view name = base_name(executable);
  const char* const whose = name == "node" || name == "nodejs" ? "JavaScript objects"
                            : name == "java"                   ? "Java objects"
                            : name.starts_with("ruby")         ? "Small Ruby objects"
                                                               : nullptr;
  if (whose == nullptr) return;
  checks.push_back({Mark::kNote, "pools",
                    std::string(whose) + " live in a heap of their own and are not seen",
                    "What the interpreter and its libraries take from malloc is recorded."});
}

}  // namespace

void check_command(const std::string& command, Diagnosis& diagnosis) {
  diagnosis.program_name = command;
  const program_check::ProgramCheck check =
      program_check::check_program(command, std::getenv("PATH"));
  diagnosis.executable = check.executable;
  std::vector<Check>& checks = diagnosis.program;
  if (check.exec_failure() == 0) checks.push_back(check_found(command, check));
  add_findings(check, checks);
  if (check.exec_failure() != 0) return;
  const std::vector<LoadedModule> modules = modules_of(check.executable);
  if (modules.empty()) return;
  if (modules.front().image.loader && !check.refused()) {
    checks.push_back(check_linking(modules.front(), modules.size() - 1));
  }
  check_missing(modules, checks);
  check_allocators(modules, checks);
  for (const LoadedModule& module : modules) {
    diagnosis.modules.push_back(symbols_of_module(module.name, module.path));
  }
  check_symbols(diagnosis.modules, checks);
  find_pools(modules, diagnosis);
  find_heaps(check.executable, checks);
}

bool Diagnosis::recordable() const {
  return count(Mark::kProblem) == 0;
}

size_t Diagnosis::count(Mark mark) const {
  size_t sum = 0;
  for (const auto* checks : {&installation, &machine, &program}) {
    for (const Check& check : *checks) sum += check.mark == mark ? 1 : 0;
  }
  return sum;
}

}  // namespace heapledger::cli::doctor
