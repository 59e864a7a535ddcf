// A program made up for a test: a ledger with blocks of given sizes and stacks, all in one module,
// and the names of its functions.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/query.h"
#include "ledger_builder.h"
#include "query_world.h"
#include "symbols/symbol_table.h"

namespace heapledger::test {

class NamedProgram {
 public:
  using Stack = std::vector<std::string>;  // the innermost first

  NamedProgram() { ledger_.window(0).module(0, 1, kBias, kBias + 0x1000000, kBias, "", kPath); }

  void add(const Stack& stack, uint64_t bytes) {
    uint32_t parent = 0;
    for (auto name = stack.rbegin(); name != stack.rend(); ++name) {
      const uint64_t pc = 0x100 * (1 + place_of(*name)) + 0x10;
      auto [found, is_new] = sites_.try_emplace({parent, pc}, sites_.size() + 1);
      if (is_new) ledger_.window(0).site(1, found->second, parent, 1, kBias + pc);
      parent = found->second;
    }
    ++blocks_;
    ledger_.window(0).malloc(blocks_, 0x7000'0000 + 0x1000 * blocks_, bytes, parent);
  }

  // Of what has been added. To be used before it is asked for again.
  Ledgers& ledgers(bool names = true) {
    symbols_ = {};
    const uint32_t module = symbols_.module(kPath, "");
    for (const auto& [name, place] : places_) {
      const SymbolFrame frame{symbols_.intern(name)};
      symbols_.set(module, 0x100 * (1 + place) + 0x10 - 1, {&frame, 1});
    }
    std::vector<Ledgers::Opener> opener = {
        [bytes = ledger_.bytes()] { return in_memory("x.ledger", bytes); }};
    opened_ = std::make_unique<Ledgers>(std::move(opener), Options{});
    opened_->overview();
    if (names) opened_->use_symbols(&symbols_);
    return *opened_;
  }

 private:
  static constexpr uint64_t kBias = 0x40'0000;
  static constexpr const char* kPath = "/opt/app";

  uint64_t place_of(const std::string& name) {
    return places_.try_emplace(name, places_.size()).first->second;
  }

  LedgerBuilder ledger_;
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> sites_;
  std::map<std::string, uint64_t> places_;
  SymbolTable symbols_;
  std::unique_ptr<Ledgers> opened_;
  uint64_t blocks_ = 0;
};

}  // namespace heapledger::test
