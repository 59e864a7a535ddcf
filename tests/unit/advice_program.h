// Programs for the tests of advice: made-up code with names and lines, and what it does to the heap
// call by call. Time goes on by a microsecond with every call.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "advice/advice.h"
#include "ledger_builder.h"
#include "query_bytes.h"
#include "symbols/symbol_table.h"

namespace heapledger::test {

class Program {
 public:
  Program() {
    ledger_.window(0)
        .module(0, 1, kBias, kBias + 0x100000, kBias, "id", "/bin/app")
        .thread(0, 0, 100, "main");
  }

  Program& allocator(const std::string& path) {
    ledger_.window(0).info(time_, format::InfoKey::kAllocator, path);
    return *this;
  }

  // A site: the code that calls malloc, called by `caller`, another site.
  uint32_t code(const std::string& function, const std::string& file, uint32_t line,
                uint32_t caller = 0) {
    uint32_t site = ++sites_;
    uint64_t address = 0x100 + 0x10 * site;
    auto known = places_.emplace(function + file + std::to_string(line), address);
    address = known.first->second;
    SymbolFrame frame{symbols_.intern(function), symbols_.intern(file), line, false};
    symbols_.set(symbols_.module("/bin/app", "id"), address - 1, {&frame, 1});
    ledger_.window(0).site(time_, site, caller, 1, kBias + address);
    return site;
  }

  uint64_t malloc(uint32_t site, uint64_t size, uint32_t thread = 0) {
    uint64_t address = fresh();
    ledger_.window(thread).malloc(next(), address, size, site);
    return address;
  }
  uint64_t aligned(uint32_t site, uint64_t alignment, uint64_t size) {
    uint64_t address = fresh();
    ledger_.window(0).aligned(format::Kind::kAlignedAlloc, next(), address, size, alignment, site);
    return address;
  }
  uint64_t realloc(uint32_t site, uint64_t old, uint64_t size, bool moves) {
    uint64_t address = moves ? fresh() : old;
    uint64_t time = next();
    ledger_.window(0).resize(time, old, time + 10, address, size, site);
    return address;
  }
  void free(uint64_t address, uint32_t thread = 0) { ledger_.window(thread).free(next(), address); }
  void free_all(std::vector<uint64_t>& blocks, uint32_t thread = 0) {
    for (uint64_t block : blocks) free(block, thread);
    blocks.clear();
  }

  // Something else, so that what comes before it is not the last operation of the thread.
  void other() {
    if (other_ == 0) other_ = code("other()", "other.cpp", 1);
    if (kept_ != 0) free(kept_);
    kept_ = malloc(other_, 10);
  }

  // Until so many milliseconds after the start nothing happens.
  void wait_until(uint64_t milliseconds) { time_ = milliseconds * 1'000'000; }

  Ledgers open() {
    Ledgers ledgers = open_bytes({ledger_.bytes()});
    ledgers.use_symbols(&symbols_);
    return ledgers;
  }

  Advice advise(const std::vector<Rule>& only = {}, size_t top = 100) {
    Ledgers ledgers = open();
    AdviceOptions options;
    options.only = only;
    options.top = top;
    options.replay = false;
    return heapledger::advise(ledgers, options);
  }

 private:
  static constexpr uint64_t kBias = 0x400000;

  uint64_t next() { return time_ += 1000; }
  uint64_t fresh() { return address_ += 0x1000000; }

  LedgerBuilder ledger_;
  SymbolTable symbols_;
  std::map<std::string, uint64_t> places_;
  uint64_t time_ = 0;
  uint64_t address_ = 0;
  uint32_t sites_ = 0;
  uint32_t other_ = 0;
  uint64_t kept_ = 0;
};

}  // namespace heapledger::test
