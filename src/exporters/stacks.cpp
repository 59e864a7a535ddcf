#include "exporters/stacks.h"

#include <utility>

namespace heapledger {

std::vector<NamedFrame> frames_of(Ledgers& ledgers, uint32_t site) {
  std::vector<NamedFrame> frames = ledgers.frames(site);
  if (frames.empty()) frames.emplace_back().name = "[no stack]";
  return frames;
}

Figures for_each_stack(ExportRequest& request, const std::function<void(const ExportedStack&)>& use,
                       const Wanted& wanted) {
  Question question = request.question;
  question.by = GroupBy::kSite;
  question.tree = TreeShape::kNone;
  question.sort = measure_of(request.metric);
  question.wanted = wanted;
  Answer answer = request.ledgers.ask(question);
  for (Row& row : answer.rows) {
    ExportedStack stack;
    stack.site = row.site;
    stack.frames = frames_of(request.ledgers, row.site);
    stack.figures = std::move(row.all);
    use(stack);
  }
  return std::move(answer.totals);
}

}  // namespace heapledger
