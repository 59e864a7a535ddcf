#include "cores/reachability_interior.h"

#include "cores/reachability_stacks.h"

namespace heapledger::cores {
namespace {

constexpr uint64_t kFirstPage = 4096;
constexpr int kMostEntries = 20;  // of a vtable that are looked at
constexpr int kFunctions = 2;     // of them that must be functions
constexpr size_t kMostRemembered = size_t{1} << 16;

}  // namespace

InteriorPointers::InteriorPointers(const Memory& memory)
    : memory_(memory), word_(memory.shape().word_bytes) {}

bool InteriorPointers::as_start(uint64_t start, uint64_t bytes, uint64_t pointer) {
  return is_array(start, bytes, pointer) || is_text(start, bytes, pointer) ||
         is_base(start, bytes, pointer);
}

bool InteriorPointers::is_array(uint64_t start, uint64_t bytes, uint64_t pointer) const {
  if (pointer - start == 8 && bytes > 8) {
    if (memory_.number<uint64_t>(start) == bytes - 8) return true;
  }
  if (pointer - start != word_ || bytes <= word_) return false;
  auto count = memory_.word(start);
  return count && *count > 0 && (bytes - word_) % *count == 0;
}

bool InteriorPointers::is_text(uint64_t start, uint64_t bytes, uint64_t pointer) const {
  if (pointer - start != 3 * word_ || bytes <= 3 * word_) return false;
  auto length = memory_.word(start);
  auto capacity = memory_.word(start + word_);
  return length && capacity && *length <= *capacity && *capacity == bytes - 3 * word_ - 1;
}

bool InteriorPointers::is_base(uint64_t start, uint64_t bytes, uint64_t pointer) {
  if (pointer % word_ != 0 || bytes < pointer - start + word_) return false;
  if (start != last_start_) {
    auto first = memory_.word(start);
    last_start_ = start;
    last_begins_with_vtable_ = first && is_vtable(*first);
  }
  if (!last_begins_with_vtable_) return false;
  auto inner = memory_.word(pointer);
  return inner && is_vtable(*inner);
}

bool InteriorPointers::is_vtable(uint64_t address) {
  if (address % word_ != 0 || address < kFirstPage) return false;
  auto known = vtables_.find(address);
  if (known != vtables_.end()) return known->second;
  if (vtables_.size() >= kMostRemembered) vtables_.clear();
  return vtables_[address] = looks_like_vtable(address);
}

// A table in a file where nothing is but zeros and addresses of code, of which there are some.
bool InteriorPointers::looks_like_vtable(uint64_t address) const {
  const Region* table = region_of(memory_, address);
  if (table == nullptr || !table->readable || !is_file(*table)) return false;
  int functions = 0;
  for (int i = 0; i < kMostEntries && address <= table->end - word_; ++i, address += word_) {
    auto entry = memory_.word(address);
    if (!entry) return false;
    if (*entry == 0) continue;
    const Region* code = region_of(memory_, *entry);
    if (code == nullptr || !code->executable || !is_file(*code)) return false;
    if (++functions == kFunctions) return true;
  }
  return false;
}

}  // namespace heapledger::cores
