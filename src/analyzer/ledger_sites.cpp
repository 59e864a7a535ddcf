#include "analyzer/ledger_sites.h"

#include <algorithm>

#include "format/heap_event.h"

namespace heapledger {

void LedgerSites::define_module(uint32_t id, uint64_t bias, std::string_view path,
                                std::string_view build_id) {
  modules_.insert_or_assign(id, Module{catalog_.module(path, build_id), bias});
}

void LedgerSites::define_site(uint32_t id, uint32_t parent, uint32_t module, uint64_t pc,
                              Moment moment) {
  define(id, {parent, module, pc, nullptr}, moment);
}

void LedgerSites::define_frame(std::string_view fields, Moment moment) {
  format::FieldReader from(fields);
  uint64_t id, parent, kind, module, line, file_bytes;
  std::string_view file;
  if (!from.number(id) || !from.number(parent) || !from.number(kind) || !from.number(module) ||
      !from.number(line) || !from.number(file_bytes) || !from.bytes(file_bytes, file) ||
      std::max({id, parent, kind, module, line}) > UINT32_MAX) {
    return;
  }
  NamedCall call{static_cast<format::FrameKind>(kind), std::string(from.rest()), std::string(file),
                 static_cast<uint32_t>(line)};
  define(static_cast<uint32_t>(id),
         {static_cast<uint32_t>(parent), static_cast<uint32_t>(module), 0,
          std::make_shared<const NamedCall>(std::move(call))},
         moment);
}

void LedgerSites::define_code(std::string_view fields) {
  format::FieldReader from(fields);
  uint64_t number, module, pc;
  if (!from.number(number) || !from.number(module) || !from.number(pc) || number == 0 ||
      std::max(number, module) > UINT32_MAX) {
    return;
  }
  if (code_of(static_cast<uint32_t>(number)) != nullptr) return;
  code_places_.set(static_cast<uint32_t>(number), static_cast<uint32_t>(codes_.size()));
  codes_.push_back({static_cast<uint32_t>(module), pc});
}

void LedgerSites::define_chain(std::string_view fields, Moment moment) {
  format::FieldReader from(fields);
  uint64_t id, distance, code;
  if (!from.number(id) || !from.number(distance) || distance > id) return;
  uint64_t parent = id - distance;
  for (; from.number(code) && std::max(id, code) <= UINT32_MAX; parent = id++) {
    const Code* known = code_of(static_cast<uint32_t>(code));
    Description site = {static_cast<uint32_t>(parent), 0, 0, nullptr, static_cast<uint32_t>(code)};
    if (known != nullptr) site = {site.parent, known->module, known->pc, nullptr};
    define(static_cast<uint32_t>(id), site, moment);
  }
}

const LedgerSites::Code* LedgerSites::code_of(uint32_t number) const {
  uint32_t place = code_places_.find(number);
  return place == IdTable::kNone ? nullptr : &codes_[place];
}

const LedgerSites::Module* LedgerSites::module_of(uint32_t id) {
  if (last_found_ != nullptr && last_asked_ == id) return last_found_;
  auto found = modules_.find(id);
  if (found == modules_.end()) return nullptr;
  last_asked_ = id;
  return last_found_ = &found->second;
}

void LedgerSites::define(uint32_t id, const Description& site, Moment moment) {
  if (id == 0 || nodes_.find(id) != IdTable::kNone) return;
  uint32_t parent = site.parent == 0 ? SiteCatalog::kRoot : nodes_.find(site.parent);
  const Module* found = site.module == 0 ? nullptr : module_of(site.module);
  if (site.code != 0 || parent == IdTable::kNone || (site.module != 0 && found == nullptr)) {
    unsettled_.try_emplace(id, site);
    return;
  }
  Module where = found == nullptr ? Module{SiteCatalog::kNoModule, 0} : *found;
  settle(id, site_in_catalog(parent, where, site), moment);
}

uint32_t LedgerSites::site_in_catalog(uint32_t parent, const Module& where,
                                      const Description& site) {
  return site.call != nullptr ? catalog_.named_site(parent, where.id, *site.call)
                              : catalog_.site(parent, where.id, where.bias, site.pc);
}

uint32_t LedgerSites::first_use(uint32_t site) {
  uint32_t node = nodes_.find(site);
  uint32_t account =
      node == IdTable::kNone ? new_account(format::kMallocHeap) : account_of_node(node);
  if (node == IdTable::kNone) provisional_.emplace(key_of(format::kMallocHeap, site), account);
  set_account(site, account);
  return account;
}

uint32_t LedgerSites::first_use_in(uint32_t heap, uint32_t site) {
  uint32_t node = nodes_.find(site);
  if (node != IdTable::kNone) return account_of_node_in(heap, node);
  return provisional_.emplace(key_of(heap, site), new_account(heap)).first->second;
}

uint32_t LedgerSites::account_of_node(uint32_t node) {
  if (catalog_.account_of(node) == SiteCatalog::kNoAccount) {
    catalog_.set_account(node, new_account(format::kMallocHeap));
  }
  return catalog_.account_of(node);
}

uint32_t LedgerSites::account_of_node_in(uint32_t heap, uint32_t node) {
  if (heap == format::kMallocHeap) return account_of_node(node);
  uint32_t& account = catalog_.account_in(heap, node);
  if (account == SiteCatalog::kNoAccount) account = new_account(heap);
  return account;
}

void LedgerSites::settle(uint32_t id, uint32_t node, Moment moment) {
  nodes_.set(id, node);
  auto found = provisional_.lower_bound(key_of(0, id));
  while (found != provisional_.end() && found->first >> 32 == id) {
    auto heap = static_cast<uint32_t>(found->first);
    uint32_t account = account_of_node_in(heap, node);
    accounts_->merge(found->second, account, moment);
    if (heap == format::kMallocHeap) {
      set_account(id, account);
    } else {
      other_accounts_[found->first] = account;
    }
    found = provisional_.erase(found);
  }
}

void LedgerSites::finish(Moment moment) {
  // Parents have lower numbers than their children, so they are settled first.
  for (auto& [id, description] : unsettled_) {
    if (nodes_.find(id) != IdTable::kNone) continue;
    if (const Code* code = code_of(description.code); code != nullptr) {
      description.module = code->module;
      description.pc = code->pc;
    }
    uint32_t parent = nodes_.find(description.parent);
    if (parent == IdTable::kNone) parent = SiteCatalog::kRoot;
    const Module* found = module_of(description.module);
    Module where = found == nullptr ? Module{SiteCatalog::kNoModule, 0} : *found;
    settle(id, site_in_catalog(parent, where, description), moment);
  }
  unsettled_.clear();
  while (!provisional_.empty()) {
    auto site = static_cast<uint32_t>(provisional_.begin()->first >> 32);
    settle(site, catalog_.unknown_site(), moment);
  }
}

}  // namespace heapledger
