#include "cli/run/output.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include "analyzer/error.h"
#include "cli/run/exit.h"
#include "cli/run/run_folder.h"
#include "cli/shared/exit_status.h"
#include "text/text.h"

namespace heapledger::cli::run {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& message) {
  throw ErrorWithStatus(message, kExitOurs);
}

void check_folder(const std::string& folder) {
  for (size_t at = 0; at < folder.size(); ++at) {
    if (folder[at] != '%') continue;
    if (at + 1 >= folder.size() || folder[++at] != '%') {
      refuse("The folder of the output pattern cannot vary: " + quoted(folder) +
             ". Use % in the file name only; a percent sign in a folder is written %%.");
    }
  }
}

// Whether the name is the same every time.
bool check_name(const std::string& name) {
  bool fixed = true;
  for (size_t at = 0; at < name.size(); ++at) {
    if (name[at] != '%') continue;
    ++at;
    const char letter = at < name.size() ? name[at] : '\0';
    if (letter != '\0' && std::strchr("ephtjr", letter) != nullptr) {
      fixed = false;
    } else if (letter != '%') {
      const std::string what = letter == '\0' ? "%" : std::string("%") + letter;
      refuse(
          "The output pattern " + quoted(name) + " has " + quoted(what) +
          ", which means nothing. There is %e (the program), %p (its process id), %h (the host), "
          "%t (the start, in seconds), %j (the batch job), %r (the rank), and %% for a percent "
          "sign.");
    }
  }
  return fixed;
}

std::string with_percents_resolved(const std::string& text) {
  std::string resolved;
  for (size_t at = 0; at < text.size(); ++at) {
    resolved += text[at];
    if (text[at] == '%') ++at;
  }
  return resolved;
}

void expect_free(const std::string& path) {
  struct stat info;
  if (::lstat(path.c_str(), &info) != 0) return;
  refuse(quoted(path) +
         " is already there, and a ledger is never written over. Remove it, choose another name, "
         "or let names vary: -o %e.%p.ledger.");
}

}  // namespace

std::string with_percents_doubled(const std::string& text) {
  std::string doubled;
  for (const char letter : text) doubled.append(letter == '%' ? 2 : 1, letter);
  return doubled;
}

OutputPattern::OutputPattern(const std::string& text) {
  if (text.empty()) {
    refuse("The output pattern is empty. Leave -o out for " + std::string(kDefaultPattern) + ".");
  }
  const size_t slash = text.rfind('/');
  name_ = slash == std::string::npos ? text : text.substr(slash + 1);
  if (slash != std::string::npos) {
    check_folder(text.substr(0, slash));
    folder_ = with_percents_resolved(text.substr(0, slash));
    shown_folder_.append(folder_).append("/");
    if (slash == 0) folder_ = shown_folder_;
  }
  if (name_.empty() || name_ == "." || name_ == "..") {
    refuse("The output pattern " + quoted(text) + " names a folder. Add a file name, such as " +
           quoted(shown_folder_ + std::string(kDefaultPattern)) + ".");
  }
  fixed_ = check_name(name_);
  if (name_.size() > NAME_MAX || text.size() > PATH_MAX / 2) {
    refuse("The output pattern is too long for a file name. Choose a shorter one.");
  }
}

void OutputPattern::check_place() const {
  struct stat info;
  if (::stat(folder_.c_str(), &info) != 0) {
    const int error = errno;
    refuse("The output folder " + quoted(folder_) + " cannot be used: " + std::strerror(error) +
           ". " +
           (error == ENOENT ? "heapledger run makes it; by hand, mkdir -p does"
                            : "Choose another with -o") +
           ".");
  }
  if (!S_ISDIR(info.st_mode)) {
    refuse(quoted(folder_) +
           " is not a folder, so no ledger can be written in it. Choose another "
           "place with -o.");
  }
  if (::faccessat(AT_FDCWD, folder_.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
    const int error = errno;
    refuse("The output folder " + quoted(folder_) +
           " cannot be written to: " + std::strerror(error) + ". Choose another with -o FOLDER/" +
           std::string(kDefaultPattern) + ".");
  }
  const std::string path = shown_folder_ + name_;
  // A pattern that is an existing folder as well was meant as that folder.
  if (::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
    refuse(quoted(path) + " is a folder. Add a file name, such as " +
           quoted(path + "/" + std::string(kDefaultPattern)) + ".");
  }
  if (!fixed_) return;
  expect_free(fixed_path());
  expect_free(run_folder_of(fixed_path()));
}

std::string OutputPattern::fixed_path() const {
  return shown_folder_ + with_percents_resolved(name_);
}

std::vector<std::string> OutputPattern::make_folder() const {
  std::vector<std::string> missing;
  std::error_code error;
  for (fs::path at = folder_; !at.empty() && !fs::exists(at, error) && !error;) {
    if (at.has_filename()) missing.insert(missing.begin(), at.string());
    at = at.parent_path();
  }
  for (const std::string& folder : missing) {
    if (::mkdir(folder.c_str(), 0777) == 0 || errno == EEXIST) continue;
    const int reason = errno;
    refuse("The output folder " + quoted(folder) + " cannot be made: " + std::strerror(reason) +
           ". Choose another with -o.");
  }
  return missing;
}

std::string OutputPattern::absolute() const {
  std::string start;
  if (folder_[0] != '/') {
    const std::unique_ptr<char, void (*)(void*)> current(::getcwd(nullptr, 0), ::free);
    if (!current) {
      refuse("The current folder cannot be named (" + std::string(std::strerror(errno)) +
             "). Go to another, or give -o an absolute path.");
    }
    start = current.get();
    if (start.back() != '/') start += '/';
  }
  return with_percents_doubled(start + shown_folder_) + name_;
}

}  // namespace heapledger::cli::run
