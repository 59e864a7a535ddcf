// Books that hand on single calls or single blocks, one after the other, to somebody else.
#pragma once

#include <functional>
#include <memory>

#include "analyzer/query/events.h"
#include "analyzer/query/ledgers_parts.h"
#include "analyzer/quiet_book.h"

namespace heapledger {

class EventBook : public QuietBook {
 public:
  virtual const HeapChoice& heaps() const = 0;  // that the pass has to be over
  virtual void finish() {}                      // nothing more will come
};

// What the question's filter, ledger and range choose. Throw Error when it asks for what single
// events do not have.
std::unique_ptr<EventBook> book_of_blocks(Ledgers::Parts& parts, const Question& question,
                                          std::function<void(const BlockEvent&)> use);
std::unique_ptr<EventBook> book_of_calls(Ledgers::Parts& parts, const Question& question,
                                         std::function<void(const CallFacts&)> use);

}  // namespace heapledger
