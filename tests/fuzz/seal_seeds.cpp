// Writes the seeds of the fuzzer of sealed ledgers into a folder: small ones with every kind of
// entry, several windows, checkpoints and symbols, compressed and not.
#include <string>

#include "analyzer/seal/sealer.h"
#include "example_ledger.h"
#include "ledger_builder.h"
#include "seed_folder.h"

namespace {

using heapledger::test::LedgerBuilder;
namespace seal = heapledger::seal;

class StringSink final : public seal::ByteSink {
 public:
  void append(const void* bytes, size_t count) override {
    text.append(static_cast<const char*>(bytes), count);
  }
  std::string text;
};

std::string sealed(const std::string& raw, int level) {
  StringSink sink;
  seal::SealOptions options;
  options.level = level;
  options.symbols = "symbols";
  options.checkpoints.entries = 10;
  options.checkpoints.entries_per_block = 0;
  seal::seal([&raw] { return heapledger::in_memory("raw", raw); }, sink, options);
  return sink.text;
}

std::string threads_and_chunks() {
  LedgerBuilder ledger;
  for (unsigned t = 0; t < 60; ++t) {
    ledger.window(t % 3).malloc(4 * t, 0x1000 + 16 * (t % 4), t);
    ledger.window((t + 1) % 3).free(4 * t + 2, 0x1000 + 16 * (t % 4));
    if (t % 5 == 0) ledger.window(t % 3).site(4 * t + 3, t, t / 2, 1, 0x1000 + t).flush();
  }
  return ledger.bytes();
}

// One chunk with a changed byte, and a cut: lost fillings and problems.
std::string damaged() {
  std::string raw = threads_and_chunks();
  raw[heapledger::test::extent_offset(5) + 70] ^= 1;
  raw.resize(raw.size() - 65'500);
  return raw;
}

}  // namespace

int main(int argc, char** argv) {
  const heapledger::fuzz::SeedFolder seeds(argc, argv);
  const std::string checked(1, '\1');
  const std::string open(1, '\0');
  const std::string example = heapledger::test::example_ledger();
  seeds.write("stored", open + sealed(example, 0));
  seeds.write("compressed", open + sealed(example, 3));
  seeds.write("threads", open + sealed(threads_and_chunks(), 0));
  seeds.write("damaged", open + sealed(damaged(), 0));
  seeds.write("checked", checked + sealed(threads_and_chunks(), 3));
  std::string cut = sealed(threads_and_chunks(), 0);
  cut.resize(cut.size() * 3 / 4);  // without its index
  seeds.write("cut", open + cut);
  return 0;
}
