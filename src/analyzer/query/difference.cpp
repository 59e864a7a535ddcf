#include "analyzer/query/difference.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "analyzer/error.h"
#include "analyzer/query/difference_keys.h"

namespace heapledger {
namespace {

bool overlaps(GroupBy by) {
  return by == GroupBy::kFunction || by == GroupBy::kFile || by == GroupBy::kLine ||
         by == GroupBy::kModule;
}

SideFigures side_of(const Figures& figures) {
  SideFigures side;
  static_cast<Sums&>(side) = static_cast<const Sums&>(figures);
  side.there = true;
  side.has_peak = figures.has_peak;
  side.peak_bytes = figures.peak_bytes;
  return side;
}

void add_end(SideFigures& side, const Figures& at_end) {
  side.has_never_freed = true;
  side.never_freed_bytes += at_end.live_bytes;
  side.never_freed_blocks += at_end.live_blocks;
}

// Adds what has the same key. Peaks of different moments do not add up.
void add(SideFigures& side, const SideFigures& more) {
  if (!side.there) {
    side = more;
    return;
  }
  side.Sums::add(more);
  side.has_peak = false;
  side.peak_bytes = 0;
}

// What is asked of one side.
struct Asking {
  Ledgers* ledgers;
  MomentSpec at;
  bool up_to = false;  // only what had happened by then
};

class Comparison {
 public:
  Comparison(const Asking& before, const Asking& after, const DifferenceQuestion& question)
      : question_(question),
        sides_{before, after},
        keys_(*before.ledgers, *after.ledgers, question.by) {
    if (question.by == GroupBy::kLedger || question.by == GroupBy::kLifetimeClass ||
        question.by == GroupBy::kNothing) {
      throw Error(
          "differences are by site, function, file, line, module, thread, size or "
          "size-class; not by " +
              std::string(name_of(question.by)),
          ErrorKind::kQuestion);
    }
    out_.overlap = overlaps(question.by);
    out_.same_ledgers = before.up_to;
  }

  Difference run() {
    for (size_t side : {0u, 1u}) collect(side);
    if (out_.overlap) match_weakly();
    finish();
    return std::move(out_);
  }

 private:
  struct Entry {
    ChangeRow row;
    std::string weak;
  };

  Question ask_of(const Asking& asking) const {
    Question question;
    question.filter = question_.filter;
    question.by = question_.by;
    question.at = asking.at;
    if (asking.up_to) {
      question.between = {MomentSpec{MomentSpec::Kind::kStart, 0, 0, {}}, asking.at};
    }
    // Own peaks of groups that overlap take long.
    question.wanted.own_peaks = !out_.overlap || question_.sort == Compared::kPeak;
    return question;
  }

  void collect(size_t side) {
    const Asking& asking = sides_[side];
    if (asking.up_to && asking.at.kind == MomentSpec::Kind::kStart) return collect_nothing(side);
    Question question = ask_of(asking);
    Answer answer = asking.ledgers->ask(question);
    SideFigures& totals = side == 0 ? out_.before : out_.after;
    totals = side_of(answer.totals);
    (side == 0 ? out_.before_ns : out_.after_ns) = answer.end_ns;
    (side == 0 ? out_.rss_before : out_.rss_after) = asking.ledgers->overview().rss_peak_bytes;
    for (Row& row : answer.rows) take(side, row);
    if (asking.up_to) return;
    if (asking.at.kind != MomentSpec::Kind::kEnd) {
      question.at = {MomentSpec::Kind::kEnd, 0, 0, {}};
      question.wanted.own_peaks = false;
      question.sort = Measure::kLiveBytes;
      answer = asking.ledgers->ask(question);
    }
    add_end(totals, answer.totals);
    for (const Row& row : answer.rows) take_end(side, row);
  }

  // At the start nothing has happened.
  void collect_nothing(size_t side) {
    SideFigures& totals = side == 0 ? out_.before : out_.after;
    totals.there = true;
    totals.has_peak = true;
  }

  Entry& entry_of(size_t side, const Row& row) {
    auto [found, is_new] = places_.try_emplace(keys_.key(side, row), entries_.size());
    if (is_new) entries_.emplace_back();
    return entries_[found->second];
  }

  void take(size_t side, Row& row) {
    Entry& entry = entry_of(side, row);
    SideFigures self = side_of(row.self);
    if (out_.overlap) {
      self.has_peak = row.all.has_peak;
      self.peak_bytes = row.all.peak_bytes;
    }
    self.has_never_freed = !sides_[side].up_to;
    ChangeRow& change = entry.row;
    bool first = !(side == 0 ? change.before : change.after).there;
    add(side == 0 ? change.before : change.after, self);
    SideFigures all = side_of(row.all);
    all.has_never_freed = self.has_never_freed;
    add(side == 0 ? change.all_before : change.all_after, all);
    if (!first) return;
    if (entry.weak.empty()) entry.weak = keys_.weak_key(row);
    describe(side, row, change);
  }

  void describe(size_t side, Row& row, ChangeRow& change) const {
    (side == 0 ? change.site_before : change.site_after) = row.site;
    change.name = std::move(row.name);
    bool unnamed_thread =
        question_.by == GroupBy::kThread && change.name == "thread " + std::to_string(row.key);
    if (unnamed_thread) change.name = "threads without a name";
    change.function = std::move(row.function);
    change.file = std::move(row.file);
    change.module = std::move(row.module);
    change.line = row.line;
    change.key = row.key;
  }

  void take_end(size_t side, const Row& row) {
    ChangeRow& change = entry_of(side, row).row;
    add_end(side == 0 ? change.before : change.after, row.self);
    add_end(side == 0 ? change.all_before : change.all_after, row.all);
  }

  // Files and modules that moved to another folder, where only one can be meant.
  void match_weakly() {
    struct Candidates {
      size_t count[2] = {0, 0};
      size_t entry[2] = {0, 0};
    };
    std::unordered_map<std::string, Candidates> known;
    for (size_t i = 0; i < entries_.size(); ++i) {
      const ChangeRow& row = entries_[i].row;
      if (entries_[i].weak.empty() || row.before.there == row.after.there) continue;
      Candidates& candidates = known[entries_[i].weak];
      size_t side = row.before.there ? 0 : 1;
      ++candidates.count[side];
      candidates.entry[side] = i;
    }
    for (const auto& [weak, candidates] : known) {
      if (candidates.count[0] != 1 || candidates.count[1] != 1) continue;
      ChangeRow& gone = entries_[candidates.entry[0]].row;
      ChangeRow& now = entries_[candidates.entry[1]].row;
      now.before = gone.before;
      now.all_before = gone.all_before;
      gone = ChangeRow{};
    }
  }

  void finish() {
    std::unordered_map<std::string_view, int64_t> blames;
    for (Entry& entry : entries_) {
      ChangeRow& row = entry.row;
      if (!row.before.there && !row.after.there) continue;
      ++out_.groups;
      ++*counter_of(row.kind(question_.sort));
      blames[row.name] += row.change(Compared::kLive);
    }
    choose_blame(blames);
    for (Entry& entry : entries_) {
      if (entry.row.before.there || entry.row.after.there) {
        out_.rows.push_back(std::move(entry.row));
      }
    }
    sort_rows();
    out_.unmatched_modules.assign(keys_.unmatched_modules().begin(),
                                  keys_.unmatched_modules().end());
  }

  uint64_t* counter_of(ChangeKind kind) {
    switch (kind) {
      case ChangeKind::kCame:
        return &out_.came;
      case ChangeKind::kWent:
        return &out_.went;
      case ChangeKind::kGrew:
        return &out_.grew;
      case ChangeKind::kShrank:
        return &out_.shrank;
      case ChangeKind::kSame:
        break;
    }
    return &out_.same;
  }

  // The one that changed most in the direction of the whole.
  void choose_blame(const std::unordered_map<std::string_view, int64_t>& blames) {
    bool down = out_.after.live_bytes < out_.before.live_bytes;
    for (const auto& [name, bytes] : blames) {
      bool more = down ? bytes < out_.blame.bytes : bytes > out_.blame.bytes;
      bool tied = bytes != 0 && bytes == out_.blame.bytes && name < out_.blame.name;
      if (more || tied) out_.blame = {std::string(name), bytes};
    }
  }

  void sort_rows() {
    auto weight = [this](const ChangeRow& row) {
      int64_t change = row.change(question_.sort);
      int64_t live = row.change(Compared::kLive);
      auto size = [](int64_t value) {
        return value < 0 ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
      };
      return std::tuple(size(change), size(live), size(row.change(Compared::kBytes)),
                        size(row.change(Compared::kCalls)));
    };
    auto larger = [&](const ChangeRow& a, const ChangeRow& b) {
      auto x = weight(a);
      auto y = weight(b);
      if (x != y) return x > y;
      return a.name != b.name
                 ? a.name < b.name
                 : std::pair(a.site_before, a.site_after) < std::pair(b.site_before, b.site_after);
    };
    size_t top = std::min(question_.top, out_.rows.size());
    std::partial_sort(out_.rows.begin(), out_.rows.begin() + static_cast<long>(top),
                      out_.rows.end(), larger);
    out_.rows.resize(top);
  }

  const DifferenceQuestion& question_;
  Asking sides_[2];
  DifferenceKeys keys_;
  std::vector<Entry> entries_;
  std::unordered_map<uint32_t, size_t> places_;
  Difference out_;
};

}  // namespace

Difference compare(Ledgers& before, Ledgers& after, const DifferenceQuestion& question) {
  return Comparison({&before, question.at, false}, {&after, question.at, false}, question).run();
}

Difference compare_moments(Ledgers& ledgers, const MomentSpec& first, const MomentSpec& second,
                           const DifferenceQuestion& question) {
  return Comparison({&ledgers, first, true}, {&ledgers, second, true}, question).run();
}

}  // namespace heapledger
