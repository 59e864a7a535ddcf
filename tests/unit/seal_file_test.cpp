// Sealing files: the raw ledger is replaced in one step or not at all.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "analyzer/error.h"
#include "analyzer/seal/seal_file.h"
#include "example_ledger.h"
#include "seal_bytes.h"

namespace heapledger {
namespace {

namespace fs = std::filesystem;

class SealFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "heapledger-seal-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    path_ = (folder_ / "a.ledger").string();
    std::ofstream(path_, std::ios::binary) << raw_;
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string read(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }

  size_t files() const {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  std::string refusal(const std::string& target) {
    try {
      seal::seal_file(path_, target, {});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  const std::string raw_ = test::example_ledger();
  fs::path folder_;
  std::string path_;
};

TEST_F(SealFile, TakesThePlaceOfTheRawOne) {
  seal::SealFacts facts = seal::seal_file(path_, path_, {});
  EXPECT_EQ(files(), 1u);
  EXPECT_EQ(fs::file_size(path_), facts.sealed_bytes);
  EXPECT_EQ(facts.raw_bytes, raw_.size());
  EXPECT_TRUE(seal::is_sealed_file(path_));
  EXPECT_TRUE(test::contents(read(path_)) == test::contents(raw_));
}

TEST_F(SealFile, ProgressReachesTheEnd) {
  uint64_t last = 0;
  uint64_t all = 0;
  seal::SealOptions options;
  options.progress = [&](uint64_t done, uint64_t total) {
    EXPECT_GE(done, last);
    last = done;
    all = total;
  };
  seal::seal_file(path_, path_, options);
  EXPECT_GT(all, 0u);
  EXPECT_EQ(last, all);
}

TEST_F(SealFile, KeepsModeAndTime) {
  ASSERT_EQ(::chmod(path_.c_str(), 0640), 0);
  struct timespec times[2] = {{1'000'000, 5}, {1'500'000, 7}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path_.c_str(), times, 0), 0);
  seal::seal_file(path_, path_, {});
  struct stat status;
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
  EXPECT_EQ(status.st_mtim.tv_sec, 1'500'000);
}

TEST_F(SealFile, AnotherNameLeavesTheRawOne) {
  const std::string target = (folder_ / "b.ledger").string();
  seal::seal_file(path_, target, {});
  EXPECT_EQ(read(path_), raw_);
  EXPECT_TRUE(seal::is_sealed_file(target));
  EXPECT_NE(refusal(target).find("is there already"), std::string::npos);
}

TEST_F(SealFile, ALinkStaysALink) {
  const fs::path link = folder_ / "link.ledger";
  fs::create_symlink("a.ledger", link);
  seal::seal_file(link.string(), link.string(), {});
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_TRUE(seal::is_sealed_file(path_));
}

TEST_F(SealFile, ALedgerInUseIsRefused) {
  int fd = ::open(path_.c_str(), O_RDWR);
  void* window = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  ::close(fd);
  ASSERT_NE(window, MAP_FAILED);
  std::string why = refusal(path_);
  ::munmap(window, 4096);
  EXPECT_NE(why.find("is still being written"), std::string::npos) << why;
  EXPECT_EQ(read(path_), raw_);
  EXPECT_EQ(refusal(path_), "");
}

TEST_F(SealFile, WhatIsNoLedgerStaysAsItIs) {
  std::ofstream(path_, std::ios::binary) << "notes for tomorrow";
  EXPECT_NE(refusal(path_).find("is not a ledger"), std::string::npos);
  EXPECT_EQ(read(path_), "notes for tomorrow");
  EXPECT_EQ(files(), 1u);
}

TEST_F(SealFile, ASealedOneSaysSo) {
  seal::seal_file(path_, path_, {});
  const std::string once = read(path_);
  EXPECT_NE(refusal(path_).find("is sealed already"), std::string::npos);
  EXPECT_EQ(read(path_), once);
}

TEST_F(SealFile, WhatWasRemovedOrReplacedMeanwhileIsLeftAlone) {
  const auto refusal_after = [&](const std::function<void()>& meanwhile) {
    seal::SealOptions options;
    options.scanned = [&]() -> seal::Scanned {
      meanwhile();
      return {};
    };
    try {
      seal::seal_file(path_, path_, options);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const fs::path aside = folder_ / "aside";
  EXPECT_NE(refusal_after([&] { fs::rename(path_, aside); }).find("is not the file any more"),
            std::string::npos);
  EXPECT_EQ(files(), 1u);
  EXPECT_EQ(read(aside), raw_);
  fs::rename(aside, path_);
  const auto replace = [&] {
    fs::remove(path_);
    std::ofstream(path_ + "2") << "another one";
    fs::rename(path_ + "2", path_);
  };
  EXPECT_NE(refusal_after(replace), "");
  EXPECT_EQ(read(path_), "another one");
  EXPECT_EQ(files(), 1u);
}

TEST_F(SealFile, SymbolsAreReplaced) {
  seal::SealOptions options;
  options.symbols = "old";
  seal::seal_file(path_, path_, options);
  seal::replace_symbols(path_, "new symbols");
  LedgerFile file(open_file(path_));
  EXPECT_EQ(file.stored_symbols(), "new symbols");
  EXPECT_TRUE(file.problems().empty());
  EXPECT_TRUE(test::contents(read(path_)) == test::contents(raw_));
  EXPECT_EQ(files(), 1u);
}

}  // namespace
}  // namespace heapledger
