// The tool itself on good, damaged and missing ledgers: its exit status, and what goes where.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "example_ledger.h"
#include "ledger_builder.h"

namespace heapledger {
namespace {

namespace fs = std::filesystem;

class Status : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "heapledger-test-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string put(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return (folder_ / name).string();
  }

  struct Result {
    int status;
    std::string out;
    std::string err;
  };

  Result tool(const std::string& arguments) const {
    const std::string out = (folder_ / "out").string();
    const std::string err = (folder_ / "err").string();
    int status = std::system(
        (HEAPLEDGER_TOOL " " + arguments + " >" + out + " 2>" + err + " </dev/null").c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content(out), content(err)};
  }

  static std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path folder_;
};

TEST_F(Status, GoodLedger) {
  Result result = tool("report " + put("a.ledger", test::example_ledger()));
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("1,305"), std::string::npos) << result.out;
  // The example's modules are nowhere: that is said, and nothing else.
  EXPECT_EQ(result.err,
            "note: /opt/example/bin/example is not there\n"
            "note: /lib/x86_64-linux-gnu/libc.so.6 was built differently from what ran\n"
            "note: /tmp/evil\\x1b[2J.so is not there\n");
}

TEST_F(Status, AFolderMeansItsLedgers) {
  put("example.42.ledger", test::example_ledger());
  put("example.44.ledger", test::example_child());
  put("notes.txt", "not a ledger");
  Result result = tool("report " + folder_.string());
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("2 processes"), std::string::npos) << result.out;
  Result twice = tool("report " + folder_.string() + " " + folder_.string() + "/example.42.ledger");
  EXPECT_EQ(twice.out, result.out);
}

TEST_F(Status, DamagedLedgerIsReportedAndComplainedAbout) {
  std::string bytes = test::example_ledger();
  bytes[test::extent_offset(1) + 100] ^= 1;
  for (const char* command : {"report ", "info ", "report --json ", "info --json "}) {
    Result result = tool(command + put("a.ledger", bytes));
    EXPECT_EQ(result.status, 3) << command;
    EXPECT_FALSE(result.out.empty()) << command;
    EXPECT_NE(result.err.find("damaged"), std::string::npos) << result.err;
  }
}

TEST_F(Status, NotALedger) {
  Result result = tool("info " + put("a.ledger", "something else"));
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find("not a ledger"), std::string::npos) << result.err;
}

TEST_F(Status, MissingFile) {
  Result result = tool("report " + (folder_ / "none.ledger").string());
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("No such file"), std::string::npos) << result.err;
}

TEST_F(Status, FolderWithoutLedgers) {
  fs::create_directory(folder_ / "empty");
  EXPECT_EQ(tool("report " + (folder_ / "empty").string()).status, 2);
}

TEST_F(Status, WrongUsage) {
  EXPECT_EQ(tool("report").status, 2);
  EXPECT_EQ(tool("report --no-such-option x").status, 2);
  EXPECT_EQ(tool("no-such-command").status, 2);
  EXPECT_EQ(tool("").status, 2);
}

TEST_F(Status, HelpAndVersion) {
  for (const char* arguments : {"--help", "--version", "report --help", "info --help"}) {
    Result result = tool(arguments);
    EXPECT_EQ(result.status, 0) << arguments;
    EXPECT_FALSE(result.out.empty()) << arguments;
    EXPECT_EQ(result.err, "") << arguments;
  }
}

TEST_F(Status, StoppedRecordingIsAWarningNotAFailure) {
  test::LedgerBuilder ledger;
  ledger.header.stop_reason = 3;
  ledger.window(0).malloc(1, 0x1000, 10);
  Result result = tool("report " + put("a.ledger", ledger.bytes()));
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.err.find("ulimit -f"), std::string::npos) << result.err;
}

TEST_F(Status, ASparseFileOfAbsurdSizeIsReadQuickly) {
  std::string path = put("a.ledger", test::example_ledger());
  fs::resize_file(path, uint64_t{1} << 42);  // 4 TiB, nearly all hole
  Result result = tool("report " + path);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("1,305"), std::string::npos) << result.out;
}

TEST_F(Status, NamesThatWouldControlTheTerminalAreEscaped) {
  std::string path = put("\x1b]0;owned\a.ledger", "no ledger");
  Result result = tool("info '" + path + "'");
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.err.find('\x1b'), std::string::npos);
  EXPECT_NE(result.err.find("\\x1b]0;owned\\x07"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace heapledger
