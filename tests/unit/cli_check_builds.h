// Two builds of one small program, the later with everything elsewhere: other addresses, other
// lines, another folder. For the tests of differences and gates; and the comparison with golden
// texts.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "golden.h"
#include "query_bytes.h"
#include "query_world.h"

namespace heapledger::test {

// Sites: 1 main; 2 main > parse; 3 main > draw; 4 main > parse > parse; 5 main > libz without
// names; 6 main > parse, from another line; 7 main > save; 8 main > parse > copy inlined in parse;
// 9 main > parse > parse > copy.
struct Build {
  explicit Build(std::string id, uint64_t moved = 0, std::string library_id = "zlib")
      : id_(std::move(id)), moved_(moved) {
    auto& to = window();
    to.thread(0, 0, 100 + moved, "app");
    to.module(0, 1, 0x10000, 0x90000, 0x10000, id_, path());
    to.module(0, 2, 0x100000, 0x190000, 0x100000, library_id, "/usr/lib/libz.so.1");
    site(1, 0, 0x100, "main", "app.cpp", 10);
    site(2, 1, 0x200, "parse(Input&)", "parse.cpp", 20);
    site(3, 1, 0x300, "draw()", "draw.cpp", 30);
    site(4, 2, 0x400, "parse(Input&)", "parse.cpp", 24);
    to.site(0, 5, 1, 2, 0x100551);
    site(6, 1, 0x600, "parse(Input&)", "parse.cpp", 27);
    site(7, 1, 0x700, "save()", "save.cpp", 70);
    site(8, 2, 0x800, "copy()", "copy.h", 5, "parse(Input&)");
    site(9, 4, 0x900, "copy()", "copy.h", 5);
  }

  std::string path() const { return moved_ == 0 ? "/old/app" : "/new/app"; }
  WindowBuilder& window() { return ledger_.window(0); }

  // One more block, at the next moment; its address.
  uint64_t take(uint64_t size, uint32_t at_site) {
    next_ += 0x100000;
    window().malloc(++time_, next_, size, at_site);
    return next_;
  }
  void give(uint64_t address) { window().free(++time_, address); }
  void mark(const char* text) { window().marker(++time_, text); }
  void memory(uint64_t rss) { window().memory(++time_, rss, rss); }

  Ledgers open() {
    Ledgers ledgers = open_bytes({ledger_.bytes()});
    ledgers.use_symbols(&symbols_);
    return ledgers;
  }
  Ledgers open_without_names() { return open_bytes({ledger_.bytes()}); }

 private:
  void site(uint32_t number, uint32_t parent, uint64_t offset, const char* function,
            const char* file, uint32_t line, const char* inlined_into = nullptr) {
    uint64_t address = offset + moved_;
    window().site(0, number, parent, 1, 0x10000 + address);
    std::string folder = moved_ == 0 ? "/old/src/" : "/new/src/";
    auto shift = static_cast<uint32_t>(moved_ / 16);
    std::vector<SymbolFrame> frames;
    frames.push_back({symbols_.intern(function), symbols_.intern(folder + file), line + shift,
                      inlined_into != nullptr});
    if (inlined_into != nullptr) {
      frames.push_back({symbols_.intern(inlined_into), symbols_.intern(folder + "parse.cpp"),
                        29 + shift, false});
    }
    symbols_.set(symbols_.module(path(), id_), address - 1, frames);
  }

  std::string id_;
  uint64_t moved_;
  LedgerBuilder ledger_;
  SymbolTable symbols_;
  uint64_t time_ = 1'000'000;
  uint64_t next_ = 0x7f0000000000;
};

// Old: parse 200 + 70 by recursion, draw 50 (gone by then), libz 30; 350 allocated in 5 calls, peak
// 300 when everything but draw is there, 30 never freed.
inline std::unique_ptr<Build> old_build() {
  auto build = std::make_unique<Build>("one");
  build->give(build->take(50, 3));
  uint64_t a = build->take(100, 2);
  uint64_t b = build->take(100, 2);
  uint64_t c = build->take(70, 4);
  build->take(30, 5);
  build->memory(4096);
  for (uint64_t address : {a, b, c}) build->give(address);
  return build;
}

// New: parse 100 + 400 from two lines and 70 by recursion, libz 30, save 1000 that is never freed;
// 1600 allocated in 5 calls, all of it at the peak.
inline std::unique_ptr<Build> new_build(const char* library_id = "zlib") {
  auto build = std::make_unique<Build>("two", 0x1000, library_id);
  uint64_t a = build->take(100, 2);
  uint64_t b = build->take(400, 6);
  uint64_t c = build->take(70, 4);
  build->take(30, 5);
  build->take(1000, 7);
  build->memory(8192);
  for (uint64_t address : {a, b, c}) build->give(address);
  return build;
}

}  // namespace heapledger::test
