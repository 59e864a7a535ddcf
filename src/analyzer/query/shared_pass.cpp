#include "analyzer/query/shared_pass.h"

#include <utility>

#include "analyzer/query/event_books.h"
#include "analyzer/query/ledgers_parts.h"
#include "analyzer/query/moment_books.h"
#include "analyzer/query/tally.h"

namespace heapledger {
namespace {

// Tells all that it is told to several others.
class SharingBook final : public QuietBook {
 public:
  // They have to stay longer than this.
  void add(QuietBook& book) {
    book.share_tables_of(*this);
    books_.push_back(&book);
    if (book.wants_prefetch()) fetching_.push_back(&book);
    if (book.wants_calls()) calling_.push_back(&book);
  }

  void added(uint32_t account, uint32_t heap) override {
    for (QuietBook* book : books_) book->added(account, heap);
  }
  void merge(uint32_t from, uint32_t to, Moment moment) override {
    for (QuietBook* book : books_) book->merge(from, to, moment);
  }
  bool wants_prefetch() const override { return !fetching_.empty(); }
  void prefetch(uint32_t account) const override {
    for (const QuietBook* book : fetching_) book->prefetch(account);
  }
  void born(uint32_t ledger, LiveBlock& block, const Weight& weight) override {
    for (QuietBook* book : books_) book->born(ledger, block, weight);
  }
  void died(uint32_t ledger, const LiveBlock& block, const Death& death,
            const Weight& weight) override {
    for (QuietBook* book : books_) book->died(ledger, block, death, weight);
  }
  void lost(uint32_t ledger, const LiveBlock& block, uint64_t time, const Weight& weight) override {
    for (QuietBook* book : books_) book->lost(ledger, block, time, weight);
  }
  void left(uint32_t ledger, const LiveBlock& block, uint64_t time, const Weight& weight) override {
    for (QuietBook* book : books_) book->left(ledger, block, time, weight);
  }
  void spent(uint32_t ledger, const LiveBlock& block, uint64_t ns) override {
    for (QuietBook* book : books_) book->spent(ledger, block, ns);
  }
  void resized(uint32_t ledger, const Resize& resize) override {
    for (QuietBook* book : books_) book->resized(ledger, resize);
  }
  void before(uint32_t ledger, uint32_t account, uint64_t time, const SiteBefore& before) override {
    for (QuietBook* book : books_) book->before(ledger, account, time, before);
  }
  bool wants_calls() const override { return !calling_.empty(); }
  void called(uint32_t ledger, uint32_t thread, const format::Entry& entry,
              const LiveBlock* block) override {
    for (QuietBook* book : calling_) book->called(ledger, thread, entry, block);
  }
  void unborn(uint32_t ledger, uint64_t address, const Death& death) override {
    for (QuietBook* book : books_) book->unborn(ledger, address, death);
  }
  void called_in_heap(uint32_t ledger, uint32_t heap, uint32_t thread,
                      const format::HeapEvent& event, uint64_t time,
                      const LiveBlock* block) override {
    for (QuietBook* book : calling_) {
      book->called_in_heap(ledger, heap, thread, event, time, block);
    }
  }
  void sampled(uint32_t ledger, const MemorySample& sample) override {
    for (QuietBook* book : books_) book->sampled(ledger, sample);
  }
  void looked(uint32_t ledger, const format::Entry& entry) override {
    for (QuietBook* book : books_) book->looked(ledger, entry);
  }
  void marked(uint32_t ledger, uint64_t time, std::string_view text) override {
    for (QuietBook* book : books_) book->marked(ledger, time, text);
  }
  void ended(uint32_t ledger, uint64_t time) override {
    for (QuietBook* book : books_) book->ended(ledger, time);
  }
  void reach_end() override {
    for (QuietBook* book : books_) book->reach_end();
  }

 private:
  std::vector<QuietBook*> books_;
  std::vector<QuietBook*> fetching_;
  std::vector<QuietBook*> calling_;
};

}  // namespace

struct SharedPass::Rider {
  std::unique_ptr<QuietBook> book;
  std::function<void()> finish;
};

SharedPass::SharedPass(Ledgers& ledgers, const Question& about)
    : ledgers_(ledgers), about_(about) {}
SharedPass::~SharedPass() = default;

Question SharedPass::about(const Question& question) const {
  Question asked = question;
  asked.filter = about_.filter;
  asked.ledger = about_.ledger;
  asked.at = about_.at;
  asked.between.reset();
  return asked;
}

void SharedPass::ask(const Question& question, Answer& answer) {
  Ledgers::Turn turn(ledgers_);
  Ledgers::Parts& parts = *ledgers_.parts_;
  struct Asked {
    Question question;
    Ledgers::Parts::Counted counted;
    Plan plan;
  };
  auto asked = std::make_shared<Asked>();
  asked->question = about(question);
  if (parts.count_without_pass(asked->question, {}, asked->counted)) {
    answer = parts.answer(asked->question, asked->counted);
    return;
  }
  asked->plan = parts.make_plan(asked->question, asked->counted);
  auto book = std::make_unique<Tally>(parts.set, asked->plan, parts.set.catalog().accounts());
  Tally* tally = book.get();
  auto finish = [&parts, &answer, asked, tally] {
    parts.finish(asked->plan, *tally, asked->counted);
    answer = parts.answer(asked->question, asked->counted);
  };
  riders_.push_back(std::make_unique<Rider>(Rider{std::move(book), std::move(finish)}));
}

void SharedPass::over_time(const Question& question, GroupsOverTime& found) {
  Ledgers::Turn turn(ledgers_);
  Ledgers::Parts& parts = *ledgers_.parts_;
  const Question asked = about(question);
  Ledgers::Parts::Counted counted = parts.count(asked);
  found.answer = parts.answer(asked, counted);
  std::vector<uint32_t> lines = parts.lines_of(asked, counted, found.answer.rows);
  auto book = std::make_unique<SeriesBook>(parts.set, std::move(lines), found.answer.rows.size());
  SeriesBook* series = book.get();
  auto finish = [&parts, &found, series] {
    for (size_t i = 0; i < found.answer.rows.size(); ++i) {
      const Series line = series->take(i, parts.view().overview.duration_ns);
      found.width_ns = line.width_ns;
      std::vector<uint64_t>& live = found.live_bytes.emplace_back();
      for (const SeriesBucket& bucket : line.buckets) live.push_back(bucket.end_bytes);
    }
  };
  riders_.push_back(std::make_unique<Rider>(Rider{std::move(book), std::move(finish)}));
}

void SharedPass::block_events(std::function<void(const BlockEvent&)> use) {
  Ledgers::Turn turn(ledgers_);
  auto book = book_of_blocks(*ledgers_.parts_, about({}), std::move(use));
  riders_.push_back(std::make_unique<Rider>(Rider{std::move(book), nullptr}));
}

void SharedPass::calls(std::function<void(const CallFacts&)> use) {
  Ledgers::Turn turn(ledgers_);
  auto book = book_of_calls(*ledgers_.parts_, about({}), std::move(use));
  EventBook* calls = book.get();
  riders_.push_back(std::make_unique<Rider>(Rider{std::move(book), [calls] { calls->finish(); }}));
}

void SharedPass::run() {
  if (riders_.empty()) return;
  Ledgers::Turn turn(ledgers_);
  Ledgers::Parts& parts = *ledgers_.parts_;
  parts.look(about_.filter.heaps);
  SharingBook sharing;
  for (const auto& rider : riders_) sharing.add(*rider->book);
  parts.scan(sharing, parts.view().heaps, nullptr, parts.resolve(about_.at));
  for (const auto& rider : riders_) {
    if (rider->finish) rider->finish();
  }
  riders_.clear();
}

}  // namespace heapledger
