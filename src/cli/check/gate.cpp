#include "cli/check/gate.h"

#include <algorithm>
#include <set>

#include "analyzer/error.h"
#include "analyzer/query/difference.h"

namespace heapledger::cli::check {
namespace {

constexpr size_t kCulprits = 5;
constexpr size_t kCallers = 4;

MomentSpec moment(MomentSpec::Kind kind) {
  return {kind, 0, 0, {}};
}

std::vector<std::string> callers_of(Ledgers& ledgers, uint32_t site, const std::string& name) {
  std::vector<NamedFrame> stack = ledgers.frames(site);
  size_t at = 0;
  while (at < stack.size() && stack[at].name != name) ++at;
  std::vector<std::string> callers;
  for (size_t i = at + 1; i < stack.size() && callers.size() < kCallers; ++i) {
    // Below main there is nothing that anybody wrote.
    if (stack[i].name == "_start" || stack[i].name.starts_with("__libc_start_")) break;
    callers.push_back(stack[i].name);
  }
  return callers;
}

class Gate {
 public:
  Gate(Ledgers& ledgers, Ledgers* old, const Suppressions& suppressions)
      : ledgers_(ledgers), old_(old), suppressions_(suppressions) {}

  GateResult check(const std::vector<Limit>& limits) {
    for (const Limit& limit : limits) add(limit);
    return std::move(result_);
  }

 private:
  void add(const Limit& limit) {
    switch (limit.kind) {
      case LimitKind::kPeak:
        judge(limit, "peak", true, ledgers_.overview().totals.peak_bytes, 0);
        return blame_sites(MomentSpec::Kind::kPeak, Measure::kLiveBytes);
      case LimitKind::kRss:
        if (ledgers_.overview().rss_peak_bytes == 0) {
          throw Error("the ledger has no samples of the resident memory, so max-rss means nothing",
                      ErrorKind::kData);
        }
        judge(limit, "rss", true, ledgers_.overview().rss_peak_bytes, 0);
        return blame_sites(MomentSpec::Kind::kRssPeak, Measure::kLiveBytes);
      case LimitKind::kUnfreed:
        return add_never_freed(limit);
      case LimitKind::kCalls:
        judge(limit, "calls", false, ledgers_.overview().sums.calls, 0);
        return blame_sites(MomentSpec::Kind::kEnd, Measure::kCalls);
      case LimitKind::kTemporary:
        judge(limit, "temporary", false, ledgers_.overview().totals.temporary_calls,
              ledgers_.overview().totals.calls);
        return blame_sites(MomentSpec::Kind::kEnd, Measure::kTemporaryCalls);
      case LimitKind::kGrowth:
        return add_growth(limit);
      default:
        return add_figure(limit, measure_of(limit.kind));
    }
  }

  void add_figure(const Limit& limit, Measure measure) {
    const FigureRow& row = row_of(measure);
    judge(limit, std::string(row.word), row.unit == FigureUnit::kBytes,
          value_of(ledgers_.overview().totals, measure), 0);
    blame_sites(MomentSpec::Kind::kEnd, measure);
  }

  void judge(const Limit& limit, const std::string& measure, bool is_bytes, uint64_t value,
             uint64_t of) {
    Verdict verdict;
    verdict.limit = limit;
    verdict.measure = measure;
    verdict.is_bytes = is_bytes;
    verdict.value = value;
    verdict.of = of;
    long double most = static_cast<long double>(limit.value);
    if (limit.is_percent) {
      long double percent = limit.percent;
      if (limit.kind == LimitKind::kGrowth) percent += 100;
      most = static_cast<long double>(of) * percent / 100;
    }
    verdict.held = static_cast<long double>(value) <= most;
    result_.verdicts.push_back(std::move(verdict));
  }

  void blame(const Row& row, Measure measure, uint64_t whole) {
    Culprit culprit;
    culprit.name = row.name;
    culprit.file = row.file;
    culprit.line = row.line;
    culprit.callers = callers_of(ledgers_, row.site, row.name);
    culprit.value = value_of(row.all, measure);
    culprit.whole = whole;
    if (culprit.value > 0) result_.verdicts.back().culprits.push_back(std::move(culprit));
  }

  void blame_sites(MomentSpec::Kind when, Measure measure) {
    if (result_.verdicts.back().held) return;
    Question question;
    question.at = moment(when);
    question.sort = measure;
    question.top = kCulprits;
    Answer answer = ledgers_.ask(question);
    for (const Row& row : answer.rows) blame(row, measure, value_of(answer.totals, measure));
  }

  NeverFreed never_freed(Ledgers& of, size_t top) const {
    Question question;
    question.top = top;
    return of.never_freed(suppressions_, question);
  }

  void add_never_freed(const Limit& limit) {
    NeverFreed never = never_freed(ledgers_, kCulprits);
    note_suppressions(never);
    uint64_t value = never.answer.totals.live_bytes;
    judge(limit, "never-freed", true, value, ledgers_.overview().totals.bytes);
    if (result_.verdicts.back().held) return;
    for (const Row& row : never.answer.rows) blame(row, Measure::kLiveBytes, value);
  }

  void note_suppressions(const NeverFreed& never) {
    if (result_.suppressions.empty()) result_.suppressions = never.uses;
  }

  void add_growth(const Limit& limit) {
    NeverFreed before = never_freed(*old_, 1);
    NeverFreed now = never_freed(ledgers_, SIZE_MAX);
    note_suppressions(now);
    const Figures& old = old_->overview().totals;
    const Figures& all = ledgers_.overview().totals;
    judge(limit, "peak", true, all.peak_bytes, old.peak_bytes);
    blame_growth(Compared::kLive, nullptr);
    judge(limit, "never-freed", true, now.answer.totals.live_bytes,
          before.answer.totals.live_bytes);
    blame_growth(Compared::kUnfreed, &now);
    judge(limit, "calls", false, all.calls, old.calls);
    blame_growth(Compared::kCalls, nullptr);
    judge(limit, "bytes", true, all.bytes, old.bytes);
    blame_growth(Compared::kBytes, nullptr);
  }

  // `among`: only sites that are in there, which suppressed ones are not.
  void blame_growth(Compared measure, const NeverFreed* among) {
    Verdict& verdict = result_.verdicts.back();
    if (verdict.held) return;
    DifferenceQuestion question;
    question.sort = measure;
    question.suppressions = suppressions_;
    Difference difference = compare(*old_, ledgers_, question);
    std::set<uint32_t> sites;
    if (among != nullptr) {
      for (const Row& row : among->answer.rows) sites.insert(row.site);
    }
    for (const ChangeRow& row : difference.rows) {
      if (verdict.culprits.size() == kCulprits) break;
      bool left_out = among != nullptr && !sites.contains(row.site_after);
      if (row.change(measure) <= 0 || left_out) continue;
      Culprit culprit{row.name, row.file, row.line, {}, 0, verdict.value - verdict.of};
      culprit.callers = callers_of(ledgers_, row.site_after, row.name);
      culprit.value = static_cast<uint64_t>(row.change(measure));
      verdict.culprits.push_back(std::move(culprit));
    }
  }

  Ledgers& ledgers_;
  Ledgers* old_;
  const Suppressions& suppressions_;
  GateResult result_;
};

}  // namespace

std::optional<double> Verdict::percent() const {
  if (!limit.is_percent || of == 0) return std::nullopt;
  double share = 100.0 * static_cast<double>(value) / static_cast<double>(of);
  return limit.kind == LimitKind::kGrowth ? share - 100.0 : share;
}

bool GateResult::holds() const {
  return std::all_of(verdicts.begin(), verdicts.end(),
                     [](const Verdict& verdict) { return verdict.held; });
}

GateResult check_gate(const std::vector<Limit>& limits, Ledgers& ledgers, Ledgers* old,
                      const Suppressions& suppressions) {
  return Gate(ledgers, old, suppressions).check(limits);
}

}  // namespace heapledger::cli::check
