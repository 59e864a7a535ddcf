// What is to be said about the memory: where the resident part of it goes, and what could be done
// better.
#include "advice/advice.h"

#include <utility>

#include "analyzer/query/where_rss_json.h"
#include "server/columns.h"
#include "server/routes.h"
#include "text/text.h"

namespace heapledger::server {

Json answer_where_rss(Asked& asked, const Json& body) {
  return to_json(asked.ledgers.where_rss(moment_of(body, "at")));
}

// Of the process with most calls; without replays, which would take seconds of all processors.
Json answer_advice(Asked& asked, const Json&) {
  AdviceOptions options;
  options.ledger = asked.ledgers.worst(Measure::kCalls);
  options.top = 100;
  options.replay = false;
  const Advice advice = advise(asked.ledgers, options);
  TextTable table(asked.files);
  Json cards = Json::array();
  for (const Finding& finding : advice.findings) {
    const NamedFrame& frame = finding.frame;
    cards.push_back({{"rule", name_of(finding.rule)},
                     {"title", words_of(finding.rule)},
                     {"what", as_utf8(finding.what)},
                     {"evidence", as_utf8(finding.evidence)},
                     {"advice", as_utf8(finding.advice)},
                     {"function", as_utf8(frame.function.empty() ? frame.name : frame.function)},
                     {"file", table.file_of(frame.file)},
                     {"line", frame.line},
                     {"module", as_utf8(frame.module)},
                     {"site", finding.site},
                     {"worth", finding.worth},
                     {"saved",
                      {{"calls", finding.saved.calls},
                       {"bytes", finding.saved.bytes},
                       {"peak_bytes", finding.saved.peak_bytes}}}});
  }
  Json json = {{"ledger", options.ledger},
               {"calls", advice.calls},
               {"bytes", advice.bytes},
               {"peak_bytes", advice.peak_bytes},
               {"more", advice.more}};
  table.put_into(json);
  json["cards"] = std::move(cards);
  return json;
}

}  // namespace heapledger::server
