// Compares texts with those kept in tests/golden; with HEAPLEDGER_UPDATE_GOLDEN set, keeps them.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace heapledger::test {

inline void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(HEAPLEDGER_GOLDEN) + "/" + name;
  if (std::getenv("HEAPLEDGER_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << "no " << path;
  std::stringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(text, golden.str()) << "in " << path;
}

template <typename Write>
std::string written(Write&& write) {
  std::FILE* file = std::tmpfile();
  write(file);
  std::string text(static_cast<size_t>(std::ftell(file)), '\0');
  std::rewind(file);
  EXPECT_EQ(std::fread(text.data(), 1, text.size(), file), text.size());
  std::fclose(file);
  return text;
}

}  // namespace heapledger::test
