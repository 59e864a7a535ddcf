#include "cli/report/json.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "analyzer/query/answer_json.h"
#include "analyzer/query/where_rss_json.h"
#include "cli/pages/json_parts.h"
#include "cli/pages/sampling.h"
#include "cli/report/counts.h"
#include "cli/report/guard.h"
#include "cli/report/heaps.h"
#include "text/json_text.h"

namespace heapledger::cli::report {
namespace {

// As many of each list as anybody looks at; --top 0 has all.
constexpr size_t kJsonRows = 1000;

size_t rows_of(const Asked& asked) {
  const bool limited = asked.view != ReportView::kTree && asked.view != ReportView::kWhereRss;
  return asked.top_or(limited ? kJsonRows : SIZE_MAX);
}

void write(std::FILE* to, const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), to);
}

void write_field(std::FILE* to, const char* name, const Json& value) {
  write(to, std::string("\"") + name + "\": " + json_line(value) + ",\n");
}

// "name": [ … ] with one element on each line.
template <typename Element>
void write_list(std::FILE* to, const char* name, size_t count, Element&& element,
                const char* end = ",\n") {
  write(to, std::string("\"") + name + "\": ");
  for (size_t i = 0; i < count; ++i) {
    write(to, (i == 0 ? "[\n" : ",\n") + json_line(element(i)));
  }
  write(to, std::string(count == 0 ? "[]" : "\n]") + end);
}

// The last two fields: the frames that stacks are made of, and how many are not in the lists.
void write_end(std::FILE* to, const FrameTable& table, const Json& left_out) {
  write_list(to, "frames", table.frames().size(), [&](size_t i) { return table.frames()[i]; });
  write(to, "\"left_out\": " + json_line(left_out) + "\n");
}

// Who wrote the ledgers; and what the whole of them adds up to, unless only live blocks count.
void write_lead(std::FILE* to, Ledgers& ledgers, const Asked& asked) {
  const std::vector<LedgerFacts>& processes = ledgers.processes();
  write(to, "{\n\"schema\": \"heapledger.report/4\",\n");
  if (!asked.question.only_live) {
    write_field(to, "totals", totals_json(ledgers.overview()));
    if (Json sampled = sampled_json(ledgers); !sampled.is_null()) {
      write_field(to, "sampled", sampled);
    }
    write_field(to, "by_function", functions_json(ledgers.overview().by_function));
    const Counts& counts = ledgers.overview().counts;
    if (!counts.empty()) write_field(to, "counts", counts_json(counts));
  }
  write_list(to, "ledgers", processes.size(),
             [&](size_t i) { return ledger_json(processes[i], !asked.question.only_live); });
  if (!asked.question.only_live) write_field(to, "moments", moments_json(ledgers));
  write_field(to, "question", question_json(asked, rows_of(asked)));
}

void write_overview(std::FILE* to, Ledgers& ledgers, const Asked& asked, const NeverFreed& found) {
  const Overview& overview = ledgers.overview();
  bool guarded = std::any_of(overview.processes.begin(), overview.processes.end(),
                             [](const LedgerFacts& ledger) { return ledger.guarded; });
  if (guarded) write_field(to, "damages", damages_json(ledgers));
  write_field(to, "heaps", heaps_json(ledgers));
  write_field(to, "suppressions", suppressions_json(found));
  write_list(to, "never_freed", found.answer.rows.size(),
             [&](size_t i) { return never_freed_json(found.answer.rows[i]); });
  write_field(to, "sizes", sizes_json(ledgers.overview()));
  write_field(to, "series", series_json(ledgers.overview()));
  Question question;
  question.top = rows_of(asked);
  const Answer at_peak = ledgers.ask(question);
  question.at.kind = MomentSpec::Kind::kEnd;
  question.top = SIZE_MAX;
  const Answer at_end = ledgers.ask(question);
  std::unordered_map<uint32_t, const Figures*> ends;
  for (const Row& row : at_end.rows) ends.emplace(row.site, &row.all);
  FrameTable table;
  write_list(to, "groups", at_peak.rows.size(), [&](size_t i) {
    auto end = ends.find(at_peak.rows[i].site);
    return group_json(ledgers, at_peak.rows[i], end == ends.end() ? Figures() : *end->second,
                      table);
  });
  write_end(to, table,
            {{"groups", at_peak.groups - at_peak.rows.size()},
             {"never_freed", found.answer.groups - found.answer.rows.size()}});
}

void write_blocks(std::FILE* to, Ledgers& ledgers, const BlockList& list) {
  Json sums;
  sums["time_ns"] = list.time_ns;
  sums["live_bytes"] = list.live_bytes;
  sums["live_blocks"] = list.live_blocks;
  write_field(to, "figures", sums);
  FrameTable table;
  write_list(to, "blocks", list.blocks.size(),
             [&](size_t i) { return block_json(ledgers, list.blocks[i], table); });
  write_end(to, table, {{"blocks", list.live_blocks - list.blocks.size()}});
}

void write_answer(std::FILE* to, Ledgers& ledgers, const Asked& asked, const Answer& answer) {
  const Question& question = asked.question;
  Json figures;
  figures["begin_ns"] = answer.begin_ns;
  figures["end_ns"] = answer.end_ns;
  figures["groups"] = answer.groups;
  if (question.tree != TreeShape::kNone) figures["cut_sites"] = answer.cut_sites;
  put_figures(figures, answer.totals, asked.question.only_live);
  write_field(to, "figures", figures);
  if (question.tree != TreeShape::kNone) {
    write_list(
        to, "tree", answer.tree.size(),
        [&](size_t i) { return node_json(answer.tree[i], asked.question.only_live); }, "\n");
    return;
  }
  FrameTable table;
  write_list(to, "groups", answer.rows.size(),
             [&](size_t i) { return row_json(ledgers, question, answer.rows[i], &table); });
  write_end(to, table, {{"groups", answer.groups - answer.rows.size()}});
}

}  // namespace

void write_report_json(std::FILE* to, Ledgers& ledgers, const Asked& asked,
                       const std::string& before) {
  Question question = asked.question;
  question.top = rows_of(asked);
  auto lead = [&] {
    write(to, before);
    write_lead(to, ledgers, asked);
  };
  switch (asked.view) {
    case ReportView::kOverview: {
      Question by_site;
      by_site.top = question.top;
      NeverFreed found = ledgers.never_freed(asked.suppressions, by_site);
      lead();
      write_overview(to, ledgers, asked, found);
      break;
    }
    case ReportView::kBlocks: {
      BlockList list = ledgers.blocks(question);
      lead();
      write_blocks(to, ledgers, list);
      break;
    }
    case ReportView::kWhereRss: {
      WhereRss where = ledgers.where_rss(question.at);
      lead();
      write(to, "\"where_rss\": " + json_line(to_json(where)) + "\n");
      break;
    }
    case ReportView::kTable:
    case ReportView::kTree: {
      Answer answer = ledgers.ask(question);
      lead();
      write_answer(to, ledgers, asked, answer);
      break;
    }
  }
  write(to, "}\n");
}

}  // namespace heapledger::cli::report
