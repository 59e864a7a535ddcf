#include "cli/shared/ledger_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include "analyzer/error.h"
#include "cli/shared/options.h"
#include "cli/shared/runs.h"
#include "text/text.h"

namespace heapledger::cli {
namespace {

namespace fs = std::filesystem;

bool is_folder(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

// The ledgers in a folder, and in the folders of runs in it.
std::vector<std::string> ledgers_in(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    const fs::path& path = at->path();
    if (path.extension() == kLedgerEnding && at->is_regular_file(ignored)) {
      found.push_back(path.string());
    } else if (path.extension() == kRunFolderEnding && at->is_directory(ignored)) {
      const std::vector<std::string> inner = ledgers_in(path.string());
      found.insert(found.end(), inner.begin(), inner.end());
    }
  }
  if (error)
    throw Error("cannot read the folder " + folder + ": " + error.message(), ErrorKind::kQuestion);
  std::sort(found.begin(), found.end());
  return found;
}

std::string shown_name(const std::string& path) {
  return escaped(path.starts_with("./") ? path.substr(2) : short_path(path));
}

std::string in_folder(const std::string& folder) {
  return folder == "." ? "here" : "in " + shown_name(folder);
}

std::vector<std::string> chosen_in(const std::string& folder, bool all_runs) {
  std::vector<std::string> found = ledgers_in(folder);
  if (found.empty()) {
    throw Error("no ledgers " + in_folder(folder) +
                    ": nothing that ends in .ledger or .ledgers. Name a file or folder, or "
                    "record: heapledger run -- PROGRAM",
                ErrorKind::kQuestion);
  }
  if (all_runs) return found;
  const Runs runs = runs_of(found);
  if (runs.known.size() < 2) return found;
  fmt::print(stderr, "{} taking the newest of {} runs {}: {} (--all-runs takes all)\n",
             Style::for_stream(2).warning("note:"), runs.known.size(), in_folder(folder),
             shown_name(name_of(runs.known.back())));
  found = runs.known.back().paths;
  // Nobody knows whose they are, and what is wrong with them has to be said.
  found.insert(found.end(), runs.unreadable.begin(), runs.unreadable.end());
  std::sort(found.begin(), found.end());
  return found;
}

// A run leaves x.ledger or x.ledgers, as it had children or not: whoever names one means the other
// where that is what there is.
std::string as_it_is_there(const std::string& name) {
  std::error_code error;
  if (fs::exists(name, error)) return name;
  const std::string bare = name.ends_with('/') ? name.substr(0, name.size() - 1) : name;
  if (bare.ends_with(kLedgerEnding) && is_folder(bare + "s")) return bare + "s";
  if (!bare.ends_with(kRunFolderEnding)) return name;
  std::string file = bare.substr(0, bare.size() - 1);
  return fs::is_regular_file(file, error) ? file : name;
}

}  // namespace

void add_all_runs_option(Command& command, bool& all_runs) {
  command.add_flag("--all-runs", all_runs,
                   "Of a folder with several runs: all of them together, not the newest alone");
}

void add_ledger_files(Command& command, NamedLedgers& named, const std::string& help) {
  command
      .add_option("FILE", named.names, help + " (default: the newest run in the current folder)")
      ->type_name("");
  add_all_runs_option(command, named.all_runs);
}

std::vector<std::string> find_ledger_paths(const NamedLedgers& named) {
  std::vector<std::string> paths;
  std::set<fs::path> known;
  auto add = [&](const std::string& path) {
    std::error_code error;
    fs::path place = fs::canonical(path, error);
    if (error || known.insert(place).second) paths.push_back(path);
  };
  const std::vector<std::string> here = {"."};
  for (const std::string& name : named.names.empty() ? here : named.names) {
    const std::string there = as_it_is_there(name);
    if (!is_folder(there)) {
      add(there);
      continue;
    }
    for (const std::string& path : chosen_in(there, named.all_runs)) add(path);
  }
  return paths;
}

}  // namespace heapledger::cli
