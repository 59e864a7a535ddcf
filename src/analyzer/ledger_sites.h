// The sites and modules of one ledger, by the numbers it uses for them, and the accounts they lead
// to. An entry may come before the description of its site, if another thread wrote that: its
// site then has a provisional account, which is merged into the right one later.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/account_numbers.h"
#include "analyzer/id_table.h"
#include "analyzer/site_catalog.h"

namespace heapledger {

class LedgerSites {
 public:
  explicit LedgerSites(SiteCatalog& catalog) : catalog_(catalog) {}

  // Who keeps the accounts from now on; the same numbers stand for the same sites.
  void set_accounts(AccountNumbers& accounts) { accounts_ = &accounts; }

  // Each site is described once; a module again whenever something else is loaded under its number.
  void define_module(uint32_t id, uint64_t bias, std::string_view path, std::string_view build_id);
  void define_site(uint32_t id, uint32_t parent, uint32_t module, uint64_t pc, Moment moment);
  // Entries of kinds kFrame, kCode and kChain.
  void define_frame(std::string_view fields, Moment moment);
  void define_code(std::string_view fields);
  void define_chain(std::string_view fields, Moment moment);

  // The site in the catalog; IdTable::kNone when it has not been described.
  uint32_t node_of(uint32_t site) const { return nodes_.find(site); }

  // IdTable::kNone when the site was never used.
  uint32_t known_account_of(uint32_t site) const { return accounts_of_.find(site); }
  void prefetch(uint32_t site) const { accounts_of_.prefetch(site); }
  // Back from an account of malloc's heap that was given out here: one of the sites that lead to
  // it, or did before they were described.
  uint32_t site_with_account(uint32_t account) const { return sites_with_.find(account); }

  uint32_t account_of(uint32_t site) {
    uint32_t account = accounts_of_.find(site);
    return account != IdTable::kNone ? account : first_use(site);
  }

  // The same in another heap than malloc's.
  uint32_t account_in(uint32_t heap, uint32_t site) {
    auto [found, is_new] = other_accounts_.try_emplace(key_of(heap, site), 0);
    if (is_new) found->second = first_use_in(heap, site);
    return found->second;
  }

  // All descriptions have been seen: settles what was provisional.
  void finish(Moment moment);

 private:
  struct Module {
    uint32_t id;  // in the catalog
    uint64_t bias;
  };
  struct Code {
    uint32_t module;
    uint64_t pc;
  };
  struct Description {
    uint32_t parent;
    uint32_t module;
    uint64_t pc;
    std::shared_ptr<const NamedCall> call;  // instead of the pc
    uint32_t code = 0;                      // or of both, if it is not 0
  };

  void define(uint32_t id, const Description& site, Moment moment);
  // Null: not known yet.
  const Code* code_of(uint32_t number) const;
  const Module* module_of(uint32_t id);
  uint32_t site_in_catalog(uint32_t parent, const Module& where, const Description& site);

  // Ordered by site: all that wait for one are together.
  static uint64_t key_of(uint32_t heap, uint32_t site) { return uint64_t{site} << 32 | heap; }

  uint32_t new_account(uint32_t heap) {
    uint32_t account = catalog_.new_account();
    accounts_->added(account, heap);
    return account;
  }
  uint32_t first_use(uint32_t site);
  uint32_t first_use_in(uint32_t heap, uint32_t site);
  uint32_t account_of_node(uint32_t node);
  uint32_t account_of_node_in(uint32_t heap, uint32_t node);
  void settle(uint32_t id, uint32_t node, Moment moment);
  void set_account(uint32_t site, uint32_t account) {
    accounts_of_.set(site, account);
    sites_with_.set(account, site);
  }

  SiteCatalog& catalog_;
  AccountNumbers* accounts_ = nullptr;
  std::unordered_map<uint32_t, Module> modules_;
  uint32_t last_asked_ = 0;  // a module, and what it is: the next one is mostly the same
  const Module* last_found_ = nullptr;
  std::vector<Code> codes_;
  IdTable code_places_;
  IdTable nodes_;
  IdTable accounts_of_;
  IdTable sites_with_;                                     // by account
  std::unordered_map<uint64_t, uint32_t> other_accounts_;  // by key_of()
  std::map<uint64_t, uint32_t> provisional_;               // by key_of(), to account
  std::map<uint32_t, Description> unsettled_;              // parent or module not yet known
};

}  // namespace heapledger
