#include "analyzer/query/kept_pass.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

#include "analyzer/counts.h"
#include "analyzer/seal/zstd_codec.h"

namespace heapledger {
namespace {

constexpr int kFastLevel = 1;
constexpr uint64_t kMostAccounts = uint64_t{1} << 28;

template <typename T>
constexpr bool kIsPlain = std::is_trivially_copyable_v<T>;

class Packer {
 public:
  template <typename T>
  requires kIsPlain<T>
  void operator()(const T& value) { append(&value, sizeof value); }
  void operator()(const std::string& text) { list(text); }
  template <typename T>
  requires kIsPlain<T>
  void operator()(const std::vector<T>& values) { list(values); }

  void operator()(const Histogram& histogram) {
    (*this)(histogram.buckets());
    (*this)(histogram.sum());
    (*this)(histogram.smallest());
    (*this)(histogram.largest());
  }

  std::string take() { return std::move(bytes_); }

 private:
  template <typename List>
  void list(const List& list) {
    (*this)(uint64_t{list.size()});
    append(list.data(), list.size() * sizeof list[0]);
  }
  void append(const void* from, size_t count) {
    bytes_.append(static_cast<const char*>(from), count);
  }

  std::string bytes_;
};

// After the first thing that is not there, nothing is.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}

  template <typename T>
  requires kIsPlain<T>
  void operator()(T& value) { copy(&value, sizeof value); }
  void operator()(std::string& text) { list(text); }
  template <typename T>
  requires kIsPlain<T>
  void operator()(std::vector<T>& values) { list(values); }

  void operator()(Histogram& histogram) {
    std::vector<Histogram::Bucket> buckets;
    uint64_t sum = 0, smallest = 0, largest = 0;
    (*this)(buckets);
    (*this)(sum);
    (*this)(smallest);
    (*this)(largest);
    uint64_t counts[Histogram::kBuckets] = {};
    for (const Histogram::Bucket& bucket : buckets) {
      if (bucket.number < Histogram::kBuckets) counts[bucket.number] = bucket.count;
    }
    histogram =
        Histogram::from_counts(counts, sum, buckets.empty() ? UINT64_MAX : smallest, largest);
  }

  bool is_good() const { return good_; }
  bool is_at_end() const { return good_ && bytes_.empty(); }

 private:
  template <typename List>
  void list(List& list) {
    uint64_t size = 0;
    (*this)(size);
    if (size > bytes_.size() / sizeof list[0]) good_ = false;
    if (!good_) return;
    list.resize(size);
    copy(list.data(), size * sizeof list[0]);
  }
  void copy(void* to, size_t count) {
    if (count > bytes_.size()) good_ = false;
    if (!good_ || count == 0) return;
    std::memcpy(to, bytes_.data(), count);
    bytes_.remove_prefix(count);
  }

  std::string_view bytes_;
  bool good_ = true;
};

template <typename Stream, typename Items, typename Use>
void each_of(Stream& stream, Items& items, Use use) {
  uint64_t size = items.size();
  stream(size);
  if constexpr (!std::is_const_v<Items>) items.resize(std::min<uint64_t>(size, kMostAccounts));
  for (auto& item : items) {
    if constexpr (requires { stream.is_good(); }) {
      if (!stream.is_good()) return;
    }
    use(item);
  }
}

// What only the entries tell; the rest is in the header and the notes.
template <typename Stream, typename Facts>
void each_part_of_facts(Stream& stream, Facts& facts) {
  stream(facts.entries_by_kind);
  stream(facts.entries);
  stream(facts.by_function);
  stream(facts.totals);
  stream(facts.sampled);
  stream(facts.gaps);
  stream(facts.gap_ns);
  stream(facts.unseen);
  stream(facts.guarded);
  stream(facts.inherited_blocks);
  stream(facts.inherited_bytes);
  stream(facts.parent_found);
  stream(facts.complete);
  each_of(stream, facts.markers, [&stream](auto& marker) {
    stream(marker.text);
    stream(marker.time_ns);
  });
  // In the order in which a pass meets them.
  each_of(stream, facts.threads, [&stream](auto& thread) {
    stream(thread.index);
    stream(thread.tid);
    stream(thread.name);
  });
}

template <typename Stream, typename Part>
void each_part_of_figures(Stream& stream, Part& figures) {
  using Base = std::conditional_t<std::is_const_v<Part>, const Sums, Sums>;
  using Guesses = std::conditional_t<std::is_const_v<Part>, const Estimates, Estimates>;
  stream(static_cast<Base&>(figures));
  stream(static_cast<Guesses&>(figures));
  stream(figures.smallest);
  stream(figures.largest);
  stream(figures.has_peak);
  stream(figures.peak_bytes);
  stream(figures.peak_blocks);
  stream(figures.peak_time_ns);
  stream(figures.has_lifetimes);
  stream(figures.lifetimes);
  stream(figures.has_sizes);
  stream(figures.common_sizes);
}

// What the book tells: sums over the processes are made anew.
template <typename Stream, typename Whole>
void each_part_of_overview(Stream& stream, Whole& overview) {
  each_part_of_figures(stream, overview.totals);
  stream(overview.has_sites);
  stream(overview.duration_ns);
  stream(overview.peak_time_ns);
  stream(overview.never_freed_bytes);
  stream(overview.never_freed_blocks);
  stream(overview.never_freed_error);
  stream(overview.rss_peak_bytes);
  stream(overview.rss_peak_time_ns);
  stream(overview.live_bytes_at_rss_peak);
  stream(overview.live_blocks_at_rss_peak);
  stream(overview.sizes);
  stream(overview.lifetimes);
  stream(overview.common_sizes);
  stream(overview.series.width_ns);
  stream(overview.series.buckets);
  each_of(stream, overview.markers, [&stream](auto& marker) {
    stream(marker.text);
    stream(marker.time_ns);
    stream(marker.ledger);
  });
}

bool is_simple(const LedgerFacts& facts) {
  const auto entries = [&facts](format::Kind kind) {
    return facts.entries_by_kind[static_cast<unsigned>(kind)];
  };
  return !facts.live && !facts.still_running && facts.damage_count == 0 && facts.heaps.empty() &&
         facts.problems.empty() && facts.bypassed.empty() && entries(format::Kind::kMode) == 0;
}

// Accounts are kept word by word: the same word of all of them together is much alike. Where it is
// what a new account has throughout, nothing is kept.
constexpr size_t kAccountWords = sizeof(Account) / sizeof(uint64_t);
static_assert(kIsPlain<Account> && sizeof(Account) % sizeof(uint64_t) == 0);

uint64_t word_of(const Account& account, size_t word) {
  uint64_t value;
  std::memcpy(&value, reinterpret_cast<const char*>(&account) + word * sizeof value, sizeof value);
  return value;
}

void pack_accounts(Packer& packer, const ClosedAccounts& accounts) {
  packer(accounts.sum());
  packer(accounts.marks());
  packer(accounts.size());
  seal::Compressor compressor(kFastLevel);
  std::vector<uint64_t> column(accounts.size());
  for (size_t word = 0; word < kAccountWords; ++word) {
    const uint64_t usual = word_of(Account{}, word);
    bool differs = false;
    for (uint32_t id = 0; id < accounts.size(); ++id) {
      column[id] = accounts.word(id, word);
      differs = differs || column[id] != usual;
    }
    seal::Bytes stored;
    const auto* from = reinterpret_cast<const unsigned char*>(column.data());
    if (differs) compressor.append({from, column.size() * sizeof column[0]}, stored);
    packer(stored);
  }
}

bool unpack_accounts(Unpacker& unpacker, Accounts& accounts) {
  Account sum;
  Accounts::Marks marks;
  uint32_t size = 0;
  unpacker(sum);
  unpacker(marks);
  unpacker(size);
  if (!unpacker.is_good() || size > kMostAccounts) return false;
  accounts.grow_to(size);
  accounts.restore(sum, marks);
  seal::Decompressor decompressor;
  seal::Bytes stored, column;
  for (size_t word = 0; word < kAccountWords; ++word) {
    unpacker(stored);
    if (!unpacker.is_good()) return false;
    if (stored.empty()) continue;
    if (!decompressor.read(stored, size * sizeof(uint64_t), 0, column)) return false;
    for (uint32_t id = 0; id < size; ++id) {
      std::memcpy(reinterpret_cast<char*>(&accounts.as_it_is(id)) + word * sizeof(uint64_t),
                  column.data() + id * sizeof(uint64_t), sizeof(uint64_t));
    }
  }
  return true;
}

// A site of one of the ledgers that leads to an account.
struct OneSite {
  uint32_t ledger = IdTable::kNone;
  uint32_t site = 0;
};

void pack_sites(Packer& packer, const ClosedAccounts& accounts, LedgerSet& set) {
  std::vector<OneSite> sites(accounts.size());
  for (uint32_t id = 0; id < accounts.size(); ++id) {
    if (accounts.is_merged(id)) continue;
    for (uint32_t ledger = 0; ledger < set.size() && sites[id].ledger == IdTable::kNone; ++ledger) {
      const uint32_t site = set.sites_of(ledger).site_with_account(id);
      if (site != IdTable::kNone) sites[id] = {ledger, site};
    }
  }
  packer(sites);
}

bool unpack_sites(Unpacker& unpacker, uint32_t accounts, LedgerSet& set) {
  std::vector<OneSite> sites;
  unpacker(sites);
  if (!unpacker.is_at_end() || sites.size() != accounts) return false;
  SiteCatalog& catalog = set.catalog();
  for (const OneSite& one : sites) {
    const uint32_t account = catalog.new_account();
    if (one.ledger == IdTable::kNone) continue;
    if (one.ledger >= set.size()) return false;
    const uint32_t node = set.sites_of(one.ledger).node_of(one.site);
    catalog.set_account(node != IdTable::kNone ? node : catalog.unknown_site(), account);
  }
  return true;
}

}  // namespace

std::optional<std::string> pack_pass(const HeapView& view, LedgerSet& set) {
  const std::vector<LedgerFacts>& processes = view.overview.processes;
  if (set.heaps().has_others() || !set.refusals().empty() ||
      !std::all_of(processes.begin(), processes.end(), is_simple)) {
    return std::nullopt;
  }
  Packer packer;
  packer(uint64_t{processes.size()});
  for (const LedgerFacts& facts : processes) each_part_of_facts(packer, facts);
  each_part_of_overview(packer, view.overview);
  packer(view.peaks);
  pack_accounts(packer, view.accounts);
  pack_sites(packer, view.accounts, set);
  return packer.take();
}

bool unpack_pass(std::string_view bytes, LedgerSet& set, std::vector<Brief>& briefs,
                 HeapView& view) {
  if (set.catalog().accounts() != 0) return false;  // numbers of accounts have been given out
  Unpacker unpacker(bytes);
  uint64_t processes = 0;
  unpacker(processes);
  if (!unpacker.is_good() || processes != briefs.size()) return false;
  for (Brief& brief : briefs) {
    if (!brief.facts.problems.empty()) return false;
    LedgerFacts& facts = view.overview.processes.emplace_back(brief.facts);
    each_part_of_facts(unpacker, facts);
    facts.counts = read_counts(*brief.file);
  }
  each_part_of_overview(unpacker, view.overview);
  unpacker(view.peaks);
  Accounts accounts;
  if (!unpacker.is_good() || !unpack_accounts(unpacker, accounts) ||
      !unpack_sites(unpacker, accounts.size(), set)) {
    return false;
  }
  view.accounts = ClosedAccounts(std::move(accounts), set.options().small_accounts);
  return true;
}

}  // namespace heapledger
