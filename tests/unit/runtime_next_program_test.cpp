// What a program gets that we cannot be loaded into, what is noted of it, and how files of any
// content are looked at.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "runtime/bootstrap/next_program.h"
#include "runtime/ledger/settings_in_force.h"
#include "runtime/ledger/unrecorded.h"
#include "runtime/os/program_file.h"

namespace heapledger::runtime {
namespace {

using format::Unrecorded;

// --- the environment ---

std::vector<std::string> without_us(std::vector<std::string> variables) {
  std::vector<char*> environment;
  for (std::string& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);
  const size_t bytes = bytes_without_us(environment.data());
  std::vector<char*> room(bytes / sizeof(char*) + 2, nullptr);
  // What is behind the promised bytes stays as it is.
  char* end = reinterpret_cast<char*>(room.data()) + bytes;
  *end = 'x';
  std::vector<std::string> result;
  char** one = environment_without_us(environment.data(), room.data());
  for (; *one != nullptr; ++one) result.emplace_back(*one);
  EXPECT_EQ(*end, 'x');
  return result;
}

using Variables = std::vector<std::string>;

TEST(NextProgram, OurVariablesAreLeftOut) {
  EXPECT_EQ(without_us({"A=1", "LD_PRELOAD=/x/libheapledger.so", "HEAPLEDGER=out=x", "B=2"}),
            (Variables{"A=1", "B=2"}));
  EXPECT_EQ(without_us({}), Variables{});
}

TEST(NextProgram, WhatOthersPreloadStaysInItsOrder) {
  EXPECT_EQ(without_us({"LD_PRELOAD=/x/libheapledger.so:/x/libheapledger_new.so:/a.so:/b.so"}),
            Variables{"LD_PRELOAD=/a.so:/b.so"});
  EXPECT_EQ(without_us({"LD_PRELOAD=/a.so libheapledger.so:/b.so"}),
            Variables{"LD_PRELOAD=/a.so:/b.so"});
}

TEST(NextProgram, NamesThatOnlyLookLikeOursStay) {
  const Variables others = {"LD_PRELOAD=/libheapledger.so.d/a.so:/x/notlibheapledger.so",
                            "HEAPLEDGER_TOOL=x", "XHEAPLEDGER=1", "LD_PRELOADS=libheapledger.so"};
  EXPECT_EQ(without_us(others), others);
}

TEST(NextProgram, WhatRunHasAddedIsLeftOutToo) {
  settings_in_force.added.set("/lib/libjemalloc.so.2:PYTHONMALLOC=malloc");
  EXPECT_EQ(without_us({"LD_PRELOAD=/x/libheapledger.so:/a.so:/lib/libjemalloc.so.2",
                        "PYTHONMALLOC=malloc", "G_SLICE=always-malloc"}),
            (Variables{"LD_PRELOAD=/a.so", "G_SLICE=always-malloc"}));
  // A value of the program's own is its own.
  EXPECT_EQ(without_us({"PYTHONMALLOC=debug"}), Variables{"PYTHONMALLOC=debug"});
  settings_in_force.added = {};
}

// --- the table ---

struct HeaderPage {
  alignas(8) unsigned char bytes[format::kMinHeaderBytes] = {};
  format::FileHeader* header() { return reinterpret_cast<format::FileHeader*>(bytes); }
  format::UnrecordedTable& table() {
    return *reinterpret_cast<format::UnrecordedTable*>(bytes + format::kUnrecordedOffset);
  }
};

TEST(Unrecorded, AllAreCountedAndTheFirstAreNamed) {
  HeaderPage page;
  for (uint32_t i = 1; i <= 60; ++i) {
    note_unrecorded(page.header(),
                    {Unrecorded::kStatic, i, 0, "/usr/bin/a_rather_long_name_of_a_program"});
  }
  EXPECT_EQ(page.table().counts[static_cast<size_t>(Unrecorded::kStatic)], 60u);
  for (uint32_t i = 0; i < format::kUnrecordedNamed; ++i) {
    const format::UnrecordedRecord& record = page.table().records[i];
    EXPECT_EQ(record.pid, i + 1);
    EXPECT_EQ(std::string(record.name, sizeof record.name), "a_rather_long_name_of_a_prog");
  }
}

TEST(Unrecorded, WhatIsTakenBackLeavesItsPlaceToOthers) {
  HeaderPage page;
  const UnrecordedNote note = note_unrecorded(page.header(), {Unrecorded::kStatic, 1, 0, "one"});
  EXPECT_TRUE(has_unrecorded(page.header()));
  take_back(note);
  EXPECT_FALSE(has_unrecorded(page.header()));
  note_unrecorded(page.header(), {Unrecorded::kNoLedger, 2, 13, "two"});
  const format::UnrecordedRecord& record = page.table().records[0];
  EXPECT_EQ(record.pid, 2u);
  EXPECT_EQ(record.error, 13u);
  EXPECT_STREQ(record.name, "two");
}

TEST(Unrecorded, WithoutALedgerNothingIsNoted) {
  take_back(note_unrecorded(nullptr, {Unrecorded::kStatic, 1, 0, "one"}));
  EXPECT_FALSE(has_unrecorded(nullptr));
}

TEST(Unrecorded, ManyAtOnceLoseNothing) {
  HeaderPage page;
  std::vector<std::thread> threads;
  for (uint32_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&page, thread] {
      for (uint32_t i = 0; i < 2000; ++i) {
        take_back(note_unrecorded(page.header(), {Unrecorded::kPrivileged, i, 0, "gone"}));
      }
      for (uint32_t i = 0; i < 10; ++i) {
        note_unrecorded(page.header(), {Unrecorded::kStatic, thread * 10 + i, 0, "kept"});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(page.table().counts[static_cast<size_t>(Unrecorded::kStatic)], 40u);
  EXPECT_EQ(page.table().counts[static_cast<size_t>(Unrecorded::kPrivileged)], 0u);
  std::vector<bool> seen(40);
  for (const format::UnrecordedRecord& record : page.table().records) {
    if (record.reason != 0) seen.at(record.pid) = true;
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 40);
}

// --- files ---

class Files : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(::mkdtemp(folder_), nullptr); }
  void TearDown() override {
    for (const std::string& path : made_) ::unlink(path.c_str());
    ::rmdir(folder_);
  }

  std::string write(const std::string& name, const std::string& content) {
    std::string path = std::string(folder_) + "/" + name;
    std::ofstream(path, std::ios::binary) << content;
    ::chmod(path.c_str(), 0755);
    made_.push_back(path);
    return path;
  }

  static os::ProgramFacts look(const std::string& path) {
    return os::look_at_program({AT_FDCWD, path.c_str()}, {false, false});
  }

  char folder_[64] = "/tmp/heapledger-next-XXXXXX";
  std::vector<std::string> made_;
};

std::string content_of(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(Files, OrdinaryProgramsAndTheLoaderAreKnown) {
  EXPECT_EQ(look("/bin/sh").reason, Unrecorded::kNone);
  EXPECT_FALSE(look("/bin/sh").is_loader);
  EXPECT_TRUE(look("/lib64/ld-linux-x86-64.so.2").is_loader);
  EXPECT_EQ(os::look_for_program("sh", "/nonexistent:/bin", {false, false}).reason,
            Unrecorded::kNone);
}

TEST_F(Files, AnotherMachineIsTold) {
  std::string other = content_of("/bin/sh");
  other[18] = '\xb7';  // e_machine: AArch64
  EXPECT_EQ(look(write("other", other)).reason, Unrecorded::kOtherMachine);
  other[4] = 1;  // 32 bits
  other[18] = 3;
  EXPECT_EQ(look(write("narrow", other)).reason, Unrecorded::kNarrow);
}

TEST_F(Files, AnotherLoaderIsAnotherLibrary) {
  std::string other = content_of("/bin/sh");
  const size_t place = other.find("/lib64/ld-linux");
  ASSERT_NE(place, std::string::npos);
  other.replace(place, 15, "/lib64/ld-musl-");
  EXPECT_EQ(look(write("musl", other)).reason, Unrecorded::kOtherLibrary);
}

TEST_F(Files, ScriptsAreFollowedAsFarAsTheKernelDoes) {
  std::string other = content_of("/bin/sh");
  other[18] = '\xb7';
  std::string path = write("other", other);
  for (int depth = 0; depth < 5; ++depth) {
    path = write("script" + std::to_string(depth), "#! \t" + path + " argument\n");
    EXPECT_EQ(look(path).reason, Unrecorded::kOtherMachine);
  }
  // One that runs itself ends, too.
  const std::string endless = std::string(folder_) + "/endless";
  EXPECT_EQ(look(write("endless", "#!" + endless + "\n")).reason, Unrecorded::kNone);
}

TEST_F(Files, TextIsTheShellsWhereLibcSaysSo) {
  const std::string path = write("text", "echo text\n");
  EXPECT_EQ(look(path).reason, Unrecorded::kNone);
  EXPECT_EQ(os::look_at_program({AT_FDCWD, path.c_str()}, {false, true}).reason, Unrecorded::kNone);
}

TEST_F(Files, WhatHasChangedIsLookedAtAgain) {
  std::string content = content_of("/bin/sh");
  const std::string path = write("changing", content);
  EXPECT_EQ(look(path).reason, Unrecorded::kNone);
  content[18] = '\xb7';
  write("changing", content + "longer");
  EXPECT_EQ(look(path).reason, Unrecorded::kOtherMachine);
}

TEST_F(Files, DamagedOnesEndTheLook) {
  const std::string whole = content_of("/bin/true");
  std::mt19937 random(1);
  // The headers, the dynamic section and the tables of symbols: all of it, cut and changed.
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = whole;
    for (int k = 0; k < 8; ++k) {
      const size_t most = k < 4 ? 1024 : damaged.size();
      damaged[random() % most] = static_cast<char>(random());
    }
    memcpy(damaged.data(), whole.data(), 16);
    if (i % 3 == 0) damaged.resize(random() % damaged.size());
    const auto reason = static_cast<uint32_t>(look(write("damaged", damaged)).reason);
    ASSERT_LT(reason, format::kUnrecordedReasons);
  }
}

TEST_F(Files, WhatIsNoFileIsNotOpened) {
  EXPECT_EQ(look("/dev/null").reason, Unrecorded::kNone);
  EXPECT_EQ(look("/nonexistent").reason, Unrecorded::kNone);
  EXPECT_EQ(look(folder_).reason, Unrecorded::kNone);
  const std::string pipe = std::string(folder_) + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0700), 0);
  made_.push_back(pipe);
  EXPECT_EQ(look(pipe).reason, Unrecorded::kNone);
}

}  // namespace
}  // namespace heapledger::runtime
