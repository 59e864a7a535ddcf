#include "cli/report_json.h"

#include <algorithm>
#include <string>

#include "cli/json_text.h"
#include "cli/report_json_parts.h"

namespace heapledger {
namespace {

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

void write_overview(std::FILE* to, Ledgers& ledgers, const Asked& asked) {
  Question by_site;
  by_site.top = asked.top_or(SIZE_MAX);
  NeverFreed found = ledgers.never_freed(asked.suppressions, by_site);
  write_field(to, "suppressions", suppressions_json(found));
  write_list(to, "never_freed", found.answer.rows.size(),
             [&](size_t i) { return never_freed_json(found.answer.rows[i]); });
  write_field(to, "sizes", sizes_json(ledgers.overview()));
  write_field(to, "series", series_json(ledgers.overview()));
  const std::vector<Group>& groups = ledgers.analysis().groups;
  write_list(
      to, "groups", std::min(asked.top_or(SIZE_MAX), groups.size()),
      [&](size_t i) { return group_json(ledgers, groups[i]); }, "\n");
}

void write_blocks(std::FILE* to, Ledgers& ledgers, const Asked& asked) {
  Question question = asked.question;
  question.top = asked.top_or(SIZE_MAX);
  BlockList list = ledgers.blocks(question);
  Json sums;
  sums["time_ns"] = list.time_ns;
  sums["live_bytes"] = list.live_bytes;
  sums["live_blocks"] = list.live_blocks;
  write_field(to, "figures", sums);
  write_list(
      to, "blocks", list.blocks.size(),
      [&](size_t i) { return block_json(ledgers, list.blocks[i]); }, "\n");
}

void write_answer(std::FILE* to, Ledgers& ledgers, const Asked& asked) {
  Question question = asked.question;
  question.top = asked.top_or(SIZE_MAX);
  Answer answer = ledgers.ask(question);
  Json figures;
  figures["begin_ns"] = answer.begin_ns;
  figures["end_ns"] = answer.end_ns;
  figures["groups"] = answer.groups;
  put_figures(figures, answer.totals);
  write_field(to, "figures", figures);
  if (question.tree != TreeShape::kNone) {
    write_list(
        to, "tree", answer.tree.size(), [&](size_t i) { return node_json(answer.tree[i]); }, "\n");
    return;
  }
  write_list(
      to, "groups", answer.rows.size(),
      [&](size_t i) { return row_json(ledgers, question, answer.rows[i]); }, "\n");
}

}  // namespace

void write_report_json(std::FILE* to, Ledgers& ledgers, const Asked& asked) {
  const Analysis& analysis = ledgers.analysis();
  write(to, "{\n\"schema\": \"heapledger.report/2\",\n");
  write_field(to, "totals", totals_json(analysis));
  write_field(to, "by_function", functions_json(analysis.by_function));
  write_list(to, "ledgers", analysis.ledgers.size(),
             [&](size_t i) { return ledger_json(analysis.ledgers[i]); });
  write_field(to, "moments", moments_json(ledgers));
  write_field(to, "question", question_json(asked));
  switch (asked.view) {
    case ReportView::kOverview:
      write_overview(to, ledgers, asked);
      break;
    case ReportView::kBlocks:
      write_blocks(to, ledgers, asked);
      break;
    case ReportView::kWhereRss:
      write(to, "\"where_rss\": " +
                    json_line(where_rss_json(ledgers.where_rss(asked.question.at))) + "\n");
      break;
    case ReportView::kTable:
    case ReportView::kTree:
      write_answer(to, ledgers, asked);
      break;
  }
  write(to, "}\n");
}

}  // namespace heapledger
