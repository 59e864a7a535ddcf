// What the runtime makes of HEAPLEDGER=….
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "runtime/bootstrap/config.h"

namespace heapledger::runtime {
namespace {

struct Parsed {
  bool good;
  std::string out;
  uint64_t run;
  std::string wrong;
};

Parsed parsed(const char* text) {
  auto config = std::make_unique<Config>();
  auto wrong = std::make_unique<PathText>();
  config->out.add("default");
  bool good = parse_config(text, *config, *wrong);
  return {good, config->out.data(), config->run_id, wrong->data()};
}

TEST(Config, NothingLeavesTheDefaults) {
  EXPECT_TRUE(parsed("  ").good);
  EXPECT_EQ(parsed("").out, "default");
}

TEST(Config, OutAndRun) {
  Parsed result = parsed("out=/a/%p.ledger run=00ffFFF");
  EXPECT_FALSE(result.good);  // capital digits are not ours
  result = parsed("out=/a/%p.ledger run=00ff0a");
  EXPECT_TRUE(result.good);
  EXPECT_EQ(result.out, "/a/%p.ledger");
  EXPECT_EQ(result.run, 0xff0au);
}

TEST(Config, BackslashMakesSpacesLiteral) {
  EXPECT_EQ(parsed("out=/my\\ files/a\\\\b run=1").out, "/my files/a\\b");
}

TEST(Config, UnknownWordIsNamed) {
  Parsed result = parsed("out=x otu=y");
  EXPECT_FALSE(result.good);
  EXPECT_EQ(result.wrong, "otu=y");
}

TEST(Config, EmptyValuesAreWrong) {
  EXPECT_FALSE(parsed("out=").good);
  EXPECT_FALSE(parsed("run=").good);
}

TEST(Config, SeventeenDigitsAreTooMany) {
  EXPECT_TRUE(parsed("run=ffffffffffffffff").good);
  EXPECT_FALSE(parsed("run=fffffffffffffffff").good);
}

}  // namespace
}  // namespace heapledger::runtime
