#include "cli/report/heaps.h"
#include "analyzer/query/answer_json.h"

#include <algorithm>
#include <vector>

#include "cli/pages/json_parts.h"
#include "cli/pages/stack.h"
#include "text/text.h"

namespace heapledger::cli::report {
namespace {

constexpr size_t kMaxHeaps = 10;
constexpr size_t kFrames = 2;
constexpr size_t kSitesInJson = 100;

// At the end, the one with the largest peak first.
std::vector<Row> list_heaps(Ledgers& ledgers) {
  Question question;
  question.at = {MomentSpec::Kind::kEnd, 0, 0, {}};
  question.by = GroupBy::kHeap;
  question.sort = Measure::kPeakBytes;
  return ledgers.ask(question).rows;
}

// Who has most in a heap, by what they had at their own peaks.
std::vector<Row> sites_of(Ledgers& ledgers, const HeapFacts& heap, size_t top) {
  Question question;
  question.at = {MomentSpec::Kind::kEnd, 0, 0, {}};
  question.filter.heaps = exactly(heap);
  question.sort = Measure::kPeakBytes;
  question.top = top;
  return ledgers.ask(question).rows;
}

void put_sites(Buffer& to, Ledgers& ledgers, const HeapFacts& heap, size_t top, const Page& page) {
  // Who maps matters one by one; of a pool the largest user says what it is for.
  for (const Row& site : sites_of(ledgers, heap, heap.has_ranges() ? top : 1)) {
    put_stack(to, ledgers, site.site, kFrames, page,
              fmt::format("  {:>10} {:>12} {:>11} {:>11}    ", human_bytes(site.all.peak_bytes),
                          with_commas(site.all.calls), human_bytes(site.all.bytes),
                          human_bytes(site.all.live_bytes)));
  }
}

}  // namespace

void put_heaps(Buffer& to, Ledgers& ledgers, size_t sites, const Page& page) {
  if (!ledgers.heaps().has_others()) return;
  const std::vector<Row> heaps = list_heaps(ledgers);
  put_title(to, page, "other heaps, and who asks for most");
  put(to, "{}\n",
      page.style.dim(fmt::format("  {:>10} {:>12} {:>11} {:>11}  {}", "peak", "calls", "allocated",
                                 "live at end", "heap")));
  size_t shown = 0;
  bool pools = false;
  for (const Row& row : heaps) {
    const HeapFacts& heap = ledgers.heaps().at(row.heap);
    if (heap.kind == format::HeapKind::kMalloc || shown++ >= kMaxHeaps) continue;
    pools |= heap.is_inside();
    put(to, "  {:>10} {:>12} {:>11} {:>11}  {}{}\n", human_bytes(row.all.peak_bytes),
        with_commas(row.all.calls), human_bytes(row.all.bytes), human_bytes(row.all.live_bytes),
        page.style.bold(escaped(heap.name)), heap.is_inside() ? page.style.dim("  a pool") : "");
    put_sites(to, ledgers, heap, sites, page);
  }
  if (shown > kMaxHeaps) {
    put(to, "  {}\n", page.style.dim(fmt::format("… and {} more: --by heap", shown - kMaxHeaps)));
  }
  std::string note = "One of them alone: --filter heap=NAME.";
  if (pools) note += " The memory of a pool is in the figures of the heap that it lies in.";
  put_wrapped(to, page, note, 2);
}

Json heaps_json(Ledgers& ledgers) {
  Json list = Json::array();
  if (!ledgers.heaps().has_others()) return list;
  size_t number = 0;
  for (const Row& row : list_heaps(ledgers)) {
    const HeapFacts& heap = ledgers.heaps().at(row.heap);
    Json one;
    one["name"] = as_utf8(heap.name);
    one["kind"] = std::string(format::row_of(heap.kind).word);
    one["inside_another"] = heap.is_inside();
    put_figures(one, row.all, false);
    one["sites"] = Json::array();
    if (heap.kind != format::HeapKind::kMalloc && number++ < kMaxHeaps) {
      for (const Row& site : sites_of(ledgers, heap, kSitesInJson)) {
        Json json;
        json["site"] = site.site;
        json["name"] = as_utf8(site.name);
        put_figures(json, site.all, false);
        json["frames"] = frames_json(ledgers.frames(site.site));
        one["sites"].push_back(std::move(json));
      }
    }
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace heapledger::cli::report
