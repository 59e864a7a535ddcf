#include "exporters/stacks.h"

#include <string>
#include <utility>

namespace heapledger {

std::vector<NamedFrame> frames_of(Ledgers& ledgers, uint32_t site) {
  std::vector<NamedFrame> frames = ledgers.frames(site);
  if (frames.empty()) frames.emplace_back().name = "[no stack]";
  return frames;
}

std::string joined_stack(const std::vector<NamedFrame>& frames, const std::string& separator) {
  char substitute = separator.find(',') == std::string::npos ? ',' : ':';
  std::string all;
  for (size_t i = frames.size(); i-- > 0;) {
    size_t begin = all.size();
    all += frames[i].name;
    for (size_t at = begin; (at = all.find(separator, at)) != std::string::npos;) {
      all.replace(at, separator.size(), 1, substitute);
    }
    if (i > 0) all += separator;
  }
  return all;
}

size_t owner_place(Ledgers& ledgers, uint32_t site, const std::vector<NamedFrame>& frames) {
  NamedFrame owner = ledgers.first_interesting_frame(site);
  for (size_t i = 0; i < frames.size(); ++i) {
    if (frames[i].pc == owner.pc && frames[i].name == owner.name) return i;
  }
  return 0;
}

Answer ask_for_metric(ExportRequest& request, const Question& question) {
  if (request.metric.when != Metric::When::kEnd) return request.ledgers.ask(question);
  return request.ledgers.never_freed(request.suppressions, question).answer;
}

Answer ask_by_site(ExportRequest& request, const Wanted& wanted) {
  Question question = request.question;
  question.by = GroupBy::kSite;
  question.tree = TreeShape::kNone;
  question.sort = request.metric.measure;
  question.wanted = wanted;
  return ask_for_metric(request, question);
}

Figures for_each_stack(ExportRequest& request, const std::function<void(const ExportedStack&)>& use,
                       const Wanted& wanted) {
  Answer answer = ask_by_site(request, wanted);
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
