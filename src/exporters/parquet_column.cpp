#include "exporters/parquet_column.h"

#include <algorithm>
#include <bit>

#include "exporters/parquet_encodings.h"
#include "exporters/parquet_format.h"

namespace heapledger {
namespace {

constexpr size_t kLongestBound = 64;  // a longer text is no bound to skip by

// In whole bytes: what repeats is then seen by the compression, which packed bits hide from it.
std::string indices(const std::vector<uint32_t>& numbers, size_t distinct) {
  std::string bytes;
  const unsigned bits = (bits_for(distinct - 1) + 7) / 8 * 8;
  bytes += static_cast<char>(bits);
  append_hybrid(bytes, numbers, bits);
  return bytes;
}

std::string plain_words(const std::vector<int64_t>& words) {
  return {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(int64_t)};
}

std::string word_bytes(int64_t word) {
  std::string bytes;
  append_plain(bytes, word);
  return bytes;
}

}  // namespace

struct ParquetValues::Encoded {
  int32_t encoding = parquet::kPlain;
  std::string dictionary;
  size_t distinct = 0;
  std::string values;
};

void ParquetValues::add_word(int64_t word) {
  words_.push_back(word);
  present_.push_back(1);
}

void ParquetValues::add(double real) {
  add_word(std::bit_cast<int64_t>(real));
}

void ParquetValues::add(std::string_view text) {
  present_.push_back(1);
  auto found = known_.find(text);
  if (found == known_.end()) {
    texts_.emplace_back(text);
    text_bytes_ += text.size();
    found = known_.emplace(texts_.back(), static_cast<uint32_t>(texts_.size() - 1)).first;
  }
  text_of_.push_back(found->second);
}

void ParquetValues::add_null() {
  present_.push_back(0);
  ++nulls_;
}

std::string ParquetValues::levels() const {
  std::string runs;
  append_hybrid(runs, present_, 1);
  std::string bytes;
  append_plain(bytes, static_cast<uint32_t>(runs.size()));
  return bytes + runs;
}

// The dictionary in order: neighbours compress well. False when too many are different.
bool ParquetValues::number_words(std::vector<int64_t>& known,
                                 std::vector<uint32_t>& numbers) const {
  tsl::robin_map<int64_t, uint32_t> places;
  for (int64_t word : words_) {
    if (places.try_emplace(word, 0).second) known.push_back(word);
    if (known.size() > words_.size() / 2 + 1) return false;
  }
  std::sort(known.begin(), known.end());
  for (uint32_t i = 0; i < known.size(); ++i) places[known[i]] = i;
  numbers.reserve(words_.size());
  for (int64_t word : words_) numbers.push_back(places[word]);
  return true;
}

std::string ParquetValues::dictionary_of_texts() const {
  std::string bytes;
  for (const std::string& text : texts_) {
    if (column_.type == ParquetType::kText) append_plain(bytes, static_cast<uint32_t>(text.size()));
    bytes += text;
  }
  return bytes;
}

std::string ParquetValues::all_texts() const {
  std::string bytes;
  for (uint32_t place : text_of_) {
    const std::string& text = texts_[place];
    if (column_.type == ParquetType::kText) append_plain(bytes, static_cast<uint32_t>(text.size()));
    bytes += text;
  }
  return bytes;
}

std::vector<ParquetValues::Encoded> ParquetValues::encode() const {
  if (has_texts()) {
    if (texts_.empty() || texts_.size() > text_of_.size() / 2 + 1) {
      return {{parquet::kPlain, {}, 0, all_texts()}};
    }
    return {{parquet::kDictionary, dictionary_of_texts(), texts_.size(),
             indices(text_of_, texts_.size())}};
  }
  std::vector<Encoded> ways;
  ways.push_back({parquet::kPlain, {}, 0, plain_words(words_)});
  if (words_.empty()) return ways;
  std::vector<int64_t> known;
  std::vector<uint32_t> numbers;
  if (number_words(known, numbers)) {
    ways.push_back(
        {parquet::kDictionary, plain_words(known), known.size(), indices(numbers, known.size())});
  }
  if (column_.type == ParquetType::kNumber) {
    Encoded& deltas = ways.emplace_back();
    deltas.encoding = parquet::kDeltas;
    append_deltas(deltas.values, words_);
  }
  return ways;
}

void ParquetValues::find_bounds(ParquetChunk& chunk) const {
  if (has_texts()) {
    if (texts_.empty()) return;
    const auto [least, most] = std::minmax_element(texts_.begin(), texts_.end());
    if (least->size() <= kLongestBound) chunk.least = *least;
    if (most->size() <= kLongestBound) chunk.most = *most;
  } else if (!words_.empty()) {
    const bool real = column_.type == ParquetType::kReal;
    const auto [least, most] =
        std::minmax_element(words_.begin(), words_.end(), [real](int64_t a, int64_t b) {
          return real ? std::bit_cast<double>(a) < std::bit_cast<double>(b) : a < b;
        });
    chunk.least = word_bytes(*least);
    chunk.most = word_bytes(*most);
  }
}

ParquetChunk ParquetValues::write(PageWriter& pages) {
  ParquetChunk chunk;
  chunk.values = present_.size();
  chunk.nulls = nulls_;
  find_bounds(chunk);
  size_t distinct = 0;
  const std::string present = column_.may_be_null ? levels() : "";
  std::optional<PageContent> dictionary, values;
  for (const Encoded& way : encode()) {
    const PageContent its_values = pages.compress(present + way.values);
    const PageContent its_dictionary = pages.compress(way.dictionary);
    const size_t before = values ? values->stored.size() + dictionary->stored.size() : SIZE_MAX;
    if (its_values.stored.size() + its_dictionary.stored.size() >= before) continue;
    values = its_values;
    dictionary = its_dictionary;
    chunk.encoding = way.encoding;
    distinct = way.distinct;
  }
  if (distinct > 0) pages.dictionary(*dictionary, distinct, chunk);
  pages.data(*values, chunk.values, chunk);
  present_.clear();
  nulls_ = 0;
  words_.clear();
  known_.clear();
  texts_.clear();
  text_of_.clear();
  text_bytes_ = 0;
  return chunk;
}

}  // namespace heapledger
