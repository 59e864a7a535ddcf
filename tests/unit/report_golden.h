// The ledgers that the golden reports are of, with and without names, and the comparison.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "analyze_bytes.h"
#include "analyzer/query.h"
#include "example_ledger.h"
#include "golden.h"
#include "ledger_builder.h"
#include "seal_bytes.h"
#include "symbols/symbol_table.h"

namespace heapledger::test {

inline Ledgers open_example() {
  return open_named({{"example.42.ledger", example_ledger()}});
}

inline Ledgers open_family() {
  return open_named(
      {{"example.42.ledger", example_ledger()}, {"example.44.ledger", example_child()}});
}

// A text tool: main reads a file (load, with a vector that grows in it), parses it into nodes and
// leaves a cache behind; a worker draws. All figures are round, so that a reader can add them up.
//
//   main → load → vector::push_back → operator new    resized 64 KiB, 128 KiB … 1 MiB, freed at 80
//   ms main → parse (inlined: make_node) → operator new  1,000 nodes of 100 bytes, 900 freed at 60
//   ms main → intern_table                               5,000 bytes, never freed draw_all → draw
//   200 blocks of 2,000 bytes, each freed at once
struct TextTool {
  TextTool() {
    constexpr uint64_t kMs = 1'000'000;
    ledger.header.exit_ticks = kStartTicks + 100 * kMs;
    ledger.header.latest[1] = {kStartTicks + 100 * kMs, 9'100 * kMs, kStartRealtime + 100 * kMs};
    auto& main = ledger.window(0);
    using namespace std::string_view_literals;
    main.thread(0, 0, 100, "main")
        .info(0, format::InfoKey::kCommand, "texttool\0book.txt\0"sv)
        .info(0, format::InfoKey::kExecutable, "/usr/bin/texttool")
        .module(0, 1, 0x1000, 0x9000, 0x1000, "id", "/usr/bin/texttool")
        .module(0, 2, 0x10000, 0x19000, 0x10000, "lib", "/usr/lib/libstdc++.so.6")
        .site(0, 1, 0, 1, 0x1011)   // main
        .site(0, 2, 1, 1, 0x1021)   // load
        .site(0, 3, 2, 1, 0x1031)   // push_back
        .site(0, 4, 3, 2, 0x10041)  // operator new
        .site(0, 5, 1, 1, 0x1051)   // parse, make_node
        .site(0, 6, 5, 2, 0x10041)  // operator new
        .site(0, 7, 1, 1, 0x1071)   // intern_table
        .site(0, 8, 0, 1, 0x1081)   // draw_all
        .site(0, 9, 8, 1, 0x1091);  // draw
    name_all();
    main.memory(1 * kMs, 1 << 20, 1 << 20, 1 << 19);
    main.malloc(5 * kMs, 0x900000, 5000, 7);
    main.malloc(10 * kMs, 0x100000, 64 << 10, 4);
    for (uint64_t i = 0; i < 4; ++i) {
      main.malloc((11 + i) * kMs, 0x200000 + 0x200000 * i, uint64_t{128 << 10} << i, 4);
      main.free((11 + i) * kMs + 10, i == 0 ? 0x100000 : 0x200000 * i);
    }
    main.marker(20 * kMs, "loaded");
    for (uint64_t i = 0; i < 1000; ++i) main.malloc(30 * kMs + i, 0x1000000 + 128 * i, 100, 6);
    main.memory(40 * kMs, 2 << 20, 2 << 20, 1 << 19);
    for (uint64_t i = 0; i < 900; ++i) main.free(60 * kMs + i, 0x1000000 + 128 * i);
    main.free(80 * kMs, 0x800000);
    auto& worker = ledger.window(1);
    worker.thread(50 * kMs, 1, 101, "worker");
    for (uint64_t i = 0; i < 200; ++i) {
      worker.malloc(50 * kMs + 1000 * i, 0x3000000, 2000, 9)
          .free(50 * kMs + 1000 * i + 500, 0x3000000);
    }
  }

  Ledgers open() {
    Ledgers ledgers = open_named({{"texttool.100.ledger", ledger.bytes()}});
    ledgers.use_symbols(&symbols);
    return ledgers;
  }

  Ledgers open_sealed() {
    Ledgers ledgers = open_named({{"texttool.100.ledger", sealed(ledger.bytes(), {})}});
    ledgers.use_symbols(&symbols);
    return ledgers;
  }

  LedgerBuilder ledger;
  SymbolTable symbols;

 private:
  SymbolFrame frame(const char* function, const char* file, uint32_t line, bool inlined = false) {
    return {symbols.intern(function), symbols.intern(file), line, inlined};
  }
  void set(const char* module, const char* id, uint64_t address, std::vector<SymbolFrame> frames) {
    symbols.set(symbols.module(module, id), address, frames);
  }
  void name_all() {
    const char* tool = "/usr/bin/texttool";
    set(tool, "id", 0x10, {frame("main", "/src/texttool/main.cpp", 10)});
    set(tool, "id", 0x20, {frame("load(char const*)", "/src/texttool/load.cpp", 20)});
    set(tool, "id", 0x30, {frame("std::vector<char>::push_back(char)", "/usr/include/vector", 30)});
    set("/usr/lib/libstdc++.so.6", "lib", 0x40, {frame("operator new(unsigned long)", "", 0)});
    set(tool, "id", 0x50,
        {frame("make_node(int)", "/src/texttool/node.h", 5, true),
         frame("parse(std::string_view)", "/src/texttool/parse.cpp", 50)});
    set(tool, "id", 0x70, {frame("intern_table()", "/src/texttool/intern.cpp", 70)});
    set(tool, "id", 0x80, {frame("draw_all()", "/src/texttool/draw.cpp", 80)});
    set(tool, "id", 0x90, {frame("draw(int)", "/src/texttool/draw.cpp", 90)});
  }
};

}  // namespace heapledger::test
