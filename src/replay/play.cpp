#include "replay/play.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "analyzer/error.h"
#include "replay/play_environment.h"
#include "replay/play_process.h"
#include "replay/system_calls.h"
#include "text/text.h"

#ifndef HEAPLEDGER_RELATIVE_PLAYERDIR
#define HEAPLEDGER_RELATIVE_PLAYERDIR "../lib"
#endif

namespace heapledger {
namespace {

using results::Outcome;
using results::Results;

// Memory that the player writes its results into. What it wrote stays, however it ends.
class SharedResults {
 public:
  SharedResults() : file_(::memfd_create("heapledger-results", MFD_CLOEXEC)) {
    void* memory = MAP_FAILED;
    if (file_.is_open() && ::ftruncate(file_.get(), sizeof(Results)) == 0) {
      memory = ::mmap(nullptr, sizeof(Results), PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
    }
    if (memory == MAP_FAILED) {
      throw Error(
          std::string("There is no memory for the results of a replay: ") + ::strerror(errno) + ".",
          ErrorKind::kSystem);
    }
    memory_ = memory;
  }
  ~SharedResults() { ::munmap(memory_, sizeof(Results)); }
  SharedResults(const SharedResults&) = delete;
  SharedResults& operator=(const SharedResults&) = delete;

  int file() const { return file_.get(); }

  std::unique_ptr<Results> copy() const {
    auto results = std::make_unique<Results>();
    ::memcpy(results.get(), memory_, sizeof(Results));
    results->allocator[sizeof results->allocator - 1] = '\0';
    results->text[sizeof results->text - 1] = '\0';
    return results;
  }

 private:
  FileDescriptor file_;
  void* memory_ = nullptr;
};

uint32_t flags_of(const PlayOptions& options) {
  uint32_t flags = 0;
  if (options.latency) flags |= player::kLatency;
  if (options.check) flags |= player::kCheck;
  if (options.real_time) flags |= player::kReal;
  if (!options.recorder.empty()) flags |= player::kRecorder;
  if (options.count_system_calls) flags |= player::kTraced;
  return flags;
}

std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name == nullptr ? "signal " + std::to_string(signal) : std::string("SIG") + name;
}

std::string after_calls(const Results& results) {
  if (results.magic != results::kMagic) return " before the first call";
  if (results.calls == 0) return " within the first calls";
  return " after about " + counted(results.calls, "call");
}

std::string said(const std::string& words) {
  return words.empty() ? std::string() : ": " + cut_text(escaped(words), 300);
}

// What became of a process that did not come to an outcome by itself.
void explain_end(int status, const PlayerProcess& process, double limit_seconds, Played& played) {
  const Results& results = *played.results;
  if (process.was_killed()) {
    played.how = Played::How::kHung;
    played.what = "was not done within " +
                  human_duration(static_cast<uint64_t>(limit_seconds * 1e9)) + " and was ended" +
                  after_calls(results);
    return;
  }
  const std::string words = said(process.last_words());
  if (!WIFSIGNALED(status)) {
    // Before the player's own first line, only the loader can have ended it.
    const bool loaded = results.magic == results::kMagic;
    played.how = loaded ? Played::How::kCrashed : Played::How::kNotLoaded;
    played.what = loaded ? "ended the process with status " + std::to_string(WEXITSTATUS(status)) +
                               after_calls(results) + words
                         : "could not be loaded" + words;
    return;
  }
  const int signal = WTERMSIG(status);
  if (signal == SIGKILL) {
    played.how = Played::How::kNoMemory;
    played.what = "was killed (SIGKILL), most likely for lack of memory," + after_calls(results);
    return;
  }
  played.how = Played::How::kCrashed;
  played.what = "crashed (" + signal_name(signal) + ")" + after_calls(results) + words;
}

void explain(int status, const PlayerProcess& process, double limit_seconds, Played& played) {
  const Results& results = *played.results;
  const std::string text = escaped(results.text);
  const auto outcome =
      results.magic == results::kMagic ? Outcome{results.outcome} : Outcome::kStarted;
  switch (outcome) {
    case Outcome::kDone:
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        played.how = Played::How::kDone;
        return;
      }
      break;
    case Outcome::kNotLoaded:
      played.how = Played::How::kNotLoaded;
      played.what = "could not be loaded: " + text + said(process.last_words());
      return;
    case Outcome::kBadSchedule:
      played.how = Played::How::kFailed;
      played.what = "could not be played: " + text;
      return;
    case Outcome::kNoMemory:
      played.how = Played::How::kNoMemory;
      played.what = "ran out of memory " + text;  // which begins with "after 12 calls"
      return;
    case Outcome::kBroken:
      played.how = Played::How::kBroken;
      played.what = "is broken: " + text;
      return;
    case Outcome::kStarted:
      break;
  }
  explain_end(status, process, limit_seconds, played);
}

std::string own_folder() {
  char path[PATH_MAX];
  const ssize_t bytes = ::readlink("/proc/self/exe", path, sizeof path);
  if (bytes <= 0) {
    throw Error("Heapledger cannot find itself: /proc/self/exe cannot be read. Is /proc mounted?",
                ErrorKind::kSystem);
  }
  const std::string tool(path, static_cast<size_t>(bytes));
  return tool.substr(0, tool.rfind('/'));
}

}  // namespace

std::string player_path() {
  const char* wanted = ::getenv("HEAPLEDGER_PLAYER");
  if (wanted != nullptr && wanted[0] != '\0') return wanted;
  const std::string folder = own_folder();
  for (const char* place : {HEAPLEDGER_RELATIVE_PLAYERDIR, "../lib"}) {
    const std::string path = folder + "/" + place + "/heapledger-player";
    const std::unique_ptr<char, void (*)(void*)> resolved(::realpath(path.c_str(), nullptr),
                                                          ::free);
    if (resolved && ::access(resolved.get(), X_OK) == 0) return resolved.get();
  }
  throw Error("The player, heapledger-player, was not found in " +
                  quoted(folder + "/" + HEAPLEDGER_RELATIVE_PLAYERDIR) +
                  ". Build or install Heapledger again.",
              ErrorKind::kSystem);
}

Played play(const Schedule& schedule, const Candidate& candidate, const PlayOptions& options) {
  const SharedResults shared;
  PlayerCommand command;
  command.path = player_path();
  command.arguments = {std::to_string(flags_of(options)),
                       std::to_string(static_cast<uint32_t>(options.touch)), candidate.library};
  command.environment = player_environment(environ, candidate, options);
  command.schedule = schedule.file.get();
  command.results = shared.file();
  PlayerProcess process(command);
  Played played;
  TracedPlay traced;
  if (options.count_system_calls) {
    traced = trace_to_its_end(process, options.limit_seconds);
    played.system_calls = std::move(traced.calls);
    played.why_not_counted = std::move(traced.why_not_counted);
  }
  if (!traced.traced) {
    process.go(options.limit_seconds);
    traced.status = process.wait();
  }
  if (const int error = process.exec_error(); error != 0) {
    throw Error(
        "The player cannot be started: " + quoted(command.path) + ": " + ::strerror(error) + ".",
        ErrorKind::kSystem);
  }
  played.results = shared.copy();
  explain(traced.status, process, options.limit_seconds, played);
  return played;
}

}  // namespace heapledger
