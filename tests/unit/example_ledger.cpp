#include "example_ledger.h"

#include "ledger_builder.h"

namespace heapledger::test {
namespace {

using format::InfoKey;
using format::Kind;

constexpr uint64_t kMs = 1'000'000;

void describe(WindowBuilder& window) {
  using namespace std::string_view_literals;
  window.info(0, InfoKey::kCommand, "example\0--input\0a file\0\x1b[31mred\0"sv)
      .info(0, InfoKey::kExecutable, "/opt/example/bin/example")
      .info(0, InfoKey::kHost, "box")
      .info(0, InfoKey::kFolder, "/home/someone")
      .info(0, InfoKey::kRuntime, "1.0.0")
      .module(0, 1, 0x400000, 0x480000, 0, "\x12\x34\xab\xcd", "/opt/example/bin/example")
      .module(0, 2, 0x7f0000000000, 0x7f0000200000, 0x7f0000000000, "\xfe\xdc",
              "/lib/x86_64-linux-gnu/libc.so.6")
      .module(0, 3, 0x7f1000000000, 0x7f1000100000, 0x7f1000000000, "", "/tmp/evil\x1b[2J.so")
      .site(0, 1, 0, 1, 0x401234)
      .site(0, 2, 0, 2, 0x7f0000085abc)
      .site(0, 3, 0, 3, 0x7f1000000010)
      .site(0, 4, 0, 0, 0x7fff00001000);
}

// Builds the example; the child is forked in the middle of it.
LedgerBuilder build(LedgerBuilder* child) {
  LedgerBuilder ledger;
  ledger.header.run_id = 0xc0ffee;
  ledger.header.exit_ticks = kStartTicks + 950 * kMs;
  auto& main = ledger.window(0);
  main.thread(0, 0, 42, "example");
  describe(main);
  main.memory(1 * kMs, 3 << 20, 3 << 20);
  for (uint64_t i = 0; i < 1000; ++i) main.malloc(10 * kMs + i, 0x10000 + 0x400 * i, 1000, 1);
  main.allocate(Kind::kCalloc, 20 * kMs, 0x900000, 1 << 20, 2).flush();
  for (uint64_t i = 0; i < 300; ++i) {
    main.malloc(30 * kMs + 2 * i, 0x800000, 64, 3).free(30 * kMs + 2 * i + 1, 0x800000);
  }
  main.aligned(Kind::kPosixMemalign, 40 * kMs, 0xa00000, 4096, 4096, 2);
  main.allocate(Kind::kReallocNew, 41 * kMs, 0xb00000, 100, 1);
  main.resize(42 * kMs, 0xb00000, 43 * kMs, 0xb10000, 200'000, 1);
  auto& helper = ledger.window(1);
  helper.thread(50 * kMs, 1, 43, "helper\n").malloc(51 * kMs, 0xc00000, 2 << 20, 4);
  main.fork(60 * kMs);
  if (child != nullptr) {
    child->header.pid = 44;
    child->header.parent_pid = 42;
    child->header.run_id = ledger.header.run_id;
    child->header.origin = 1;
    child->header.parent_window = main.id();
    child->header.parent_seq = main.seq();
    child->header.parent_offset = main.used();
    child->header.start = {kStartTicks + 60 * kMs, 9'060 * kMs, kStartRealtime + 60 * kMs};
    child->header.latest[1] = {kStartTicks + 160 * kMs, 9'160 * kMs, kStartRealtime + 160 * kMs};
  }
  main.memory(70 * kMs, 6 << 20, 7 << 20).unload(80 * kMs, 3);
  for (uint64_t i = 0; i < 900; ++i) main.free(100 * kMs + i, 0x10000 + 0x400 * i);
  main.free(200 * kMs, 0x900000).free_by(Kind::kFreeSized, 201 * kMs, 0xa00000);
  helper.free(300 * kMs, 0xc00000);
  return ledger;
}

}  // namespace

std::string example_ledger() {
  return build(nullptr).bytes();
}

std::string example_child() {
  LedgerBuilder child;
  build(&child);
  auto& window = child.window(0);
  window.thread(0, 0, 44, "example");
  describe(window);
  window.info(0, InfoKey::kParentLedger, "/home/someone/example.42.ledger");
  window.free(1 * kMs, 0x900000).free(2 * kMs, 0xb10000).malloc(3 * kMs, 0x900000, 500'000, 2);
  return child.bytes();
}

}  // namespace heapledger::test
