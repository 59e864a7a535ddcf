#include "cli/replay/candidates.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "analyzer/error.h"
#include "text/nearest.h"
#include "text/text.h"

namespace heapledger::cli::replay {
namespace {

constexpr const char* kGlibc = "glibc";
constexpr const char* kLibc = "libc";  // as the player calls it

std::string base_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

bool is_libc(const std::string& path) {
  const std::string file = base_name(path);
  return file.starts_with("libc.so") || file.starts_with("libc-2.") || file.starts_with("libc.");
}

class Chooser {
 public:
  Chooser(const LedgerFacts& facts, const std::vector<run::KnownAllocator>& known)
      : facts_(facts), known_(known) {}

  ReplayCandidates choose(const std::vector<std::string>& wanted) {
    const Candidate own = own_allocator();
    if (wanted.empty()) {
      add({own, ""});
      add({{kGlibc, kLibc, {}}, ""});
      for (const run::KnownAllocator& one : known_) add_if_installed(one);
    } else {
      for (const std::string& word : wanted) add(named(word));
      if (!position_of(own.name)) chosen_.all.insert(chosen_.all.begin(), {own, ""});
    }
    chosen_.baseline = position_of(own.name).value_or(0);
    if (!chosen_.all[chosen_.baseline].missing.empty()) {
      // Asked for by its name, which is not installed; the recorded file is still there.
      chosen_.all[chosen_.baseline] = {own, ""};
    }
    return std::move(chosen_);
  }

 private:
  // The allocator that the program was recorded with, or what comes nearest to it.
  Candidate own_allocator() {
    const std::string& path = facts_.allocator;
    Candidate glibc{kGlibc, kLibc, {}};
    if (path.empty() || is_libc(path)) return glibc;
    if (path == facts_.executable) {
      note(
          "the program has an allocator of its own inside, which cannot be played: compared with "
          "glibc instead");
      return glibc;
    }
    std::string name = base_name(path);
    for (const run::KnownAllocator& one : known_) {
      if (!name.starts_with("lib" + one.name)) continue;
      if (::access(path.c_str(), R_OK) == 0) return {one.name, path, {}};
      if (!one.path.empty()) return {one.name, one.path, {}};
    }
    if (::access(path.c_str(), R_OK) == 0) return {name, path, {}};
    note("the program was recorded with " + quoted(path) +
         ", which is not there any more: compared with glibc instead");
    return glibc;
  }

  ReplayCandidate named(const std::string& word) {
    if (word == kGlibc || word == kLibc) return {{kGlibc, kLibc, {}}, ""};
    for (const run::KnownAllocator& one : known_) {
      if (word != one.name) continue;
      if (!one.path.empty()) return {{one.name, one.path, {}}, ""};
      return {{one.name, "", {}}, "not installed (Debian: apt install " + one.package + ")"};
    }
    if (word.find('/') != std::string::npos) return by_path(word);
    std::vector<std::string> names{kGlibc};
    for (const run::KnownAllocator& one : known_) names.push_back(one.name);
    throw Error("there is no allocator " + quoted(word) +
                    "; known are glibc, jemalloc, tcmalloc and mimalloc, and others by their "
                    "path, such as ./liballocator.so" +
                    did_you_mean(word, names),
                ErrorKind::kQuestion);
  }

  ReplayCandidate by_path(const std::string& word) {
    Candidate candidate{base_name(word), word, {}};
    if (position_of(candidate.name)) candidate.name = word;  // two files of one name
    try {
      candidate.library = run::find_allocator(word);
    } catch (const Error& error) {
      if (::access(word.c_str(), F_OK) != 0) return {candidate, "there is no such file"};
      std::string why = error.what();
      if (why.ends_with('.')) why.pop_back();  // as in the other rows
      return {candidate, why};
    }
    return {candidate, ""};
  }

  void add_if_installed(const run::KnownAllocator& one) {
    if (position_of(one.name)) return;
    if (one.path.empty()) {
      note(one.name + " is not installed, and not compared (Debian: " + one.package + ")");
    } else {
      add({{one.name, one.path, {}}, ""});
    }
  }

  void add(ReplayCandidate candidate) {
    if (!position_of(candidate.candidate.name)) chosen_.all.push_back(std::move(candidate));
  }

  std::optional<size_t> position_of(const std::string& name) const {
    for (size_t i = 0; i < chosen_.all.size(); ++i) {
      if (chosen_.all[i].candidate.name == name) return i;
    }
    return std::nullopt;
  }

  void note(std::string text) { chosen_.notes.push_back(std::move(text)); }

  const LedgerFacts& facts_;
  const std::vector<run::KnownAllocator>& known_;
  ReplayCandidates chosen_;
};

}  // namespace

std::vector<Candidate> ReplayCandidates::playable() const {
  std::vector<Candidate> some;
  for (const ReplayCandidate& one : all) {
    if (one.missing.empty()) some.push_back(one.candidate);
  }
  return some;
}

size_t ReplayCandidates::playable_baseline() const {
  return static_cast<size_t>(
      std::count_if(all.begin(), all.begin() + static_cast<ptrdiff_t>(baseline),
                    [](const ReplayCandidate& one) { return one.missing.empty(); }));
}

ReplayCandidates choose_candidates(const std::vector<std::string>& wanted, const LedgerFacts& facts,
                                   const std::vector<run::KnownAllocator>& known) {
  return Chooser(facts, known).choose(wanted);
}

std::vector<CandidateFigures> with_missing(std::vector<CandidateFigures> played,
                                           const ReplayCandidates& candidates) {
  std::vector<CandidateFigures> all;
  auto next = played.begin();
  for (const ReplayCandidate& one : candidates.all) {
    if (one.missing.empty() && next != played.end()) {
      all.push_back(std::move(*next++));
    } else {
      all.emplace_back();
      all.back().candidate = one.candidate;
      all.back().failed = true;
      all.back().failure = one.missing;
      all.back().verdict = escaped(one.candidate.name) + ": " + one.missing;
    }
  }
  return all;
}

Comparison with_missing(Comparison played, const ReplayCandidates& candidates) {
  // The baseline may be another one than was asked for, if that one failed.
  size_t left = played.baseline;
  size_t place = 0;
  while (!candidates.all[place].missing.empty() || left > 0) {
    if (candidates.all[place++].missing.empty()) --left;
  }
  played.baseline = place;
  played.candidates = with_missing(std::move(played.candidates), candidates);
  return played;
}

}  // namespace heapledger::cli::replay
