// The frames of all sites with their names: what is at one address is looked up once, and texts are
// kept once. An address inside inlined calls has several frames, the innermost first.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/query/frames.h"
#include "analyzer/site_catalog.h"
#include "symbols/symbol_table.h"

namespace heapledger {

// Texts are numbers here: see StackNames::text(). 0 is "".
struct FrameInfo {
  uint32_t name = 0;
  uint32_t function = 0;
  uint32_t file = 0;
  uint32_t line = 0;
  uint32_t module = 0;  // in the catalog
  uint64_t offset = 0;
  uint64_t pc = 0;
  bool inlined = false;
  bool wrapper = false;
  bool allocator = false;
};

class StackNames {
 public:
  using Rename = std::function<std::string(std::string_view)>;

  StackNames(const SiteCatalog& catalog, const SymbolTable* symbols, Rename rename);

  // The frames of a whole stack, the innermost first: numbers for frame().
  void stack(uint32_t site, std::vector<uint32_t>& frames);

  // The one of a stack to blame: its place in it.
  size_t first_interesting(std::span<const uint32_t> stack) const;

  const FrameInfo& frame(uint32_t number) const { return frames_[number]; }
  std::string_view text(uint32_t number) const { return texts_[number]; }
  uint32_t intern(std::string_view text);
  NamedFrame named(uint32_t frame) const;
  const SiteCatalog& catalog() const { return catalog_; }

 private:
  struct Place {
    uint64_t address;
    uint32_t module;
    bool operator==(const Place&) const = default;
  };
  struct PlaceHash {
    size_t operator()(const Place& place) const {
      uint64_t sum = (place.address ^ uint64_t{place.module} << 48) * 0x9E3779B97F4A7C15ull;
      return static_cast<size_t>(sum ^ (sum >> 29));
    }
  };
  struct Range {
    uint32_t first = 0;
    uint32_t count = 0;
  };

  Range at(uint32_t site) {
    if (site < of_site_.size() && of_site_[site].count != 0) [[likely]] {
      return of_site_[site];
    }
    return find(site);
  }
  Range find(uint32_t site);
  Range look_up(uint32_t site);
  void add_frame(FrameInfo frame, std::string_view function);
  uint32_t symbol_module(uint32_t module) const { return symbol_modules_[module]; }

  const SiteCatalog& catalog_;
  const SymbolTable* symbols_;
  Rename rename_;
  std::vector<uint32_t> symbol_modules_;  // by module of the catalog; UINT32_MAX: none
  std::vector<FrameInfo> frames_;
  std::vector<Range> of_site_;  // by node of the catalog; count 0: not known yet
  std::unordered_map<Place, Range, PlaceHash> places_;
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, uint32_t> text_numbers_;
};

}  // namespace heapledger
