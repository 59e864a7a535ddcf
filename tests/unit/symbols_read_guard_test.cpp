// Pages of mapped files that cannot be had: cut files stand for all of them, since for a process
// they are the same.
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <string>
#include <thread>

#include "symbols/read_guard.h"

namespace heapledger {
namespace {

// Three pages of a file, all 'x', of which only the first is left.
class CutFile {
 public:
  CutFile() : page_(static_cast<size_t>(sysconf(_SC_PAGESIZE))) {
    char name[] = "/tmp/heapledger-test-XXXXXX";
    fd_ = mkstemp(name);
    unlink(name);
    const std::string text(3 * page_, 'x');
    EXPECT_EQ(write(fd_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    void* place = mmap(nullptr, 3 * page_, PROT_READ, MAP_PRIVATE, fd_, 0);
    EXPECT_NE(place, MAP_FAILED);
    bytes_ = static_cast<volatile char*>(place);
    EXPECT_EQ(ftruncate(fd_, static_cast<off_t>(page_)), 0);
  }
  ~CutFile() {
    munmap(const_cast<char*>(bytes_), 3 * page_);
    close(fd_);
  }
  CutFile(const CutFile&) = delete;
  CutFile& operator=(const CutFile&) = delete;

  char in_page(size_t number) const { return bytes_[number * page_ + 7]; }

 private:
  size_t page_;
  int fd_ = -1;
  volatile char* bytes_ = nullptr;
};

bool handles_bus_errors() {
  struct sigaction now = {};
  sigaction(SIGBUS, nullptr, &now);
  return (now.sa_flags & SA_SIGINFO) != 0;
}

TEST(ReadGuard, WhatIsThereIsReadAsItIs) {
  const CutFile file;
  const ReadGuard guard;
  EXPECT_EQ(file.in_page(0), 'x');
  EXPECT_FALSE(guard.failed());
}

TEST(ReadGuard, WhatIsGoneIsZerosAndIsTold) {
  const CutFile file;
  const ReadGuard guard;
  EXPECT_EQ(file.in_page(1), '\0');
  EXPECT_TRUE(guard.failed());
  EXPECT_EQ(file.in_page(2), '\0');
  EXPECT_EQ(file.in_page(0), 'x');
}

TEST(ReadGuard, AFailureIsOneOfAllGuardsAroundItAndOfNoOther) {
  const CutFile file;
  const ReadGuard outer;
  {
    const ReadGuard before;
    EXPECT_EQ(file.in_page(0), 'x');
    EXPECT_FALSE(before.failed());
  }
  {
    const ReadGuard inner;
    EXPECT_EQ(file.in_page(1), '\0');
    EXPECT_TRUE(inner.failed());
  }
  const ReadGuard after;
  EXPECT_TRUE(outer.failed());
  EXPECT_FALSE(after.failed());
}

TEST(ReadGuard, EachThreadHasItsOwn) {
  const CutFile mine;
  const ReadGuard guard;
  bool other_failed = false;
  std::thread other([&] {
    const CutFile file;
    const ReadGuard own;
    EXPECT_EQ(file.in_page(2), '\0');
    other_failed = own.failed();
  });
  other.join();
  EXPECT_TRUE(other_failed);
  EXPECT_FALSE(guard.failed());
  EXPECT_EQ(mine.in_page(1), '\0');
  EXPECT_TRUE(guard.failed());
}

TEST(ReadGuard, ItLeavesNoHandlerBehind) {
  struct sigaction ignoring = {};
  ignoring.sa_handler = SIG_IGN;
  struct sigaction before = {};
  sigaction(SIGBUS, &ignoring, &before);
  {
    const ReadGuard one;
    const ReadGuard two;
    EXPECT_TRUE(handles_bus_errors());
  }
  struct sigaction now = {};
  sigaction(SIGBUS, &before, &now);
  EXPECT_EQ(now.sa_handler, SIG_IGN);
}

}  // namespace
}  // namespace heapledger
