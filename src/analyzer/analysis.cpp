#include "analyzer/analysis.h"

#include <algorithm>
#include <cstdio>
#include <tuple>

#include "analyzer/common_time.h"
#include "analyzer/error.h"
#include "analyzer/inheritance.h"
#include "analyzer/replay.h"

namespace heapledger {
namespace {

// One ledger on its way through the analysis.
struct Work {
  std::unique_ptr<LedgerFile> file;
  std::unique_ptr<Replay> replay;
  LedgerClock clock;
};

class Analyzer {
 public:
  explicit Analyzer(const Options& options) : options_(options), progress_(options.progress) {}

  void open(std::unique_ptr<ByteSource> source) {
    auto file = std::make_unique<LedgerFile>(std::move(source), options_.check_sums);
    progress_.expect(file->size());
    auto number = static_cast<uint32_t>(works_.size());
    auto replay = std::make_unique<Replay>(*file, number, accounts_, *catalog_, rss_, progress_);
    LedgerClock clock = file->clock();
    works_.push_back({std::move(file), std::move(replay), clock});
  }

  bool empty() const { return works_.empty(); }

  void run(Analysis& analysis) {
    for (const Work& work : works_) {
      start_wall_ns_ = std::min(start_wall_ns_, work.clock.start_wall_ns());
    }
    analysis.ledgers.resize(works_.size());
    std::vector<Replay*> replays;
    for (const Work& work : works_) replays.push_back(work.replay.get());
    run_in_common_time(replays, [&](size_t number) { close(number, analysis.ledgers[number]); });
    settle_inheritance(heirs_, options_, progress_);
    for (size_t i = 0; i < heirs_.size(); ++i) bequeath(heirs_[i], analysis.ledgers[heir_of_[i]]);
    add_up(analysis);
    list_groups(analysis);
    analysis.sites = catalog_;
  }

 private:
  // Takes down what is known of a process that has ended and lets go of its ledger.
  void close(size_t number, LedgerFacts& facts) {
    Work& work = works_[number];
    work.replay->tell(facts);
    facts.totals.peak_time_ns = since_start(facts.start_wall_ns) + facts.totals.peak_time_ns;
    if (facts.origin == format::Origin::kForked) {
      Heir heir;
      heir.path = facts.path;
      heir.parent_path = facts.parent_ledger;
      heir.header = work.file->header();
      heir.foreign_deaths = work.replay->take_foreign_deaths();
      heirs_.push_back(std::move(heir));
      heir_of_.push_back(number);
    }
    work.replay.reset();
    work.file.reset();
  }

  static void bequeath(const Heir& heir, LedgerFacts& facts) {
    facts.parent_found = heir.parent_found;
    facts.inherited_blocks = heir.inherited_blocks;
    facts.inherited_bytes = heir.inherited_bytes;
    facts.totals.inherited_frees = heir.inherited_deaths;
    facts.totals.unmatched_frees = heir.unknown_deaths;
  }

  uint64_t since_start(uint64_t wall_ns) const {
    return wall_ns > start_wall_ns_ ? wall_ns - start_wall_ns_ : 0;
  }

  uint64_t since_start(Moment moment) const {
    return since_start(works_[moment.ledger].clock.wall_ns(moment.time));
  }

  void add_up(Analysis& analysis) const {
    Totals& sum = analysis.totals;
    for (const LedgerFacts& ledger : analysis.ledgers) {
      const Totals& part = ledger.totals;
      sum.calls += part.calls;
      sum.frees += part.frees;
      sum.resizes += part.resizes;
      sum.bytes += part.bytes;
      sum.end_bytes += part.end_bytes;
      sum.end_blocks += part.end_blocks;
      sum.temporary_calls += part.temporary_calls;
      sum.inherited_frees += part.inherited_frees;
      sum.unmatched_frees += part.unmatched_frees;
      sum.lost_frees += part.lost_frees;
      sum.missed += part.missed;
      for (size_t i = 0; i < kFunctionNames.size(); ++i) {
        analysis.by_function[i] += ledger.by_function[i];
      }
    }
    const Account& all = accounts_.sum();
    sum.peak_bytes = all.peak_bytes;
    sum.peak_blocks = all.peak_blocks;
    sum.peak_time_ns = all.peak_bytes > 0 ? since_start(all.peak) : 0;
    sum.rss_peak_bytes = rss_.peak;
  }

  void list_groups(Analysis& analysis) const {
    for (uint32_t site = 0; site < catalog_->size(); ++site) {
      uint32_t id = catalog_->account_of(site);
      if (id == SiteCatalog::kNoAccount) continue;
      const Account& account = accounts_.at(id);
      Group group;
      group.calls = account.calls;
      group.frees = account.frees;
      group.resizes = account.resizes;
      group.bytes = account.bytes;
      group.peak_bytes = account.peak_bytes;
      group.peak_blocks = account.peak_blocks;
      group.peak_time_ns = account.peak_bytes > 0 ? since_start(account.peak) : 0;
      group.end_bytes = account.end_bytes;
      group.end_blocks = account.end_blocks;
      group.temporary_calls = account.temporary_calls;
      group.at_peak_bytes = accounts_.bytes_at_peak(account);
      group.at_peak_blocks = accounts_.blocks_at_peak(account);
      group.site = site;
      analysis.groups.push_back(group);
    }
    auto larger = [](const Group& a, const Group& b) {
      auto weight = [](const Group& g) {
        return std::tuple(g.at_peak_bytes, g.peak_bytes, g.bytes, g.calls);
      };
      return weight(a) != weight(b) ? weight(a) > weight(b) : a.site < b.site;
    };
    std::sort(analysis.groups.begin(), analysis.groups.end(), larger);
  }

  const Options& options_;
  Progress progress_;
  Accounts accounts_;
  CommonRss rss_;
  std::shared_ptr<SiteCatalog> catalog_ = std::make_shared<SiteCatalog>();
  std::vector<Work> works_;
  std::vector<Heir> heirs_;
  std::vector<size_t> heir_of_;  // which ledger each heir is
  uint64_t start_wall_ns_ = UINT64_MAX;
};

std::string base_name(const std::string& path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

// Opens what it can; `open_one(i)` gives the i-th source or throws Error.
template <typename OpenOne>
Analysis analyze_all(size_t count, const Options& options, OpenOne&& open_one) {
  Analysis analysis;
  Analyzer analyzer(options);
  for (size_t i = 0; i < count; ++i) {
    try {
      analyzer.open(open_one(i));
    } catch (const Error& error) {
      analysis.refusals.push_back({error.what(), error.exit_code()});
    }
  }
  if (analyzer.empty()) {
    if (analysis.refusals.empty()) throw Error("no ledger was given", kExitUsage);
    std::string message;
    int exit_code = 0;
    for (const Refusal& refusal : analysis.refusals) {
      message += (message.empty() ? "" : "\n") + refusal.message;
      exit_code = std::max(exit_code, refusal.exit_code);
    }
    throw Error(message, exit_code);
  }
  analyzer.run(analysis);
  return analysis;
}

}  // namespace

Analysis analyze(std::span<const std::string> paths, const Options& options) {
  return analyze_all(paths.size(), options, [&](size_t i) { return open_file(paths[i]); });
}

Analysis analyze_sources(std::vector<std::unique_ptr<ByteSource>> sources, const Options& options) {
  return analyze_all(sources.size(), options, [&](size_t i) { return std::move(sources[i]); });
}

namespace {

// Code in no module (made at run time, for one), or a mark where a stack ends early.
std::string name_without_module(uint64_t pc) {
  if (pc == format::kMarkCut) return "[cut: no unwind information]";
  if (pc == format::kMarkDepth) return "[more frames, beyond the depth limit]";
  return hex(pc);
}

}  // namespace

std::vector<Frame> Analysis::frames(const Group& group) const {
  std::vector<Frame> frames;
  for (const SiteFrame& frame : sites->frames(group.site)) {
    if (frame.module == nullptr) {
      frames.push_back({"", 0, frame.pc, name_without_module(frame.pc)});
    } else {
      frames.push_back({frame.module->path, frame.offset, frame.pc,
                        base_name(frame.module->path) + "+" + hex(frame.offset)});
    }
  }
  return frames;
}

bool Analysis::complete() const {
  return refusals.empty() && std::all_of(ledgers.begin(), ledgers.end(),
                                         [](const LedgerFacts& ledger) { return ledger.complete; });
}

bool Analysis::damaged() const {
  return !refusals.empty() ||
         std::any_of(ledgers.begin(), ledgers.end(),
                     [](const LedgerFacts& ledger) { return !ledger.problems.empty(); });
}

}  // namespace heapledger
