#include "symbols/symbol_table.h"

#include <algorithm>
#include <utility>

#include "symbols/symbol_table_parts.h"

namespace heapledger {

size_t SymbolTable::Parts::Pieces::place_of(uint64_t address) const {
  const auto at =
      std::lower_bound(in_order_.begin(), in_order_.end(), address,
                       [](const auto& entry, uint64_t sought) { return entry.first < sought; });
  return static_cast<size_t>(at - in_order_.begin());
}

SymbolTable::Parts::Piece& SymbolTable::Parts::Pieces::operator[](uint64_t address) {
  if (in_order_.empty() || in_order_.back().first < address) {
    if (others_.empty() || others_.find(address) == others_.end()) {
      return in_order_.emplace_back(address, Piece{}).second;
    }
    return others_[address];
  }
  const size_t place = place_of(address);
  return in_order_[place].first == address ? in_order_[place].second : others_[address];
}

const SymbolTable::Parts::Piece* SymbolTable::Parts::Pieces::find(uint64_t address) const {
  const size_t place = place_of(address);
  if (place < in_order_.size() && in_order_[place].first == address) {
    return &in_order_[place].second;
  }
  if (others_.empty()) return nullptr;
  const auto found = others_.find(address);
  return found != others_.end() ? &found->second : nullptr;
}

SymbolTable::SymbolTable() : parts_(new Parts) {}

SymbolTable::~SymbolTable() {
  delete parts_;
}

// What was moved from can only be destroyed or assigned to.
SymbolTable::SymbolTable(SymbolTable&& other) noexcept
    : parts_(std::exchange(other.parts_, nullptr)) {}

SymbolTable& SymbolTable::operator=(SymbolTable&& other) noexcept {
  std::swap(parts_, other.parts_);
  return *this;
}

uint32_t SymbolTable::intern(std::string_view text) {
  return parts_->texts.intern(text);
}

std::string_view SymbolTable::text(uint32_t number) const {
  return parts_->texts[number];
}

namespace {

std::string module_key(std::string_view path, std::string_view build_id) {
  std::string key(path);
  key += '\0';
  key += build_id;
  return key;
}

}  // namespace

std::optional<uint32_t> SymbolTable::find_module(std::string_view path,
                                                 std::string_view build_id) const {
  const auto found = parts_->module_numbers.find(module_key(path, build_id));
  if (found == parts_->module_numbers.end()) return std::nullopt;
  return found->second;
}

uint32_t SymbolTable::module(std::string_view path, std::string_view build_id) {
  const auto next = static_cast<uint32_t>(parts_->modules.size());
  const auto [entry, is_new] = parts_->module_numbers.try_emplace(module_key(path, build_id), next);
  if (is_new) {
    Parts::Module& made = parts_->modules.emplace_back();
    made.path = path;
    made.build_id = build_id;
  }
  return entry->second;
}

void SymbolTable::set(uint32_t module, uint64_t address, std::span<const SymbolFrame> frames) {
  if (module >= parts_->modules.size()) return;
  for (const SymbolFrame& frame : frames) {
    if (frame.function >= parts_->texts.size() || frame.file >= parts_->texts.size()) return;
  }
  Parts::Piece& piece = parts_->modules[module].addresses[address];
  auto& all = parts_->frames;
  if (piece.count < frames.size()) piece.first = static_cast<uint32_t>(all.size());
  piece.count = static_cast<uint32_t>(frames.size());
  if (piece.first == all.size()) {
    all.insert(all.end(), frames.begin(), frames.end());
  } else {
    for (uint32_t i = 0; i < piece.count; ++i) all[piece.first + i] = frames[i];
  }
}

std::span<const SymbolFrame> SymbolTable::find(uint32_t module, uint64_t address) const {
  if (module >= parts_->modules.size()) return {};
  const Parts::Piece* found = parts_->modules[module].addresses.find(address);
  if (found == nullptr) return {};
  return {parts_->frames.data() + found->first, found->count};
}

void SymbolTable::set_source(uint32_t module, SymbolSource source, std::string_view remark) {
  if (module >= parts_->modules.size()) return;
  parts_->modules[module].source = source;
  parts_->modules[module].remark = remark;
}

SymbolSource SymbolTable::source(uint32_t module) const {
  if (module >= parts_->modules.size()) return SymbolSource::kNothing;
  return parts_->modules[module].source;
}

std::string_view SymbolTable::remark(uint32_t module) const {
  if (module >= parts_->modules.size()) return {};
  return parts_->modules[module].remark;
}

uint32_t SymbolTable::module_count() const {
  return static_cast<uint32_t>(parts_->modules.size());
}

std::string_view SymbolTable::module_path(uint32_t module) const {
  if (module >= parts_->modules.size()) return {};
  return parts_->modules[module].path;
}

std::string_view SymbolTable::module_build_id(uint32_t module) const {
  if (module >= parts_->modules.size()) return {};
  return parts_->modules[module].build_id;
}

std::vector<uint64_t> SymbolTable::addresses(uint32_t module) const {
  std::vector<uint64_t> all;
  if (module >= parts_->modules.size()) return all;
  parts_->modules[module].addresses.for_each(
      [&all](uint64_t address, const auto&) { all.push_back(address); });
  std::sort(all.begin(), all.end());
  return all;
}

size_t SymbolTable::address_count(uint32_t module) const {
  if (module >= parts_->modules.size()) return 0;
  return parts_->modules[module].addresses.size();
}

}  // namespace heapledger
