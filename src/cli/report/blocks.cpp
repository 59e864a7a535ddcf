// `report --blocks`: single live blocks, the largest first.
#include <algorithm>

#include "cli/pages/stack.h"
#include "cli/report/heading.h"
#include "cli/report/views.h"

namespace heapledger::cli::report {
namespace {

constexpr size_t kDefaultBlocks = 20;
constexpr size_t kRoomForThreads = 60;

std::string thread_text(const LedgerFacts& ledger, uint32_t place) {
  if (place >= ledger.threads.size()) return "?";
  const ThreadFacts& thread = ledger.threads[place];
  return thread.name.empty() ? std::to_string(thread.tid) : escaped(thread.name);
}

}  // namespace

std::string blocks_text(Ledgers& ledgers, const Asked& asked, const Page& page) {
  Question question = asked.question;
  question.top = asked.top_or(kDefaultBlocks);
  BlockList list = ledgers.blocks(question);
  const std::vector<LedgerFacts>& facts = ledgers.facts();
  Buffer to;
  put_programs(to, ledgers, page);
  Answer moment;
  moment.end_ns = list.time_ns;
  moment.begin_ns = question.between ? ledgers.time_of(question.between->first) : list.time_ns;
  std::string title = list.blocks.size() < list.live_blocks
                          ? fmt::format("the {} largest of ", list.blocks.size())
                          : "";
  title += counted(list.live_blocks, "block") + " with " + human_bytes(list.live_bytes) +
           (question.between ? ", " : " live ") + moment_text(ledgers, question, moment);
  if (!asked.filter_text.empty()) title += ", with " + escaped(asked.filter_text);
  put_title(to, page, title);
  size_t thread_width = 6;
  for (const BlockFacts& block : list.blocks) {
    thread_width =
        std::max(thread_width, shown_width(thread_text(facts[block.ledger], block.thread)));
  }
  // On a narrow terminal, what tells blocks apart.
  bool narrow = page.cut && page.width < kRoomForThreads;
  bool many = facts.size() > 1;
  auto whose = [&](const std::string& pid, const std::string& thread) {
    if (narrow) return std::string();
    return (many ? fmt::format("{:>8}  ", pid) : "") +
           fmt::format("{:<{}}  ", thread, thread_width);
  };
  put(to, "{}\n",
      page.style.dim(fmt::format("  {:>10}  {:>10}  {}{:>14}  {}", "size", "age",
                                 whose("process", "thread"), "address", "site")));
  for (const BlockFacts& block : list.blocks) {
    const LedgerFacts& ledger = facts[block.ledger];
    put_stack(to, ledgers, block.site, asked.frames_given ? asked.frames : 1, page,
              fmt::format("  {:>10}  {:>10}  {}{:>#14x}  ", human_bytes(block.size),
                          ledger.has_times ? human_duration(block.age_ns) : "?",
                          whose(std::to_string(ledger.pid), thread_text(ledger, block.thread)),
                          block.address));
  }
  return page.finished(to);
}

}  // namespace heapledger::cli::report
