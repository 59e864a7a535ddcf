// A live heap of four blocks that every figure can be worked out of on paper, and how it becomes a
// ledger in memory.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cores/to_ledger.h"

namespace heapledger::test {

inline constexpr uint64_t kSecond = 1'000'000'000;

// main calls parse, render and cache. What of the calls of parse and cache is not live was freed.
inline cores::LiveHeap example_heap() {
  cores::LiveHeap heap;
  heap.pid = 4711;
  heap.parent_pid = 4700;
  heap.executable = "/bin/app";
  heap.command = {"app", "--fast run"};
  heap.host = "tower";
  heap.folder = "/srv";
  heap.runtime = "1.2.3";
  heap.allocator = "/lib/libc.so.6";
  heap.started_ns = 1'800'000'000 * kSecond;
  heap.now_ns = 10 * kSecond;
  heap.rss_bytes = 1 << 20;
  heap.missed = 3;
  auto add_module = [&heap](uint64_t start, const char* build_id, const char* path) {
    cores::Module& module = heap.modules.emplace_back();
    module.start = module.bias = start;
    module.end = start + 0x100000;
    module.build_id = build_id;
    module.path = path;
  };
  add_module(0x400000, "\x01\xab", "/bin/app");
  add_module(0x700000, "\x02\xcd", "/lib/libwork.so");
  heap.threads.push_back({11, "main"});
  heap.threads.push_back({12, "worker"});
  heap.has_accounts = true;
  heap.sites.push_back({0x401010, 0, 1, 0, 0, 0});        // 1: main
  heap.sites.push_back({0x401020, 1, 1, 10, 1000, 400});  // 2: parse
  heap.sites.push_back({0x702000, 1, 2, 1, 1000, 1000});  // 3: render
  heap.sites.push_back({0x401040, 1, 1, 5, 500, 300});    // 4: cache
  heap.blocks.push_back({0x30000, 1000, 3 * kSecond, 3, 2});
  heap.blocks.push_back({0x10000, 100, 1 * kSecond, 2, 1});
  heap.blocks.push_back({0x20000, 50, 2 * kSecond, 2, 2});
  heap.blocks.push_back({0x40000, 7, 3 * kSecond, 0, 0});
  return heap;
}

// The raw ledger that it makes.
inline std::string ledger_of(const cores::LiveHeap& heap,
                             std::vector<std::string>* problems = nullptr) {
  std::string path = testing::TempDir() + "live_heap_" + std::to_string(::getpid()) + ".ledger";
  std::vector<std::string> told = cores::write_ledger(heap, path);
  if (problems != nullptr) *problems = std::move(told);
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  ::unlink(path.c_str());
  return bytes.str();
}

}  // namespace heapledger::test
