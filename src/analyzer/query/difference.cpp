#include "analyzer/query/difference.h"

#include <algorithm>
#include <unordered_map>

#include "analyzer/error.h"
#include "analyzer/query/difference_keys.h"
#include "analyzer/query/difference_order.h"
#include "analyzer/query/difference_stacks.h"
#include "analyzer/query/processes.h"

namespace heapledger {
namespace {

bool overlaps(GroupBy by) {
  return by == GroupBy::kFunction || by == GroupBy::kFile || by == GroupBy::kLine ||
         by == GroupBy::kModule;
}

// Whose lines move from build to build.
bool has_lines(GroupBy by) {
  return by == GroupBy::kSite || by == GroupBy::kOwner || by == GroupBy::kLine;
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

// Adds what is in the same row. Peaks of different moments do not add up.
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

// A function that passes on what it gets in one build does so in the other, even if it is
// called from too few places there, or inlined into too many, to be found.
void share_wrappers(Ledgers& before, Ledgers& after) {
  if (&before == &after) return;
  std::vector<std::string> found = before.functions_that_pass_on();
  before.count_as_wrappers(after.functions_that_pass_on());
  after.count_as_wrappers(found);
}

class Comparison {
 public:
  Comparison(const Asking& before, const Asking& after, const DifferenceQuestion& question)
      : question_(question),
        sides_{before, after},
        builds_(*before.ledgers, *after.ledgers),
        keys_(builds_, question.by),
        stacks_(*before.ledgers, *after.ledgers, builds_, question.by) {
    if (is_by_process(question.by) || question.by == GroupBy::kLifetimeClass ||
        question.by == GroupBy::kNothing) {
      throw Error(
          "differences are by owner, site, function, file, line, module, thread, size or "
          "size-class; not by " +
              std::string(name_of(question.by)),
          ErrorKind::kQuestion);
    }
    out_.overlap = overlaps(question.by);
    out_.same_ledgers = before.up_to;
  }

  Difference run() {
    for (size_t side : {0u, 1u}) ask(side);
    if (has_lines(question_.by)) {
      match_units();
    } else {
      match_names();
    }
    if (wants_owner_peaks()) add_owner_peaks();
    order_rows(out_, question_);
    out_.unmatched_modules.assign(builds_.unmatched_modules().begin(),
                                  builds_.unmatched_modules().end());
    return std::move(out_);
  }

 private:
  bool wants_owner_peaks() const {
    return question_.by == GroupBy::kOwner && question_.sort == Compared::kPeak;
  }

  Question question_of(const Asking& asking) const {
    Question question;
    question.filter = question_.filter;
    question.by = question_.by == GroupBy::kOwner ? GroupBy::kSite : question_.by;
    question.at = asking.at;
    if (asking.up_to) {
      question.between = {MomentSpec{MomentSpec::Kind::kStart, 0, 0, {}}, asking.at};
    }
    // Own peaks of groups that overlap take long.
    question.wanted.own_peaks = !out_.overlap || question_.sort == Compared::kPeak;
    return question;
  }

  void ask(size_t side) {
    const Asking& asking = sides_[side];
    SideFigures& totals = side == 0 ? out_.before : out_.after;
    if (asking.up_to && asking.at.kind == MomentSpec::Kind::kStart) {
      // Nothing has happened yet.
      totals.there = true;
      totals.has_peak = true;
      return;
    }
    Question question = question_of(asking);
    Answer answer = asking.ledgers->ask(question);
    totals = side_of(answer.totals);
    (side == 0 ? out_.before_ns : out_.after_ns) = answer.end_ns;
    (side == 0 ? out_.rss_before : out_.rss_after) = asking.ledgers->overview().rss_peak_bytes;
    rows_[side] = std::move(answer.rows);
    if (asking.up_to) return;
    question.wanted.own_peaks = false;
    NeverFreed never = asking.ledgers->never_freed(question_.suppressions, question);
    add_end(totals, never.answer.totals);
    (side == 0 ? out_.suppressed_before : out_.suppressed_after) = never.suppressed.live_bytes;
    ends_[side] = std::move(never.answer.rows);
  }

  void match_units() {
    std::vector<uint32_t> of_rows[2];
    std::vector<uint32_t> of_ends[2];
    for (size_t side : {0u, 1u}) {
      for (const Row& row : rows_[side]) {
        uint32_t unit = stacks_.unit_of(side, row);
        of_rows[side].push_back(unit);
        stacks_.units()[unit].calls += row.self.calls;
        stacks_.units()[unit].bytes += row.self.bytes;
      }
      for (const Row& row : ends_[side]) of_ends[side].push_back(stacks_.unit_of(side, row));
    }
    const Matched matched = heapledger::match_units(stacks_.units());
    out_.rows.resize(matched.count);
    for (size_t side : {0u, 1u}) {
      for (size_t i = 0; i < rows_[side].size(); ++i) {
        const uint32_t unit = of_rows[side][i];
        take(side, rows_[side][i], out_.rows[matched.rows[unit]], matched.lacking[unit] != 0);
        if (wants_owner_peaks()) {
          owners_[side][matched.rows[unit]].push_back(stacks_.units()[unit].owner);
        }
      }
      for (size_t i = 0; i < ends_[side].size(); ++i) {
        take_end(side, ends_[side][i], out_.rows[matched.rows[of_ends[side][i]]]);
      }
    }
  }

  void match_names() {
    std::unordered_map<uint32_t, size_t> places;
    std::vector<std::string> weak;
    auto row_of = [&](size_t side, const Row& row) {
      auto [found, is_new] = places.try_emplace(keys_.key(side, row), out_.rows.size());
      if (is_new) {
        out_.rows.emplace_back();
        weak.push_back(keys_.weak_key(row));
      }
      return found->second;
    };
    for (size_t side : {0u, 1u}) {
      for (Row& row : rows_[side]) take(side, row, out_.rows[row_of(side, row)], false);
      for (const Row& row : ends_[side]) take_end(side, row, out_.rows[row_of(side, row)]);
    }
    match_weakly(weak);
  }

  // `lacking`: the other side knows better what it is called.
  void take(size_t side, Row& row, ChangeRow& change, bool lacking) const {
    SideFigures self = side_of(row.self);
    if (out_.overlap) {
      self.has_peak = row.all.has_peak;
      self.peak_bytes = row.all.peak_bytes;
    }
    self.has_never_freed = !sides_[side].up_to;
    bool first = !(side == 0 ? change.before : change.after).there;
    add(side == 0 ? change.before : change.after, self);
    SideFigures all = side_of(row.all);
    all.has_never_freed = self.has_never_freed;
    add(side == 0 ? change.all_before : change.all_after, all);
    ++(side == 0 ? change.stacks_before : change.stacks_after);
    if (first) describe(side, row, change, lacking);
  }

  void describe(size_t side, Row& row, ChangeRow& change, bool lacking) const {
    (side == 0 ? change.site_before : change.site_after) = row.site;
    if (side == 0) {
      change.file_before = row.file;
      change.line_before = row.line;
    }
    change.called_as_before = side == 1 && lacking;
    if (change.called_as_before) return;
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

  static void take_end(size_t side, const Row& row, ChangeRow& change) {
    add_end(side == 0 ? change.before : change.after, row.self);
    add_end(side == 0 ? change.all_before : change.all_after, row.all);
  }

  // What is called the same but for its folder or its arguments, where only one can be meant.
  void match_weakly(const std::vector<std::string>& weak) {
    struct Candidates {
      size_t count[2] = {0, 0};
      size_t entry[2] = {0, 0};
    };
    std::unordered_map<std::string, Candidates> known;
    for (size_t i = 0; i < out_.rows.size(); ++i) {
      const ChangeRow& row = out_.rows[i];
      if (weak[i].empty() || row.before.there == row.after.there) continue;
      Candidates& candidates = known[weak[i]];
      size_t side = row.before.there ? 0 : 1;
      ++candidates.count[side];
      candidates.entry[side] = i;
    }
    for (const auto& [name, candidates] : known) {
      if (candidates.count[0] != 1 || candidates.count[1] != 1) continue;
      ChangeRow& gone = out_.rows[candidates.entry[0]];
      ChangeRow& now = out_.rows[candidates.entry[1]];
      now.before = gone.before;
      now.all_before = gone.all_before;
      gone = ChangeRow{};
    }
  }

  // Of rows that are one owner as a whole.
  void add_owner_peaks() {
    for (size_t side : {0u, 1u}) {
      std::unordered_map<uint32_t, size_t> sizes;
      for (const auto& [row, owners] : owners_[side]) {
        for (uint32_t owner : owners) ++sizes[owner];
      }
      std::unordered_map<uint32_t, uint64_t> peaks;
      if (sizes.empty()) continue;
      Question question = question_of(sides_[side]);
      question.by = GroupBy::kOwner;
      for (const Row& row : sides_[side].ledgers->ask(question).rows) {
        const uint32_t owner = stacks_.owner_of(side, row);
        if (row.stacks == sizes[owner]) peaks[owner] = row.all.peak_bytes;
      }
      for (const auto& [number, owners] : owners_[side]) {
        auto peak = peaks.find(owners.front());
        auto same = std::count(owners.begin(), owners.end(), owners.front());
        bool whole =
            owners.size() == sizes[owners.front()] && owners.size() == static_cast<size_t>(same);
        if (peak == peaks.end() || !whole) continue;
        SideFigures& figures = side == 0 ? out_.rows[number].before : out_.rows[number].after;
        figures.has_peak = true;
        figures.peak_bytes = peak->second;
      }
    }
  }

  const DifferenceQuestion& question_;
  Asking sides_[2];
  DifferenceBuilds builds_;
  DifferenceKeys keys_;
  DifferenceStacks stacks_;
  std::vector<Row> rows_[2];
  std::vector<Row> ends_[2];                                       // never freed
  std::unordered_map<uint32_t, std::vector<uint32_t>> owners_[2];  // of all stacks in a row
  Difference out_;
};

}  // namespace

Difference compare(Ledgers& before, Ledgers& after, const DifferenceQuestion& question) {
  share_wrappers(before, after);
  return Comparison({&before, question.at, false}, {&after, question.at, false}, question).run();
}

Difference compare_moments(Ledgers& ledgers, const MomentSpec& first, const MomentSpec& second,
                           const DifferenceQuestion& question) {
  return Comparison({&ledgers, first, true}, {&ledgers, second, true}, question).run();
}

}  // namespace heapledger
