// A ledger in memory that counts the bytes that are read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "analyzer/byte_source.h"

namespace heapledger::test {

class CountingSource final : public ByteSource {
 public:
  CountingSource(std::string_view bytes, uint64_t& count)
      : source_(in_memory("counted.ledger", bytes)), count_(count) {}
  const std::string& name() const override { return source_->name(); }
  uint64_t size() override { return source_->size(); }
  size_t read(uint64_t offset, void* to, size_t count) override {
    size_t got = source_->read(offset, to, count);
    count_ += got;
    return got;
  }

 private:
  std::unique_ptr<ByteSource> source_;
  uint64_t& count_;
};

}  // namespace heapledger::test
