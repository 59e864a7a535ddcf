#include "analyzer/process_notes.h"

#include <algorithm>
#include <charconv>

#include "format/entry.h"

namespace heapledger {
namespace {

constexpr size_t kMaxThreadName = 256;
constexpr size_t kMaxPath = 4096;
constexpr size_t kMaxBuildId = 64;
constexpr size_t kMaxInfo = 1 << 20;

bool read_id(format::FieldReader& fields, uint32_t& id) {
  uint64_t wide;
  if (!fields.number(wide) || wide > UINT32_MAX) return false;
  id = static_cast<uint32_t>(wide);
  return true;
}

std::vector<std::string> arguments(std::string_view text) {
  std::vector<std::string> all;
  while (!text.empty()) {
    size_t length = std::min(text.find('\0'), text.size());
    all.emplace_back(text.substr(0, length));
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return all;
}

std::optional<uint64_t> rank_from(const std::string& text) {
  uint64_t rank = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), rank);
  if (wrong != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return rank;
}

}  // namespace

bool read_module(std::string_view text, ModuleNote& module) {
  format::FieldReader fields(text);
  uint64_t build_id_bytes;
  if (!read_id(fields, module.id) || !fields.number(module.epoch) || !fields.number(module.start) ||
      !fields.number(module.end) || !fields.number(module.bias) || !fields.number(build_id_bytes) ||
      !fields.bytes(build_id_bytes, module.build_id)) {
    return false;
  }
  module.build_id = module.build_id.substr(0, kMaxBuildId);
  module.path = fields.rest().substr(0, kMaxPath);
  return true;
}

uint32_t ProcessNotes::thread(uint32_t index) {
  uint32_t place = thread_places_.find(index);
  if (place != IdTable::kNone) return place;
  place = static_cast<uint32_t>(threads_.size());
  threads_.push_back({index, 0, {}});
  thread_places_.set(index, place);
  return place;
}

uint32_t ProcessNotes::introduce_thread(std::string_view text) {
  format::FieldReader fields(text);
  uint32_t index;
  uint64_t tid;
  if (!read_id(fields, index) || !fields.number(tid)) return IdTable::kNone;
  uint32_t place = thread(index);
  threads_[place].tid = tid;
  rename_thread(place, fields.rest());
  return place;
}

void ProcessNotes::rename_thread(uint32_t thread, std::string_view name) {
  threads_[thread].name = name.substr(0, kMaxThreadName);
}

void ProcessNotes::add_module(const ModuleNote& module) {
  if (modules_.size() == kMaxModules) return;
  module_places_.set(module.id, static_cast<uint32_t>(modules_.size()));
  modules_.push_back({module.id, module.epoch, module.start, module.end, module.bias,
                      std::string(module.build_id), std::string(module.path), false});
}

void ProcessNotes::unload_module(std::string_view text) {
  format::FieldReader fields(text);
  uint32_t id;
  if (!read_id(fields, id)) return;
  uint32_t place = module_places_.find(id);
  if (place != IdTable::kNone) modules_[place].unloaded = true;
}

void ProcessNotes::add_info(std::string_view text) {
  format::FieldReader fields(text);
  uint64_t key;
  if (!fields.number(key) || key >= std::size(info_)) return;
  std::string& info = info_[key];
  info.append(fields.rest().substr(0, kMaxInfo - std::min(info.size(), kMaxInfo)));
}

void ProcessNotes::tell(LedgerFacts& facts) {
  auto info = [this](format::InfoKey key) -> std::string& {
    return info_[static_cast<size_t>(key)];
  };
  facts.command = arguments(info(format::InfoKey::kCommand));
  facts.executable = std::move(info(format::InfoKey::kExecutable));
  facts.host = std::move(info(format::InfoKey::kHost));
  facts.rank = rank_from(info(format::InfoKey::kRank));
  facts.job = std::move(info(format::InfoKey::kJob));
  facts.folder = std::move(info(format::InfoKey::kFolder));
  facts.parent_ledger = std::move(info(format::InfoKey::kParentLedger));
  facts.runtime = std::move(info(format::InfoKey::kRuntime));
  facts.allocator = std::move(info(format::InfoKey::kAllocator));
  std::vector<std::string> bypass = arguments(info(format::InfoKey::kBypass));
  if (bypass.size() > 1) {
    facts.bypassed_by = bypass.front();
    facts.bypassed.assign(bypass.begin() + 1, bypass.end());
  }
  facts.threads = std::move(threads_);
  facts.modules = std::move(modules_);
}

}  // namespace heapledger
