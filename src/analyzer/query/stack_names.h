// The frames of all sites with their names: what is at one address is looked up once, and texts are
// kept once. An address inside inlined calls has several frames, the innermost first.
//
// What is asked for is looked up then, unless complete() has looked up everything: from then on
// several threads may ask at once.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/query/code_place.h"
#include "analyzer/query/frames.h"
#include "analyzer/query/place_table.h"
#include "analyzer/query/text_table.h"
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
  bool may_pass_on = false;     // by its name, or for want of one: see pass_on.h
  bool says_allocator = false;  // its name leaves no doubt
};

class StackNames {
 public:
  using Rename = std::function<std::string(std::string_view)>;

  StackNames(const SiteCatalog& catalog, const SymbolTable* symbols, Rename rename);

  // The frames of a whole stack, the innermost first: numbers for frame().
  void stack(uint32_t site, std::vector<uint32_t>& frames);

  // The one of a stack to blame: its place in it.
  size_t first_interesting(std::span<const uint32_t> stack) const;

  // The same without reading more of the stack of `site` than that takes; kNoFrame: there is none.
  static constexpr uint32_t kNoFrame = UINT32_MAX;
  uint32_t blamed(uint32_t site) {
    if (site >= blamed_.size()) blamed_.resize(catalog_.size() + 1, kNotYet);
    if (blamed_[site] == kNotYet) blamed_[site] = find_blamed(site);
    return blamed_[site];
  }

  // Neither a wrapper nor a mark where a stack ends early.
  static bool is_interesting(const FrameInfo& frame);

  // What stands at one site, which has a frame: so many frames from the first on.
  struct Range {
    uint32_t first = 0;
    uint32_t count = 0;
  };
  Range frames_at(uint32_t site) { return catalog_.has_frame(site) ? at(site) : Range{}; }

  // For the sites that the catalog has now.
  void complete();

  // Functions that turned out to be such, by the texts of their names.
  void count_as_wrappers(std::span<const uint32_t> names);

  const FrameInfo& frame(uint32_t number) const { return frames_[number]; }
  std::string_view text(uint32_t number) const { return texts_.at(number); }
  uint32_t intern(std::string_view text) { return texts_.intern(text); }
  NamedFrame named(uint32_t frame) const;
  const SiteCatalog& catalog() const { return catalog_; }

 private:
  Range at(uint32_t site) {
    if (site < of_site_.size() && of_site_[site].count != 0) [[likely]] {
      return of_site_[site];
    }
    return find(site);
  }
  Range find(uint32_t site);
  uint32_t find_blamed(uint32_t site);
  Range look_up(uint32_t site);
  // What is the same wherever a function of a module is called; "" for one that has no name.
  struct Function {
    uint32_t name = 0;
    bool is_named = false;
    bool wrapper = false;
    bool allocator = false;
    bool may_pass_on = false;
    bool says_allocator = false;
  };
  Function look_at(std::string_view function, uint32_t module);
  const Function& function_of(uint32_t symbol_text, uint32_t module);
  void add_frame(FrameInfo frame, const Function& function);
  uint32_t name_of_place(const FrameInfo& frame);
  bool is_more(uint32_t name) const;
  uint32_t symbol_module(uint32_t module) const { return symbol_modules_[module]; }

  const SiteCatalog& catalog_;
  const SymbolTable* symbols_;
  Rename rename_;
  std::vector<uint32_t> symbol_modules_;  // by module of the catalog; UINT32_MAX: none
  std::vector<FrameInfo> frames_;
  std::vector<uint32_t> more_wrappers_;  // names, sorted
  static constexpr uint32_t kNotYet = UINT32_MAX - 1;
  std::vector<uint32_t> blamed_;       // by node of the catalog
  std::vector<uint32_t> whole_stack_;  // of find_blamed()
  std::vector<Range> of_site_;         // by node of the catalog; count 0: not known yet
  PlaceTable<Range> places_;
  std::unordered_map<uint64_t, Function> functions_;  // by module and text of its symbols
  TextTable texts_;
};

}  // namespace heapledger
