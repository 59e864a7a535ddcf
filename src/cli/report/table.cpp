// `report --by`: a line for each group.
#include <algorithm>

#include "analyzer/query/classes.h"
#include "cli/pages/command_line.h"
#include "cli/pages/stack.h"
#include "cli/report/columns.h"
#include "cli/report/heading.h"
#include "cli/report/live.h"
#include "cli/report/views.h"

namespace heapledger::cli::report {
namespace {

constexpr size_t kDefaultRows = 20;

bool overlaps(GroupBy by) {
  return by == GroupBy::kFunction || by == GroupBy::kFile || by == GroupBy::kLine ||
         by == GroupBy::kModule;
}

std::string thread_text(Ledgers& ledgers, const Row& row) {
  const std::vector<LedgerFacts>& facts = ledgers.processes();
  std::string text = fmt::format("{} ({})", escaped(row.name), row.key);
  if (facts.size() > 1) text += fmt::format(" of process {}", facts[row.ledger].pid);
  return text;
}

// What there is none of needs no line; what is not known is another matter.
bool is_nothing(const Row& row, Measure sort) {
  return is_known(row.all, sort) && value_of(row.all, sort) == 0;
}

std::string row_text(Ledgers& ledgers, const Question& question, const Row& row, const Page& page,
                     size_t room) {
  switch (question.by) {
    case GroupBy::kThread:
      return thread_text(ledgers, row);
    case GroupBy::kSize:
      return row.key == kOtherSizes ? "other sizes" : with_commas(row.key) + " bytes";
    case GroupBy::kSizeClass:
    case GroupBy::kLifetimeClass:
      return row.name;
    case GroupBy::kLedger: {
      const LedgerFacts& facts = ledgers.processes()[row.ledger];
      return fmt::format("{}  {}", row.key, command_line(facts));
    }
    case GroupBy::kRank:
    case GroupBy::kHost:
    case GroupBy::kJob:
      return escaped(row.name);
    case GroupBy::kFile:
    case GroupBy::kModule:
      return page.cut ? cut_text(escaped(short_path(row.name)), room)
                      : escaped(short_path(row.name));
    case GroupBy::kOwner: {
      const std::string stacks = row.stacks > 1 ? "  " + counted(row.stacks, "stack") : "";
      const size_t left = room > stacks.size() + 18 ? room - stacks.size() : room;
      const std::string& name = row.function.empty() ? row.name : row.function;
      return function_text(page, name, row.file, row.line, left) + page.style.dim(stacks);
    }
    case GroupBy::kLine:
      if (!row.file.empty() && !row.function.empty()) {
        std::string place = place_text(row.file, row.line, page.cut ? room * 2 / 3 : SIZE_MAX);
        size_t left = room > shown_width(place) + 18 ? room - shown_width(place) - 2 : 16;
        std::string function = escaped(row.function);
        return place + "  " + page.style.dim(page.cut ? cut_text(function, left) : function);
      }
      [[fallthrough]];
    default:
      return function_text(page, row.name, row.file, row.line, room);
  }
}

std::string title_of(const Question& question, size_t shown, uint64_t all) {
  std::string what(question.by == GroupBy::kLedger          ? "process"
                   : question.by == GroupBy::kLifetimeClass ? "lifetime class"
                   : question.by == GroupBy::kSizeClass     ? "size class"
                                                            : name_of(question.by));
  if (shown == all) return counted(all, what);
  return fmt::format("{}{} of {}", is_by_class(question.by) ? "" : "top ", shown,
                     counted(all, what));
}

}  // namespace

std::string table_text(Ledgers& ledgers, const Asked& asked, const Page& page) {
  Question question = asked.question;
  question.top = asked.top_or(is_by_class(question.by) ? SIZE_MAX : kDefaultRows);
  Answer answer = ledgers.ask(question);
  const size_t nothing =
      std::erase_if(answer.rows, [&](const Row& row) { return is_nothing(row, question.sort); });
  Buffer to;
  put_scope(to, ledgers, asked, answer, page);
  FigureColumns columns(question, answer.totals, overlaps(question.by),
                        known_figures(ledgers, asked));
  for (const Row& row : answer.rows) columns.add(row.all, row.self);
  columns.fit(page, std::min<size_t>(page.width / 2, 50));
  const size_t rest = !answer.rows.empty() && answer.rows.back().is_rest ? 1 : 0;
  put_title(
      to, page,
      fmt::format("{}, by {}", title_of(question, answer.rows.size() - rest, answer.groups - rest),
                  measure_title(question.sort)));
  if (answer.rows.empty()) {
    if (nothing > 0) put(to, "  {}\n", page.style.dim("none has any"));
    return page.finished(to);
  }
  put(to, "{}\n", page.style.dim(columns.heading() + std::string(name_of(question.by))));
  size_t room = columns.room(page);
  for (size_t i = 0; i < answer.rows.size(); ++i) {
    const Row& row = answer.rows[i];
    if (question.by == GroupBy::kSite) {
      put_stack(to, ledgers, row.site, asked.frames, page, columns.line(i));
    } else if (question.by == GroupBy::kPart) {
      put_part(to, row, value_of(row.all, question.sort), asked.frames, page, columns.line(i));
    } else {
      put(to, "{}{}\n", columns.line(i), row_text(ledgers, question, row, page, room));
    }
  }
  if (nothing > 0) put(to, "  {}\n", page.style.dim("the others have none"));
  return page.finished(to);
}

}  // namespace heapledger::cli::report
