// Pages of a Parquet file: a header in Thrift, and what it describes, compressed.
#include <zstd.h>

#include <utility>

#include "analyzer/error.h"
#include "exporters/parquet_column.h"
#include "exporters/parquet_format.h"
#include "exporters/parquet_thrift.h"

namespace heapledger {

struct PageWriter::Zstd {
  Zstd() : context(ZSTD_createCCtx(), ZSTD_freeCCtx) {
    constexpr int kLevel = 3;
    if (!context) throw Error("cannot compress: zstd has no memory", ErrorKind::kSystem);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
  }
  std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx*)> context;
};

PageWriter::PageWriter(Sink sink) : sink_(std::move(sink)), zstd_(std::make_unique<Zstd>()) {}
PageWriter::~PageWriter() = default;

void PageWriter::write(std::string_view bytes) {
  sink_(bytes);
  offset_ += bytes.size();
}

PageContent PageWriter::compress(const std::string& content) const {
  std::string stored(ZSTD_compressBound(content.size()), '\0');
  const size_t size = ZSTD_compress2(zstd_->context.get(), stored.data(), stored.size(),
                                     content.data(), content.size());
  if (ZSTD_isError(size) != 0) {
    throw Error("cannot compress: " + std::string(ZSTD_getErrorName(size)), ErrorKind::kSystem);
  }
  stored.resize(size);
  return {content.size(), std::move(stored)};
}

void PageWriter::page(const std::string& header, const PageContent& content, ParquetChunk& chunk) {
  write(header);
  write(content.stored);
  chunk.plain_bytes += header.size() + content.plain_bytes;
  chunk.stored_bytes += header.size() + content.stored.size();
}

void PageWriter::dictionary(const PageContent& content, size_t values, ParquetChunk& chunk) {
  constexpr int kHeader = 7;
  chunk.dictionary_offset = offset_;
  ThriftWriter header;
  header.number32(1, parquet::kDictionaryPage);
  header.number32(2, static_cast<int32_t>(content.plain_bytes));
  header.number32(3, static_cast<int32_t>(content.stored.size()));
  header.begin_struct(kHeader);
  header.number32(1, static_cast<int32_t>(values));
  header.number32(2, parquet::kPlain);
  header.end();
  header.end();
  page(header.bytes(), content, chunk);
}

void PageWriter::data(const PageContent& content, size_t values, ParquetChunk& chunk) {
  constexpr int kHeader = 5;
  chunk.data_offset = offset_;
  ThriftWriter header;
  header.number32(1, parquet::kDataPage);
  header.number32(2, static_cast<int32_t>(content.plain_bytes));
  header.number32(3, static_cast<int32_t>(content.stored.size()));
  header.begin_struct(kHeader);
  header.number32(1, static_cast<int32_t>(values));
  header.number32(2, chunk.encoding);
  header.number32(3, parquet::kRuns);  // levels: whether a value is there …
  header.number32(4, parquet::kRuns);  // … and of lists, which there are none of
  header.end();
  header.end();
  page(header.bytes(), content, chunk);
}

}  // namespace heapledger
