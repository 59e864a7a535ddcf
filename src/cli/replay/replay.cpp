// `heapledger replay`: the calls of a ledger, played against several allocators.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/error.h"
#include "cli/commands.h"
#include "cli/pages/command_line.h"
#include "cli/pictures/still.h"
#include "cli/replay/candidates.h"
#include "cli/replay/json.h"
#include "cli/replay/ledger.h"
#include "cli/replay/options.h"
#include "cli/replay/record.h"
#include "cli/replay/text.h"
#include "cli/run/library.h"
#include "cli/shared/options.h"
#include "cli/shared/progress_line.h"
#include "plots/replay_page.h"
#include "text/text.h"

namespace heapledger::cli::replay {
namespace {

constexpr int kExitNoneGood = 1;
constexpr double kTuneSeconds = 120;

void show(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

void note(const std::string& text) {
  std::fprintf(stderr, "%s %s\n", Style::for_stream(2).warning("note:").c_str(), text.c_str());
}

bool all_failed(const std::vector<CandidateFigures>& all) {
  return std::all_of(all.begin(), all.end(),
                     [](const CandidateFigures& one) { return one.failed; });
}

// One replay, whatever it is for: the ledger, its schedule and the allocators.
class Replay {
 public:
  explicit Replay(const ReplayOptions& options)
      : options_(options),
        ledger_(options),
        known_(run::known_allocators()),
        schedule_(build_schedule(ledger_.ledgers(), ledger_.number(), build_options(options))) {}

  int compared() {
    std::optional<pictures::StillPicture> picture;
    const std::string format = pictures::ending_of(options_.plot);
    if (!options_.plot.empty()) picture.emplace(options_.plot, format);
    const ReplayCandidates candidates = chosen();
    Comparison comparison = with_missing(
        compare(schedule_, candidates.playable(), candidates.playable_baseline(), how()),
        candidates);
    line_.clear();
    show(options_.json ? json_line(comparison_json(comparison, view())) + "\n"
                       : comparison_text(comparison, view(), Page::for_stdout()));
    if (picture) {
      picture->write(draw_replay_page(comparison, page_words(comparison, format)));
    }
    return ended(all_failed(comparison.candidates));
  }

  int checked() {
    const ReplayCandidates candidates = chosen();
    const auto found = check_candidates(schedule_, candidates.playable(), how());
    const bool broken = std::any_of(found.begin(), found.end(),
                                    [](const CandidateFigures& one) { return one.failed; });
    const auto all = with_missing(found, candidates);
    line_.clear();
    show(options_.json ? json_line(check_json(all, view())) + "\n"
                       : check_text(all, view(), Page::for_stdout()));
    for (const CandidateFigures& one : found) {
      if (!one.undecided) continue;
      note(escaped(one.candidate.name) + " " + one.failure +
           ": whether it keeps its promises is not known");
    }
    return ended(broken || all_failed(all));
  }

  int tuned() {
    const std::vector<Candidate> candidates = to_be_tuned();
    TuneOptions tuning;
    tuning.compare = how();
    tuning.limit_seconds =
        options_.limit.value_or(kTuneSeconds) / static_cast<double>(candidates.size());
    std::vector<Tuned> all;
    all.reserve(candidates.size());
    for (const Candidate& one : candidates) all.push_back(tune(schedule_, one, tuning));
    line_.clear();
    show(options_.json ? json_line(tuned_json(all, view())) + "\n"
                       : tuned_text(all, view(), Page::for_stdout()));
    return ended(std::all_of(all.begin(), all.end(),
                             [](const Tuned& one) { return all_failed(one.tried); }));
  }

  int recorded() {
    const ReplayCandidate first = first_asked();
    if (!first.missing.empty()) {
      throw Error(escaped(first.candidate.name) + ": " + first.missing, ErrorKind::kQuestion);
    }
    const run::RuntimeLibrary library;
    const CompareOptions compare = how();
    PlayOptions playing = compare.play;
    playing.recorder = library.preload_path();
    playing.record_to = std::filesystem::absolute(options_.record_to).string();
    playing.limit_seconds = play_limit(schedule_, compare, 0, false);
    const Played played = play(schedule_, first.candidate, playing);
    if (!played.done()) {
      throw Error(escaped(first.candidate.name) + ": " + played.what, ErrorKind::kSystem);
    }
    expect_recorded(playing.record_to);
    const std::string file = shell_word(short_path(playing.record_to));
    show(counted(schedule_.header.calls, "call") + " played with " + escaped(first.candidate.name) +
         " and recorded.\nnext     heapledger report " + file + "\n");
    return ended(false);
  }

 private:
  ReplayView view() { return {ledger_.facts(), schedule_.header, schedule_.facts, options_}; }

  CompareOptions how() {
    CompareOptions compare = compare_options(options_);
    compare.progress = [this](uint64_t done, uint64_t total, const std::string& name) {
      if (name.empty()) return line_.clear();  // all are done
      line_.count(done, total, ("playing " + escaped(name)).c_str(), "play");
    };
    return compare;
  }

  ReplayCandidates chosen() {
    ReplayCandidates candidates = choose_candidates(options_.allocators, ledger_.facts(), known_);
    for (const std::string& text : candidates.notes) note(text);
    return candidates;
  }

  // The first of --allocators; else the program's own, which stands before those asked for.
  ReplayCandidate first_asked() {
    if (options_.allocators.empty()) return chosen().all.front();
    const std::vector<std::string> first(1, options_.allocators.front());
    return choose_candidates(first, ledger_.facts(), known_).all.back();
  }

  // Throws Error when there is nothing to tune.
  std::vector<Candidate> to_be_tuned() {
    const std::vector<std::string> names = tuned_names(options_);
    ReplayCandidates candidates = choose_candidates(names, ledger_.facts(), known_);
    std::vector<Candidate> some;
    for (const ReplayCandidate& one : candidates.all) {
      const bool asked =
          names.empty() ? &one == &candidates.all[candidates.baseline]
                        : std::find(names.begin(), names.end(), one.candidate.name) != names.end();
      if (!asked) continue;
      const std::string name = escaped(one.candidate.name);
      if (!one.missing.empty()) throw Error(name + ": " + one.missing, ErrorKind::kQuestion);
      if (settings_for(one.candidate.name).empty()) {
        throw Error("no settings of " + name +
                        " are known; those of glibc, jemalloc, tcmalloc and mimalloc are",
                    ErrorKind::kQuestion);
      }
      some.push_back(one.candidate);
    }
    if (some.empty()) {
      throw Error("--tune is for glibc, jemalloc, tcmalloc and mimalloc, by their names",
                  ErrorKind::kQuestion);
    }
    return some;
  }

  ReplayPageWords page_words(const Comparison& comparison, const std::string& format) {
    ReplayPageWords words;
    words.title = command_line(ledger_.facts());
    words.subtitle = counted(comparison.calls, "call") + " by " +
                     counted(comparison.lanes, "thread") + ", " +
                     human_bytes(schedule_.header.peak_bytes) + " live at the peak; " +
                     counted(comparison.rounds, "round");
    words.scheme = pictures::scheme_of("", format);
    return words;
  }

  // What is wrong with the ledger comes last; a bad end of the replay goes before it.
  int ended(bool badly) {
    const int status = ledger_.warn();
    return badly ? kExitNoneGood : status;
  }

  const ReplayOptions& options_;
  ReplayLedger ledger_;
  std::vector<run::KnownAllocator> known_;
  Schedule schedule_;
  ProgressLine line_;
};

int run_replay(const ReplayOptions& options) {
  check_replay_words(options);
  if (!options.record_to.empty()) expect_place_for_ledger(options.record_to);
  Replay replay(options);
  if (options.check) return replay.checked();
  if (!options.tune.empty()) return replay.tuned();
  if (!options.record_to.empty()) return replay.recorded();
  return replay.compared();
}

}  // namespace

void add_replay(Command& app, int& exit_code) {
  auto options = std::make_shared<ReplayOptions>();
  Command* command =
      app.add_subcommand("replay", "Play a ledger's calls against several allocators");
  add_replay_options(*command, *options);
  command->footer(
      "Every allocator is played in a fresh process for each round, and compared with the one the\n"
      "program was recorded with.\n\n"
      "Examples:\n"
      "  heapledger replay server.4711.ledger\n"
      "  heapledger replay server.4711.ledger --allocators glibc,jemalloc,./libmine.so -o who.svg\n"
      "  heapledger replay server.4711.ledger --tune=glibc,jemalloc --limit 300\n"
      "  heapledger replay make.4711.ledgers --worst calls --json | jq .candidates\n\n"
      "The exit status is 0, 1 when --check found an allocator that is broken or did not come to\n"
      "its end, when none could be played, or when --record-to left no ledger, 2 when the command\n"
      "or a file name is wrong, or 3 when the ledger is damaged: what could be read of it is "
      "played\n"
      "all the same.");
  command->callback([options, &exit_code] { exit_code = run_replay(*options); });
}

}  // namespace heapledger::cli::replay
