// One pass for several who would each make one of their own. They look at the same blocks and the
// same moment, so that what they note in a block is the same, too (quiet_book.h).
//
//   SharedPass pass(ledgers, about);
//   pass.ask(question, answer);
//   pass.block_events(…);
//   pass.run();  // now all of them have what they asked for
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "analyzer/query.h"

namespace heapledger {

class SharedPass {
 public:
  // Whose filter, ledger and moment they all have, whatever else their questions say; no range.
  SharedPass(Ledgers& ledgers, const Question& about);
  ~SharedPass();
  SharedPass(const SharedPass&) = delete;
  SharedPass& operator=(const SharedPass&) = delete;

  // What is filled in has to stay where it is; what needs no pass is there at once. Not by heap.
  void ask(const Question& question, Answer& answer);
  void over_time(const Question& question, GroupsOverTime& found);

  void block_events(std::function<void(const BlockEvent&)> use);
  void calls(std::function<void(const CallFacts&)> use);

  // Makes the pass, if anybody needs one.
  void run();

 private:
  struct Rider;  // somebody who waits for it

  Question about(const Question& question) const;

  Ledgers& ledgers_;
  Question about_;
  std::vector<std::unique_ptr<Rider>> riders_;
};

}  // namespace heapledger
