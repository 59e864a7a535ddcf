// The allocation-bound workload: a little server. Every thread answers the same number of requests;
// each one parses a value, indexes a document, works on an expression and mails the answer to the
// next thread, which reads and frees it. Prints one digest that depends on the arguments alone.
//
//   churn REQUESTS [THREADS]

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "documents.h"
#include "exchange.h"
#include "expressions.h"
#include "random.h"
#include "values.h"

namespace heapledger::bench {
namespace {

constexpr unsigned kBatchMessages = 64;

class Worker {
 public:
  Worker(unsigned self, Exchange& exchange) : self_(self), exchange_(exchange), random_(self) {}

  void run(unsigned requests) {
    for (unsigned i = 0; i < requests; ++i) answer(i);
    post();
    exchange_.finish(self_, [this](Batch batch) { read(std::move(batch)); });
  }

  uint64_t sum() const { return sum_; }

 private:
  void answer(unsigned number) {
    std::string request;
    write_value(random_, 4, request);
    uint64_t asked = digest(ValueParser(request).parse());
    uint64_t indexed = documents_.add(random_);
    uint64_t computed = compute();

    auto message = std::make_unique<Message>();
    message->subject = "answer to request " + std::to_string(number);
    for (uint64_t part : {asked, indexed, computed}) {
      message->lines.push_back("result " + std::to_string(part));
    }
    outgoing_.push_back(std::move(message));
    if (outgoing_.size() == kBatchMessages) post();
  }

  uint64_t compute() {
    auto expression = Expression::grow(random_, 7);
    auto simplified = expression->clone();
    simplified->simplify();
    return expression->evaluate() + 3 * simplified->evaluate();
  }

  void post() {
    exchange_.send(self_, std::move(outgoing_), [this](Batch batch) { read(std::move(batch)); });
    outgoing_ = Batch();
  }

  // Adds up, so that the order in which mail arrives makes no difference.
  void read(Batch batch) {
    for (const auto& message : batch) {
      sum_ += digest(message->subject.data(), message->subject.size());
      for (const std::string& line : message->lines) sum_ += digest(line.data(), line.size());
    }
  }

  unsigned self_;
  Exchange& exchange_;
  Random random_;
  DocumentIndex documents_;
  Batch outgoing_;
  uint64_t sum_ = 0;
};

uint64_t churn(unsigned requests, unsigned threads) {
  auto exchange = std::make_unique<Exchange>(threads);
  std::vector<uint64_t> sums(threads);
  auto work = [&](unsigned self) {
    auto worker = std::make_unique<Worker>(self, *exchange);
    worker->run(requests);
    sums[self] = worker->sum();
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i) others.emplace_back(work, i);
  work(0);
  for (std::thread& other : others) other.join();
  uint64_t total = 0;
  for (uint64_t sum : sums) total += sum;
  return total;
}

}  // namespace
}  // namespace heapledger::bench

int main(int argc, char** argv) {
  long requests = argc > 1 ? std::atol(argv[1]) : 0;
  long threads = argc > 2 ? std::atol(argv[2]) : 1;
  if (argc > 3 || requests < 1 || threads < 1 ||
      threads > static_cast<long>(heapledger::bench::Exchange::kMaxThreads)) {
    std::fprintf(stderr, "usage: churn REQUESTS [THREADS]\n");
    return 2;
  }
  uint64_t digest =
      heapledger::bench::churn(static_cast<unsigned>(requests), static_cast<unsigned>(threads));
  std::printf("%016llx\n", static_cast<unsigned long long>(digest));
  return 0;
}
