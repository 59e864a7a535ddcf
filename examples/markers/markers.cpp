// Reads words, counts them, drops them, and marks each of these moments in the ledger. Without the
// recorder the calls do nothing.
#include <heapledger.h>

#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace {

std::vector<std::string> read_words(int count) {
  std::vector<std::string> words;
  for (int i = 0; i < count; ++i)
    words.push_back("a rather long word, number " + std::to_string(i % 97));
  return words;
}

std::map<std::string, int> count_words(const std::vector<std::string>& words) {
  std::map<std::string, int> counts;
  for (const std::string& word : words) ++counts[word];
  return counts;
}

}  // namespace

int main() {
  std::vector<std::string> words = read_words(10000);
  heapledger_marker("words read");
  const std::map<std::string, int> counts = count_words(words);
  heapledger_marker("words counted");
  words = std::vector<std::string>();
  heapledger_marker("words dropped");
  std::printf("%zu different words\n", counts.size());
  std::fprintf(stderr, "%s\n", heapledger_loaded() ? "recorded" : "not recorded");
}
