#include "analyzer/query/stack_names.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "analyzer/query/wrappers.h"
#include "format/entry.h"

namespace heapledger {
namespace {

constexpr size_t kMaxFrames = 4097;  // the largest depth limit, and a mark

std::string hex_text(uint64_t value) {
  char text[16];
  return "0x" + std::string(text, std::to_chars(text, std::end(text), value, 16).ptr);
}

std::string_view last_part(std::string_view path) {
  size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// Code in no module (made at run time, for one), or a mark where a stack ends early.
std::string name_by_address(uint64_t pc) {
  if (pc == format::kMarkCut) return "[cut: no unwind information]";
  if (pc == format::kMarkDepth) return "[more frames, beyond the depth limit]";
  if (pc == format::kMarkNone) return "[no stack asked for]";
  return hex_text(pc);
}

}  // namespace

StackNames::StackNames(const SiteCatalog& catalog, const SymbolTable* symbols, Rename rename)
    : catalog_(catalog), symbols_(symbols), rename_(std::move(rename)) {
  intern("");
  symbol_modules_.assign(catalog.module_count(), UINT32_MAX);
  if (symbols == nullptr) return;
  std::unordered_map<std::string, uint32_t> known;
  for (uint32_t i = 0; i < symbols->module_count(); ++i) {
    known.emplace(
        std::string(symbols->module_path(i)) + '\0' + std::string(symbols->module_build_id(i)), i);
  }
  for (uint32_t i = 0; i < catalog.module_count(); ++i) {
    const SiteModule& module = catalog.module_at(i);
    auto found = known.find(module.path + '\0' + module.build_id);
    if (found != known.end()) symbol_modules_[i] = found->second;
  }
}

void StackNames::complete() {
  for (uint32_t site = 0; site < catalog_.size(); ++site) {
    frames_at(site);
    blamed(site);
  }
  places_ = {};  // nobody will look for a place again
  frames_.shrink_to_fit();
  whole_stack_ = {};
}

StackNames::Range StackNames::find(uint32_t site) {
  if (site >= of_site_.size()) of_site_.resize(catalog_.size());
  const CodePlace place{catalog_.address_of(site), catalog_.module_of(site)};
  if (const Range* known = places_.find(place)) return of_site_[site] = *known;
  const Range range = look_up(site);
  places_.insert(place, range);
  return of_site_[site] = range;
}

StackNames::Range StackNames::look_up(uint32_t site) {
  auto first = static_cast<uint32_t>(frames_.size());
  FrameInfo frame;
  frame.module = catalog_.module_of(site);
  frame.pc = catalog_.pc_of(site);
  if (const NamedCall* call = catalog_.named_call_of(site); call != nullptr) {
    frame.file = intern(call->file);
    frame.line = call->line;
    add_frame(frame, look_at(call->name, frame.module));
    return {first, 1};
  }
  if (frame.module == SiteCatalog::kNoModule) {
    frame.name = intern(name_by_address(frame.pc));
    frames_.push_back(frame);
    return {first, 1};
  }
  frame.offset = catalog_.address_of(site);
  uint32_t module =
      frame.module < symbol_modules_.size() ? symbol_modules_[frame.module] : UINT32_MAX;
  if (symbols_ != nullptr && module != UINT32_MAX) {
    // The return address may already belong to the next line or function.
    for (const SymbolFrame& symbol : symbols_->find(module, frame.offset - 1)) {
      frame.file = intern(symbols_->text(symbol.file));
      frame.line = symbol.line;
      frame.inlined = symbol.inlined;
      add_frame(frame, function_of(symbol.function, frame.module));
    }
  }
  if (frames_.size() == first) add_frame(frame, function_of(0, frame.module));
  return {first, static_cast<uint32_t>(frames_.size()) - first};
}

StackNames::Function StackNames::look_at(std::string_view function, uint32_t module) {
  const std::string& path = catalog_.module_at(module).path;
  Function its;
  its.is_named = !function.empty();
  if (its.is_named) its.name = rename_ ? intern(rename_(function)) : intern(function);
  its.allocator = is_allocator(function);
  its.wrapper = is_wrapper(function, path);
  const std::string_view file = last_part(path);
  const bool unnamed = function.empty() || (function.starts_with(file) &&
                                            function.substr(file.size()).starts_with("+0x"));
  its.says_allocator = !unnamed && says_allocator(function);
  its.may_pass_on = unnamed || its.says_allocator || may_be_allocator(function);
  return its;
}

// Many calls are in one function, and looking at its name takes longer than all else.
const StackNames::Function& StackNames::function_of(uint32_t symbol_text, uint32_t module) {
  const uint64_t key = uint64_t{module} << 32 | symbol_text;
  auto found = functions_.find(key);
  if (found == functions_.end()) {
    const std::string_view text = symbol_text == 0 ? "" : symbols_->text(symbol_text);
    found = functions_.emplace(key, look_at(text, module)).first;
  }
  return found->second;
}

uint32_t StackNames::name_of_place(const FrameInfo& frame) {
  const std::string& path = catalog_.module_at(frame.module).path;
  if (frame.offset == 0) return intern(path.empty() ? "[unknown]" : last_part(path));
  return intern(std::string(last_part(path)) + "+" + hex_text(frame.offset));
}

void StackNames::add_frame(FrameInfo frame, const Function& function) {
  frame.function = function.name;
  frame.name = function.is_named ? function.name : name_of_place(frame);
  frame.allocator = function.allocator;
  frame.says_allocator = function.says_allocator;
  frame.may_pass_on = function.may_pass_on;
  frame.wrapper = function.wrapper || is_more(frame.name);
  frames_.push_back(frame);
}

bool StackNames::is_more(uint32_t name) const {
  return std::binary_search(more_wrappers_.begin(), more_wrappers_.end(), name);
}

void StackNames::count_as_wrappers(std::span<const uint32_t> names) {
  more_wrappers_.insert(more_wrappers_.end(), names.begin(), names.end());
  std::sort(more_wrappers_.begin(), more_wrappers_.end());
  for (FrameInfo& frame : frames_) frame.wrapper = frame.wrapper || is_more(frame.name);
  blamed_.clear();
}

void StackNames::stack(uint32_t site, std::vector<uint32_t>& frames) {
  frames.clear();
  for (size_t depth = 0; catalog_.has_frame(site) && depth < kMaxFrames; ++depth) {
    Range range = at(site);
    for (uint32_t i = 0; i < range.count; ++i) frames.push_back(range.first + i);
    site = catalog_.parent_of(site);
  }
}

bool StackNames::is_interesting(const FrameInfo& frame) {
  const bool is_mark = frame.module == SiteCatalog::kNoModule && frame.function == 0 &&
                       frame.pc < format::kFirstCode;
  return !frame.wrapper && !is_mark;
}

uint32_t StackNames::find_blamed(uint32_t site) {
  uint32_t outwards = site;
  for (size_t depth = 0; catalog_.has_frame(outwards) && depth < kMaxFrames; ++depth) {
    const Range range = at(outwards);
    for (uint32_t i = 0; i < range.count; ++i) {
      if (is_interesting(frames_[range.first + i])) return range.first + i;
    }
    outwards = catalog_.parent_of(outwards);
  }
  stack(site, whole_stack_);
  return whole_stack_.empty() ? kNoFrame : whole_stack_[first_interesting(whole_stack_)];
}

size_t StackNames::first_interesting(std::span<const uint32_t> stack) const {
  for (size_t i = 0; i < stack.size(); ++i) {
    if (is_interesting(frames_[stack[i]])) return i;
  }
  for (size_t i = 0; i < stack.size(); ++i) {
    if (!frames_[stack[i]].allocator) return i;
  }
  return 0;
}

NamedFrame StackNames::named(uint32_t number) const {
  const FrameInfo& frame = frames_[number];
  NamedFrame named;
  named.name = text(frame.name);
  named.function = text(frame.function);
  named.file = text(frame.file);
  named.line = frame.line;
  named.inlined = frame.inlined;
  named.wrapper = frame.wrapper;
  if (frame.module != SiteCatalog::kNoModule) named.module = catalog_.module_at(frame.module).path;
  named.offset = frame.offset;
  named.pc = frame.pc;
  return named;
}

}  // namespace heapledger
