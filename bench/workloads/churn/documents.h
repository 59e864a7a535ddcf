// A search index over a stream of documents: texts are split into words, words are counted and
// looked up, and the oldest document leaves when a new one arrives. This is the part of the
// workload that keeps memory for long.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "random.h"

namespace heapledger::bench {

class DocumentIndex {
 public:
  DocumentIndex() {
    // A seed of its own: every thread's index has the same vocabulary.
    Random random(7);
    for (unsigned i = 0; i < kVocabulary; ++i) {
      std::string word;
      for (unsigned j = 0, length = 3 + random.below(20); j < length; ++j) {
        word += static_cast<char>('a' + random.below(26));
      }
      vocabulary_.push_back(std::move(word));
    }
  }

  // Takes in one new document; returns a digest of what it counted.
  uint64_t add(Random& random) {
    Document document{next_id_++, split(compose(random))};
    std::unordered_map<std::string, unsigned> counts;
    for (const std::string& word : document.words) ++counts[word];
    uint64_t sum = 0;
    for (const auto& [word, count] : counts) {
      postings_[word].push_back(document.id);
      sum += digest(word.data(), word.size()) * count;
    }
    kept_.push_back(std::move(document));
    if (kept_.size() > kKeptDocuments) drop_oldest();
    return sum;
  }

 private:
  static constexpr unsigned kVocabulary = 4000;
  static constexpr unsigned kKeptDocuments = 8000;

  struct Document {
    uint32_t id;
    std::vector<std::string> words;
  };

  std::string compose(Random& random) const {
    std::string text;
    for (unsigned i = 0, count = 20 + random.below(60); i < count; ++i) {
      // Few words are common and many are rare, as in a language.
      unsigned limit = random.one_in(2) ? 100 : kVocabulary;
      text += vocabulary_[random.below(limit)];
      text += ' ';
    }
    return text;
  }

  static std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> words;
    size_t begin = 0;
    for (size_t end; (end = text.find(' ', begin)) != std::string::npos; begin = end + 1) {
      words.push_back(text.substr(begin, end - begin));
    }
    return words;
  }

  void drop_oldest() {
    for (const std::string& word : kept_.front().words) {
      auto found = postings_.find(word);
      // A word that stood twice in the document is in its list once, and already gone.
      if (found == postings_.end() || found->second.front() != kept_.front().id) continue;
      found->second.erase(found->second.begin());
      if (found->second.empty()) postings_.erase(found);
    }
    kept_.pop_front();
  }

  std::vector<std::string> vocabulary_;
  std::deque<Document> kept_;
  std::map<std::string, std::vector<uint32_t>> postings_;
  uint32_t next_id_ = 0;
};

}  // namespace heapledger::bench
