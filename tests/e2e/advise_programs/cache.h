// A table of 1 MiB that is allocated long before anything is put into it.
#pragma once

#include <cstdlib>

class Cache {
 public:
  __attribute__((noinline)) Cache() : table_(std::malloc(1 << 20)) {}  // at cache
  __attribute__((noinline)) ~Cache() {
    std::free(table_);
    std::free(entry_);
  }
  __attribute__((noinline)) void insert() { entry_ = std::malloc(100); }

 private:
  void* volatile table_;
  void* volatile entry_ = nullptr;
};
