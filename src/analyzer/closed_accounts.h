// Accounts after the pass that kept them: nothing is added any more, and most of their fields are
// small or nothing.
#pragma once

#include <cstddef>
#include <cstdint>

#include "analyzer/accounts.h"
#include "analyzer/packed_rows.h"

namespace heapledger {

class ClosedAccounts {
 public:
  ClosedAccounts() = default;
  // `small`: in little memory, which takes a while.
  ClosedAccounts(Accounts accounts, bool small);

  uint32_t size() const {
    return is_small_ ? static_cast<uint32_t>(packed_.size()) : accounts_.size();
  }
  bool is_merged(uint32_t id) const { return merged_into(id) != UINT32_MAX; }

  // Wherever it was merged into, and as it is. Of the common peak and that of the resident memory
  // it has what it held then, whether or not anything came since.
  Account at(uint32_t id) const { return as_it_is(is_merged(id) ? merged_into(id) : id); }
  Account as_it_is(uint32_t id) const { return is_small_ ? packed_[id] : marked(id); }

  // Of one that is as it is a word, and one of its fields.
  uint64_t word(uint32_t id, size_t number) const;
  uint64_t field(uint32_t id, uint64_t Account::*field) const {
    return is_small_ ? word(id, word_of(field)) : marked(id).*field;
  }

  // Of all together; its other fields than calls, live and peak are not kept.
  const Account& sum() const { return accounts_.sum(); }
  Accounts::Marks marks() const { return accounts_.marks(); }

 private:
  static size_t word_of(uint64_t Account::*field) {
    static const Account any;
    const auto* at = reinterpret_cast<const char*>(&(any.*field));
    return static_cast<size_t>(at - reinterpret_cast<const char*>(&any)) / sizeof(uint64_t);
  }
  uint32_t merged_into(uint32_t id) const {
    constexpr size_t kPlace = offsetof(Account, merged_into) / sizeof(uint32_t);
    return is_small_ ? packed_.word(id, kPlace) : accounts_.as_it_is(id).merged_into;
  }
  Account marked(uint32_t id) const;

  bool is_small_ = false;
  PackedRows<Account> packed_;
  Accounts accounts_;  // none, if they are packed, but their sum and marks
};

}  // namespace heapledger
