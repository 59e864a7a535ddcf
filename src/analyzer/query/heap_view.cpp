#include "analyzer/query/heap_view.h"

#include <algorithm>
#include <optional>

#include "analyzer/error.h"
#include "analyzer/query/stack_answer.h"

namespace heapledger {

CellKey key_of(const Question& question) {
  if (is_by_stack(question)) return CellKey::kAccount;
  switch (question.by) {
    case GroupBy::kThread:
      return CellKey::kThread;
    case GroupBy::kSize:
      return CellKey::kSize;
    case GroupBy::kSizeClass:
      return CellKey::kSizeClass;
    case GroupBy::kLifetimeClass:
      return CellKey::kLifetimeClass;
    case GroupBy::kLedger:
    case GroupBy::kRank:
    case GroupBy::kHost:
    case GroupBy::kJob:
      return CellKey::kLedger;
    case GroupBy::kHeap:
      return CellKey::kHeap;
    case GroupBy::kNothing:
      return CellKey::kOne;
    default:
      return CellKey::kAccount;
  }
}

bool wants_lifetimes(const Question& question) {
  return question.wanted.lifetimes || question.sort == Measure::kMedianLifetime ||
         question.sort == Measure::kMeanLifetime;
}

bool leaves_peaks_out(const Question& question) {
  const CellKey key = key_of(question);
  return question.between || question.filter.on_blocks() || question.ledger ||
         (key != CellKey::kAccount && key != CellKey::kOne);
}

bool is_in_overview(const Question& question, size_t ledgers) {
  using Kind = MomentSpec::Kind;
  return is_in_accounts(question, ledgers) &&
         (question.at.kind == Kind::kPeak || question.at.kind == Kind::kRssPeak ||
          question.at.kind == Kind::kEnd || question.at.kind == Kind::kStart);
}

bool wants_sums_alone(const Question& question) {
  const bool extras = wants_lifetimes(question) || question.wanted.sizes || question.wanted.threads;
  const bool own_peaks =
      question.wanted.own_peaks && (is_by_stack(question) || question.filter.on_stacks());
  const bool own_order = is_by_stack(question) && question.sort == Measure::kPeakBytes;
  return !extras && !own_peaks && !own_order;
}

bool is_in_accounts(const Question& question, size_t ledgers) {
  const bool by_site = key_of(question) == CellKey::kAccount || question.by == GroupBy::kNothing;
  return by_site && !question.between && !question.filter.on_blocks() &&
         wants_sums_alone(question) && !(question.ledger && ledgers > 1);
}

namespace {

// Where accounts have it; nothing: nobody has any.
struct LiveFields {
  uint64_t Account::*blocks;
  uint64_t Account::*bytes;
  double Account::*variance;
};
std::optional<LiveFields> live_fields(const Question& question, const HeapView& view) {
  using Kind = MomentSpec::Kind;
  const Kind kind = question.at.kind;
  if (kind == Kind::kEnd || (kind == Kind::kPeak && view.overview.is_live())) {
    return LiveFields{&Account::end_blocks, &Account::end_bytes, &Account::end_variance};
  }
  if (kind == Kind::kPeak) {
    return LiveFields{&Account::marked_blocks, &Account::marked_bytes, &Account::marked_variance};
  }
  if (kind == Kind::kRssPeak) {
    return LiveFields{&Account::rss_marked_blocks, &Account::rss_marked_bytes,
                      &Account::rss_marked_variance};
  }
  return std::nullopt;
}

}  // namespace

AccountLive live_of(const Question& question, const HeapView& view, uint32_t account) {
  const std::optional<LiveFields> has = live_fields(question, view);
  if (!has) return {};
  return {view.accounts.field(account, has->blocks), view.accounts.field(account, has->bytes)};
}

void tally_peak(const Question& question, const HeapView& view, Tallied& tallied) {
  if (question.filter.on_stacks()) return;
  const Account& sum = view.accounts.sum();
  tallied.has_total_peak = true;
  tallied.total_peak = {0, 0, sum.peak_bytes, sum.peak_blocks, sum.peak, sum.peak_variance, 0};
}

// Groups of stacks have no peaks of single accounts.
Tallied tally_accounts(const Question& question, const HeapView& view) {
  const ClosedAccounts& accounts = view.accounts;
  const std::optional<LiveFields> has = live_fields(question, view);
  Tallied out;
  out.has_time = view.overview.totals.has_time;
  out.cells_have_peaks = !is_by_stack(question);  // groups of stacks have others
  for (uint32_t id = 0; id < accounts.size(); ++id) {
    Cell& cell = out.cells[out.cells.add()];
    if (out.cells_have_peaks) out.cell_peaks.add();
    const Account account = accounts.as_it_is(id);
    if (account.merged_into != UINT32_MAX) continue;
    static_cast<Sums&>(cell) = account.sums();
    cell.smallest = account.smallest();
    cell.largest = account.largest();
    cell.time_ns = account.time_ns;
    cell.calls_variance = account.calls_variance;
    cell.bytes_variance = account.bytes_variance;
    if (has) {
      cell.live_blocks = account.*has->blocks;
      cell.live_bytes = account.*has->bytes;
      cell.live_variance = account.*has->variance;
    }
    if (!out.cells_have_peaks) continue;
    out.cell_peaks[id] = {
        0, 0, account.peak_bytes, account.peak_blocks, account.peak, account.peak_variance, 0};
  }
  tally_peak(question, view, out);
  return out;
}

Watch resolve(const MomentSpec& moment, const HeapView& view) {
  using Kind = MomentSpec::Kind;
  using What = Watch::What;
  const Overview& overview = view.overview;
  Watch end{What::kEnd, 0, overview.duration_ns};
  auto at_time = [&](uint64_t time) {
    return time >= overview.duration_ns ? end : Watch{What::kTime, 0, time};
  };
  switch (moment.kind) {
    case Kind::kStart:
      return {What::kStart, 0, 0};
    case Kind::kPeak:
      if (overview.is_live()) return end;
      return {What::kBirth, view.peaks.birth, overview.peak_time_ns};
    case Kind::kRssPeak:
      return {What::kSample, view.peaks.rss_sample, overview.rss_peak_time_ns};
    case Kind::kEnd:
      return end;
    case Kind::kTime:
      return at_time(moment.time_ns);
    case Kind::kPercent:
      if (moment.percent >= 100) return end;
      return at_time(
          static_cast<uint64_t>(static_cast<double>(overview.duration_ns) * moment.percent / 100));
    case Kind::kMarker:
      break;
  }
  for (size_t i = 0; i < overview.markers.size(); ++i) {
    const Marker& marker = overview.markers[i];
    if (marker.text == moment.marker) return {What::kMarker, i + 1, marker.time_ns};
  }
  refuse_marker(moment.marker, overview.markers);
}

void refuse_marker(const std::string& name, const std::vector<Marker>& known) {
  constexpr size_t kShown = 10;
  std::string names;
  for (size_t i = 0; i < std::min(kShown, known.size()); ++i) {
    names += (i == 0 ? "" : ", ") + known[i].text;
  }
  throw Error(
      "'" + name +
          "' is not a moment: neither start, peak, rss-peak, end, a time such as 1.5s or 50%, "
          "nor a marker of this ledger" +
          (names.empty() ? std::string(" (it has none)") : "; markers: " + names),
      ErrorKind::kQuestion);
}

}  // namespace heapledger
