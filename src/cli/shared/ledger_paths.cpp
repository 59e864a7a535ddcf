#include "cli/shared/ledger_paths.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "analyzer/error.h"

namespace heapledger::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> ledgers_in(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (at->path().extension() == ".ledger" && at->is_regular_file(ignored)) {
      found.push_back(at->path().string());
    }
  }
  if (error)
    throw Error("cannot read the folder " + folder + ": " + error.message(), ErrorKind::kQuestion);
  if (found.empty()) {
    throw Error("no ledgers in " + folder + ": there is no file in it that ends in .ledger",
                ErrorKind::kQuestion);
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

std::vector<std::string> find_ledger_paths(const std::vector<std::string>& named) {
  std::vector<std::string> paths;
  std::set<fs::path> known;
  auto add = [&](const std::string& path) {
    std::error_code error;
    fs::path place = fs::canonical(path, error);
    if (error || known.insert(place).second) paths.push_back(path);
  };
  for (const std::string& name : named) {
    std::error_code error;
    if (!fs::is_directory(name, error)) {
      add(name);
      continue;
    }
    for (const std::string& path : ledgers_in(name)) add(path);
  }
  return paths;
}

}  // namespace heapledger::cli
