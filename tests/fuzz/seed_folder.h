// Where a program writes the seeds of a fuzzer: the folder that is its only argument.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace heapledger::fuzz {

class SeedFolder {
 public:
  SeedFolder(int argc, char** argv) {
    if (argc != 2) {
      std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
      std::exit(2);
    }
    path_ = argv[1];
    std::filesystem::create_directories(path_);
  }

  const std::filesystem::path& path() const { return path_; }

  void write(const char* name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace heapledger::fuzz
