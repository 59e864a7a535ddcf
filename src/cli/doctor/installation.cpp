// What this installation has, and so can do.
#include <fmt/format.h>
#include <heapledger.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>

#include "analyzer/error.h"
#include "cli/doctor/checks.h"
#include "cli/run/allocator.h"
#include "cli/run/library.h"
#include "cli/shared/commit.h"
#include "replay/play.h"
#include "symbols/symbol_cache.h"
#include "text/text.h"

namespace heapledger::cli::doctor {
namespace {

constexpr const char* kAgain = "Build or install Heapledger again.";

bool can(const std::string& path, int what) {
  return ::access(path.c_str(), what) == 0;
}

// Whether a shell would find it.
bool is_command(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (can((folder.empty() ? "." : folder) + "/" + name, X_OK)) return true;
  }
  return false;
}

Check version() {
  std::string text = HEAPLEDGER_VERSION;
  if (kCommit[0] != '\0') text += std::string(", commit ") + kCommit;
  return {Mark::kOk, "version", text, ""};
}

void check_libraries(std::vector<Check>& checks) {
  try {
    const run::RuntimeLibrary library;
    checks.push_back({Mark::kOk, "tool", escaped(library.tool_path()), ""});
    checks.push_back({Mark::kOk, "recorder", escaped(library.place() + "/libheapledger.so"), ""});
    const bool has_static = can(library.place() + "/libheapledger_static.a", R_OK);
    checks.push_back(
        {has_static ? Mark::kOk : Mark::kNote, "static",
         has_static ? "fully static programs can be linked with the recorder (link-flags --static)"
                    : "libheapledger_static.a, for fully static programs, is not here",
         has_static ? ""
                    : "It is in Debian's libheapledger-dev; otherwise install Heapledger again."});
    const bool has_new = can(library.place() + "/libheapledger_new.so", R_OK);
    checks.push_back(
        {has_new ? Mark::kOk : Mark::kNote, "operator new",
         has_new ? "also seen of allocators that bring their own"
                 : "libheapledger_new.so, for allocators that bring their own, is not here",
         has_new ? "" : kAgain});
  } catch (const Error& error) {
    checks.push_back({Mark::kProblem, "recorder", printable(error.what()), ""});
  }
}

Check replays() {
  try {
    return {Mark::kOk, "replay", escaped(player_path()), ""};
  } catch (const Error& error) {
    return {Mark::kNote, "replay", printable(error.what()), ""};
  }
}

Check allocators() {
  std::string here = "glibc";
  std::string packages;
  for (const run::KnownAllocator& known : run::known_allocators()) {
    if (!known.path.empty()) here += ", " + known.name;
    if (known.path.empty()) packages += " " + known.package;
  }
  return {Mark::kOk, "allocators", here + ", to record with or to replay on",
          packages.empty() ? "" : "More are in Debian's" + packages + "."};
}

Check drawn_by(const char* name, const char* command, const char* what, const char* package) {
  if (is_command(command)) return {Mark::kOk, name, std::string(what) + ", by " + command, ""};
  return {Mark::kNote, name, std::string(command) + " is not here: no " + what,
          std::string("It is in Debian's ") + package + "."};
}

Check browser() {
  if (std::getenv("BROWSER") != nullptr || is_command("xdg-open")) {
    return {Mark::kOk, "browser", "opened by view and run --view", ""};
  }
  return {Mark::kNote, "browser",
          "none that view could open; it prints the address, and how to reach it by ssh", ""};
}

Check cache() {
  const std::string folder = SymbolCache::default_folder();
  if (folder.empty()) {
    return {Mark::kNote, "cache",
            "no folder for names that were looked up: each report looks them up anew",
            "Set HOME, or XDG_CACHE_HOME."};
  }
  return {Mark::kOk, "cache", escaped(folder) + ", at most " + human_bytes(SymbolCache::kMostBytes),
          ""};
}

}  // namespace

void check_installation(Diagnosis& diagnosis) {
  std::vector<Check>& checks = diagnosis.installation;
  checks.push_back(version());
  check_libraries(checks);
  checks.push_back(replays());
  checks.push_back(allocators());
  checks.push_back(drawn_by("call graphs", "dot", "call graphs as SVG and PDF", "graphviz"));
  checks.push_back(drawn_by("pictures", "rsvg-convert", "PNG and PDF", "librsvg2-bin"));
  checks.push_back(drawn_by("films", "ffmpeg", "films", "ffmpeg"));
  checks.push_back(browser());
  checks.push_back(cache());
}

}  // namespace heapledger::cli::doctor
