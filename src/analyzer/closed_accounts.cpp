#include "analyzer/closed_accounts.h"

#include <cstring>
#include <utility>

namespace heapledger {

ClosedAccounts::ClosedAccounts(Accounts accounts, bool small)
    : is_small_(small), accounts_(std::move(accounts)) {
  if (!small) return;
  for (uint32_t id = 0; id < accounts_.size(); ++id) packed_.add(marked(id));
  packed_.finish();
  const Account sum = accounts_.sum();
  const Accounts::Marks marks = accounts_.marks();
  accounts_ = {};
  accounts_.restore(sum, marks);
}

Account ClosedAccounts::marked(uint32_t id) const {
  Account account = accounts_.as_it_is(id);
  const Accounts::Marks marks = accounts_.marks();
  if (account.mark != marks.mark) {
    account.marked_bytes = account.live_bytes;
    account.marked_blocks = account.live_blocks;
    account.marked_variance = account.live_variance;
    account.mark = marks.mark;
  }
  if (account.rss_mark != marks.rss_mark) {
    account.rss_marked_bytes = account.live_bytes;
    account.rss_marked_blocks = account.live_blocks;
    account.rss_marked_variance = account.live_variance;
    account.rss_mark = marks.rss_mark;
  }
  return account;
}

uint64_t ClosedAccounts::word(uint32_t id, size_t number) const {
  if (is_small_) {
    return packed_.word(id, 2 * number) | uint64_t{packed_.word(id, 2 * number + 1)} << 32;
  }
  const Account account = marked(id);
  uint64_t word;
  std::memcpy(&word, reinterpret_cast<const char*>(&account) + number * sizeof word, sizeof word);
  return word;
}

}  // namespace heapledger
