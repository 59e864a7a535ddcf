// Memory made up by a test: regions filled with zeros, into which words are written.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "cores/memory.h"

namespace heapledger::cores {

class FakeMemory : public Memory {
 public:
  // Regions have to be added by address. `stored`: how much of it the dump holds.
  Region& add(uint64_t start, uint64_t bytes, const std::string& path = "",
              uint64_t stored = UINT64_MAX) {
    Region region;
    region.start = start;
    region.end = start + bytes;
    region.path = path;
    regions_.push_back(region);
    bytes_[start].resize(static_cast<size_t>(std::min(bytes, stored)));
    return regions_.back();
  }

  void put(uint64_t address, uint64_t word) { put_number(address, word, shape_.word_bytes); }

  void put_number(uint64_t address, uint64_t value, size_t size) {
    auto place = std::prev(bytes_.upper_bound(address));
    for (size_t i = 0; i < size; ++i) {
      size_t from_lowest = shape_.big_endian ? size - 1 - i : i;
      place->second.at(static_cast<size_t>(address - place->first) + i) =
          static_cast<unsigned char>(value >> (8 * from_lowest));
    }
  }

  void put_text(uint64_t address, const std::string& text) {
    for (size_t i = 0; i < text.size(); ++i) {
      put_number(address + i, static_cast<unsigned char>(text[i]), 1);
    }
  }

  void add_module(uint64_t start, uint64_t bytes, const std::string& path) {
    Module module;
    module.start = start;
    module.end = start + bytes;
    module.path = path;
    modules_.push_back(module);
  }

  Thread& add_thread(uint64_t stack_pointer) {
    Thread thread;
    thread.tid = 7;
    thread.stack_pointer = stack_pointer;
    threads_.push_back(thread);
    return threads_.back();
  }

  void set_shape(const Shape& shape) { shape_ = shape; }

  size_t read(uint64_t address, std::span<unsigned char> out) const override {
    size_t got = 0;
    while (got < out.size()) {
      auto next = bytes_.upper_bound(address + got);
      if (next == bytes_.begin()) break;
      const auto& [start, stored] = *std::prev(next);
      uint64_t offset = address + got - start;
      if (offset >= stored.size()) break;
      size_t part = std::min(out.size() - got, stored.size() - static_cast<size_t>(offset));
      std::copy_n(stored.data() + offset, part, out.data() + got);
      got += part;
    }
    return got;
  }

  const std::vector<Region>& regions() const override { return regions_; }
  const std::vector<Module>& modules() const override { return modules_; }
  const std::vector<Thread>& threads() const override { return threads_; }
  Shape shape() const override { return shape_; }

 private:
  std::map<uint64_t, std::vector<unsigned char>> bytes_;
  std::vector<Region> regions_;
  std::vector<Module> modules_;
  std::vector<Thread> threads_;
  Shape shape_;
};

}  // namespace heapledger::cores
