// One column of a Parquet file: the values of a row group, and how they are written: as they are,
// as differences, or as numbers of a dictionary, whichever is the smallest when compressed.
#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heapledger {

enum class ParquetType : uint8_t {
  kNumber,  // INT64
  kReal,    // DOUBLE
  kText,    // BYTE_ARRAY, valid UTF-8
  kId,      // FIXED_LEN_BYTE_ARRAY of 16
};
inline constexpr size_t kParquetIdBytes = 16;

struct ParquetColumn {
  std::string name;
  ParquetType type = ParquetType::kNumber;
  bool may_be_null = false;
};

// The values of a column in one row group, as they stand in the file.
struct ParquetChunk {
  uint64_t values = 0;  // nulls, too
  uint64_t nulls = 0;
  uint64_t plain_bytes = 0;   // pages with their headers, before compression
  uint64_t stored_bytes = 0;  // and in the file
  std::optional<uint64_t> dictionary_offset;
  uint64_t data_offset = 0;
  int32_t encoding = 0;  // of the values
  std::optional<std::string> least;
  std::optional<std::string> most;
};

// What is on a page, and the same compressed.
struct PageContent {
  size_t plain_bytes = 0;
  std::string stored;
};

class PageWriter;

class ParquetValues {
 public:
  explicit ParquetValues(const ParquetColumn& column) : column_(column) {}

  void add(uint64_t number) { add_word(static_cast<int64_t>(number)); }
  void add(double real);
  void add(std::string_view text);  // or an id
  void add_null();

  size_t size() const { return present_.size(); }
  size_t text_bytes() const { return text_bytes_; }

  // Writes its pages, and begins anew.
  ParquetChunk write(PageWriter& pages);

 private:
  struct Encoded;

  bool has_texts() const {
    return column_.type == ParquetType::kText || column_.type == ParquetType::kId;
  }
  void add_word(int64_t word);
  std::string levels() const;
  void find_bounds(ParquetChunk& chunk) const;
  std::vector<Encoded> encode() const;
  bool number_words(std::vector<int64_t>& known, std::vector<uint32_t>& numbers) const;
  std::string dictionary_of_texts() const;
  std::string all_texts() const;

  const ParquetColumn& column_;
  std::vector<uint32_t> present_;  // by row: 1, or 0 for a null
  uint64_t nulls_ = 0;
  std::vector<int64_t> words_;     // numbers, and the bits of reals
  std::deque<std::string> texts_;  // each once
  std::vector<uint32_t> text_of_;  // by value
  tsl::robin_map<std::string_view, uint32_t> known_;
  size_t text_bytes_ = 0;
};

// Compresses pages, and puts them into the file.
class PageWriter {
 public:
  using Sink = std::function<void(std::string_view)>;

  explicit PageWriter(Sink sink);
  ~PageWriter();
  PageWriter(const PageWriter&) = delete;
  PageWriter& operator=(const PageWriter&) = delete;

  // Bytes of the file so far.
  uint64_t offset() const { return offset_; }
  void write(std::string_view bytes);

  PageContent compress(const std::string& content) const;
  void dictionary(const PageContent& content, size_t values, ParquetChunk& chunk);
  void data(const PageContent& content, size_t values, ParquetChunk& chunk);

 private:
  struct Zstd;

  void page(const std::string& header, const PageContent& content, ParquetChunk& chunk);

  Sink sink_;
  uint64_t offset_ = 0;
  std::unique_ptr<Zstd> zstd_;
};

}  // namespace heapledger
