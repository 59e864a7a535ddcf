#include "cli/run/run_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <vector>

#include "analyzer/error.h"
#include "cli/run/exit.h"
#include "cli/run/output.h"
#include "cli/shared/exit_status.h"
#include "cli/shared/ledger_paths.h"
#include "text/text.h"

namespace heapledger::cli::run {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kMaxNumber = 100'000;

std::string stem_of(const std::string& path, std::string_view ending) {
  const size_t name = path.rfind('/') + 1;
  const bool has_it = path.ends_with(ending) && path.size() - name > ending.size();
  return has_it ? path.substr(0, path.size() - ending.size()) : path;
}

// What comes after the stem: `.ledger`, or nothing where the user wants none.
std::string ending_of(const std::string& path) {
  return path.substr(stem_of(path, kLedgerEnding).size());
}

std::string numbered(const std::string& stem, unsigned number, std::string_view ending) {
  std::string path = stem;
  if (number > 1) path.append(".").append(std::to_string(number));
  return path.append(ending);
}

// As open to other users as the folder around it: a process that gives up root must be able to
// have its ledger here if it could have it there.
void open_as_around(const std::string& path) {
  if (::geteuid() != 0) return;
  struct stat around;
  const fs::path folder = fs::path(path).parent_path();
  if (::stat(folder.empty() ? "." : folder.c_str(), &around) != 0) return;
  [[maybe_unused]] const int owned = ::chown(path.c_str(), around.st_uid, around.st_gid);
  [[maybe_unused]] const int opened = ::chmod(path.c_str(), (around.st_mode & 01777) | 0700);
}

// False where `to` is taken, or nothing can be moved there; errno tells.
bool move_file(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  // A file system that cannot do that in one step.
  return ::link(from.c_str(), to.c_str()) == 0 && ::unlink(from.c_str()) == 0;
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    names.push_back(at->path().filename().string());
  }
  return names;
}

std::string why_not_made(const std::string& path, int error) {
  std::error_code ignored;
  const fs::path around = fs::absolute(path, ignored).parent_path();
  // What is made up by the kernel (/proc) says that it is not there itself.
  if (error == ENOENT && fs::is_directory(around, ignored)) {
    return "No files can be made in " + quoted(around.string());
  }
  return "The folder " + quoted(path) + " for the ledgers cannot be made: " + std::strerror(error);
}

}  // namespace

std::string run_folder_of(const std::string& wanted) {
  if (wanted.ends_with(kRunFolderEnding)) return wanted;
  return stem_of(wanted, kLedgerEnding).append(kRunFolderEnding);
}

RunFolder::RunFolder(const std::string& wanted) {
  const std::string stem = stem_of(run_folder_of(wanted), kRunFolderEnding);
  for (unsigned number = 1;; ++number) {
    path_ = numbered(stem, number, kRunFolderEnding);
    if (::mkdir(path_.c_str(), 0777) == 0) break;
    const int error = errno;
    if (error == EEXIST && number < kMaxNumber) continue;
    throw ErrorWithStatus(why_not_made(path_, error) + ". Choose another place with -o.",
                          kExitOurs);
  }
  open_as_around(path_);
  if (!wanted.ends_with(kRunFolderEnding)) wanted_ = wanted;
}

std::string RunFolder::pattern() const {
  return with_percents_doubled(path_) + "/" + std::string(kDefaultPattern);
}

// What a process leaves beside its ledger (x.log, x.summary) has its stem.
bool RunFolder::holds_only(const std::string& stem) const {
  for (const std::string& name : names_in(path_)) {
    if (!name.starts_with(stem + ".") || !fs::is_regular_file(path_ + "/" + name)) return false;
  }
  return true;
}

std::string RunFolder::move_up(const std::string& ledger) const {
  const std::string stem = fs::path(stem_of(ledger, kLedgerEnding)).filename().string();
  if (wanted_.empty() || !holds_only(stem)) return ledger;
  const std::string new_stem = stem_of(wanted_, kLedgerEnding);
  unsigned number = 1;
  std::string place = wanted_;
  while (!move_file(ledger, place)) {
    if (errno != EEXIST || ++number == kMaxNumber) return ledger;
    place = numbered(new_stem, number, ending_of(wanted_));
  }
  // One that has to stay keeps the folder, and is not lost.
  for (const std::string& name : names_in(path_)) {
    move_file(path_ + "/" + name, numbered(new_stem, number, name.substr(stem.size())));
  }
  remove_if_empty();
  return place;
}

void RunFolder::remove_if_empty() const {
  ::rmdir(path_.c_str());
}

}  // namespace heapledger::cli::run
