#include "cli/run/session.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <utility>

#include "analyzer/error.h"
#include "cli/program_check/program_check.h"
#include "cli/run/allocator.h"
#include "cli/run/environment.h"
#include "cli/run/exit.h"
#include "cli/run/explain.h"
#include "cli/run/finish.h"
#include "cli/run/interrupt.h"
#include "cli/run/ledgers.h"
#include "cli/run/library.h"
#include "cli/run/memory_watch.h"
#include "cli/run/output.h"
#include "cli/run/process.h"
#include "cli/run/run_folder.h"
#include "cli/run/words.h"
#include "cli/shared/exit_status.h"
#include "cli/shared/ledger_paths.h"
#include "cli/view/view.h"
#include "text/text.h"

namespace heapledger::cli::run {
namespace {

void say(const std::string& text) {
  std::fprintf(stderr, "heapledger: %s\n", printable(text).c_str());
}

// Empty where nobody has asked for one.
std::string wanted_pattern(const RunOptions& options) {
  if (!options.pattern.empty()) return options.pattern;
  const char* by_hand = std::getenv("HEAPLEDGER");
  return by_hand != nullptr ? word_value(by_hand, "out") : "";
}

// What the runtime will call the ledger of the program itself.
std::string name_of_program(const std::string& command, const program_check::ProgramCheck& check) {
  const bool is_name = !command.starts_with("/proc/") && !command.starts_with("/dev/fd/");
  const std::string& path = is_name || check.executable.empty() ? command : check.executable;
  return path.substr(path.rfind('/') + 1);
}

// Where the ledgers of a run go.
class Recording {
 public:
  explicit Recording(const std::string& pattern)
      : output_(pattern.empty() ? std::string(kDefaultPattern) : pattern),
        named_(!pattern.empty()) {}
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  // Folders that have nothing in them are not left behind.
  ~Recording() {
    if (folder_) folder_->remove_if_empty();
    for (auto folder = made_.rbegin(); folder != made_.rend(); ++folder) {
      ::rmdir(folder->c_str());
    }
  }

  // Before the program is there.
  void begin(std::string program) {
    program_ = std::move(program);
    made_ = output_.make_folder();
    output_.check_place();
  }

  // When its number is known. Returns the pattern for the runtime.
  std::string begin(pid_t pid) {
    if (!named_ || output_.is_fixed()) {
      folder_.emplace(named_ ? output_.fixed_path()
                             : program_ + "." + std::to_string(pid) + std::string(kLedgerEnding));
      output_ = OutputPattern(folder_->pattern());
    }
    return output_.absolute();
  }

  const OutputPattern& output() const { return output_; }
  const RunFolder* folder() const { return folder_ ? &*folder_ : nullptr; }

 private:
  OutputPattern output_;
  bool named_;
  std::string program_;
  std::vector<std::string> made_;
  std::optional<RunFolder> folder_;
};

// Throws for what cannot be run or recorded, unless it is to run anyway; says what is worth a note.
void heed(const program_check::ProgramCheck& check, const RunOptions& options) {
  std::string reasons;
  for (const program_check::ProgramFinding& finding : check.findings) {
    if (finding.refuses && !options.anyway) {
      reasons += "\n  " + finding.text + "\n  What to do: " + finding.remedy;
    } else if (!options.quiet) {
      say("note: " + finding.text + " " + finding.remedy);
    }
  }
  if (reasons.empty()) return;
  if (check.exec_failure() != 0) {
    throw ErrorWithStatus("This program cannot be run." + reasons, check.exec_failure());
  }
  throw ErrorWithStatus(
      "This program cannot be recorded, and was not run." + reasons +
          "\n  To run it all the same, without a true recording: heapledger run --anyway",
      kExitOurs);
}

int exit_code_of(const ProgramEnd& end) {
  return end.signal != 0 ? kExitSignal + end.signal : end.exit_status;
}

void expect_executed(const ProgramEnd& end, const std::string& program) {
  if (end.exec_error == 0) return;
  throw ErrorWithStatus(
      quoted(program) + " could not be executed: " + std::strerror(end.exec_error) + ".",
      end.exec_error == ENOENT ? kExitNotFound : kExitNotExecutable);
}

// What is still running may start programs that preload the recorder by that path.
void keep_for_the_others(RuntimeLibrary& library, bool quiet) {
  const std::string link = library.keep_link();
  if (!link.empty() && !quiet) {
    say("note: what still runs needs " + quoted(link) + "; remove it when that has ended.");
  }
}

// The exit status is the program's, whatever comes of it.
void show_in_browser(const std::vector<std::string>& paths, bool no_cache) {
  view::ViewOptions viewing;
  viewing.files = paths;
  viewing.names.no_cache = no_cache;
  try {
    view::view_ledgers(viewing);
  } catch (const std::exception& error) {
    say(error.what());
  }
}

}  // namespace

int run_session(const RunOptions& options) {
  if (options.command.empty()) {
    throw ErrorWithStatus("There is no program to run. Try: heapledger run -- ls -l", kExitOurs);
  }
  const char* by_hand = std::getenv("HEAPLEDGER");
  check_words(options.words, "");
  const std::vector<std::string> words_by_hand = setting_words(by_hand != nullptr ? by_hand : "");
  check_words(words_by_hand, "HEAPLEDGER");
  const auto asked = settings_of(words_by_hand, options.words);
  Recording recording(wanted_pattern(options));
  const program_check::ProgramCheck check =
      program_check::check_program(options.command[0], std::getenv("PATH"));
  heed(check, options);
  RuntimeLibrary library;
  recording.begin(name_of_program(options.command[0], check));
  std::vector<std::string> words = options.words;
  words.push_back("tool=" + library.tool_path());  // for reports that the program asks for
  const std::string allocator = take_allocator(words);
  RecordingRequest request{library.preload_path(), "", new_run_id(), words};
  request.no_pools = options.no_pools;
  if (!allocator.empty()) request.behind = find_allocator(allocator);
  if (!allocator.empty() || brings_operator_new(check.executable)) {
    request.before = library.operators_path();
  }

  std::optional<EndEarly> early;
  Beginning beginning;
  beginning.prepare = [&](pid_t pid) { return recording.begin(pid); };
  beginning.environment = [&](const std::string& place) {
    request.pattern = place;
    if (!asked->children) request.owner = static_cast<uint64_t>(::getpid());
    return recording_environment(environ, request);
  };
  MemoryWatch memory(request.run_id);
  const ProgramEnd end = run_to_end(
      options.command, beginning, [&] { return memory.look(recording.output()); },
      [&](const ProgramEnd& ended) { early.emplace(exit_code_of(ended), options.quiet); });
  expect_executed(end, options.command[0]);
  const int code = exit_code_of(end);

  const std::vector<RunLedger> ledgers = find_ledgers(recording.output(), request.run_id);
  if (ledgers.empty()) {
    say(asked->skip_smaller_than != 0 ? explain_all_skipped(asked->skip_smaller_than)
                                      : explain_no_ledger(recording.output(), check));
    return code;
  }
  memory.add_to(ledgers);
  const bool running = std::any_of(ledgers.begin(), ledgers.end(), still_recording);
  if (running) keep_for_the_others(library, options.quiet);
  FinishOptions finishing;
  finishing.pools = !options.no_pools;
  finishing.quiet = options.quiet;
  finishing.seal = !options.no_seal;
  if (options.seal_when == "now") finishing.seal_later = SealLater::kNever;
  if (options.seal_when == "later") finishing.seal_later = SealLater::kAlways;
  finishing.no_cache = options.no_cache;
  finishing.skip_smaller_than = asked->skip_smaller_than;
  finishing.folder = recording.folder();
  const std::vector<std::string> paths = finish_run(ledgers, finishing, *early);
  if (running && !options.quiet) {
    say("note: some of it still runs; this is what has been recorded so far.");
  }
  early.reset();
  if (options.view && !paths.empty()) show_in_browser(paths, options.no_cache);
  return code;
}

}  // namespace heapledger::cli::run
