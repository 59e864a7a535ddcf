#include "analyzer/seal/checkpoint.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "format/varint.h"

namespace heapledger::seal {
namespace {

// What a checkpoint begins with; then the sizes of its columns, then they.
struct Lead {
  uint64_t time;
  uint64_t entries;
  uint64_t blocks;
  uint64_t recent;
};
struct Size {
  uint64_t raw;
  uint64_t stored;
};

// Addresses are not compressed: so the stored bytes bound how many blocks there can be.
enum Field { kAddress, kSize, kSite, kThread, kAge, kRecentDeath, kFields };

constexpr uint64_t kMaxRecent = 1024;

void put(Bytes& to, uint64_t value) {
  unsigned char buffer[format::kMaxVarintBytes + 8];
  to.insert(to.end(), buffer, format::put_varint(buffer, value));
}

template <typename T>
void append_object(Bytes& to, const T& object) {
  const auto* from = reinterpret_cast<const unsigned char*>(&object);
  to.insert(to.end(), from, from + sizeof object);
}

struct Reader {
  const unsigned char* at = nullptr;
  const unsigned char* end = nullptr;

  bool number(uint64_t& value) {
    const unsigned char* after = format::get_varint(at, end, value);
    if (after == nullptr) return false;
    at = after;
    return true;
  }
};

using Readers = std::array<Reader, kFields>;

bool read_block(Readers& from, uint64_t time, LiveBlock& block) {
  uint64_t address, site, thread, age;
  if (!from[kAddress].number(address) || !from[kSize].number(block.size) ||
      !from[kSite].number(site) || !from[kThread].number(thread) || !from[kAge].number(age)) {
    return false;
  }
  block.address = format::unfold_pointer(address, block.address);
  block.time = time - age;
  block.account = static_cast<uint32_t>(site);
  block.thread = static_cast<uint32_t>(thread);
  return block.address != 0;
}

bool read_recent(Reader& from, uint64_t time, RecentDeath& death) {
  uint64_t age, thread;
  if (!from.number(death.address) || !from.number(age) || !from.number(thread)) return false;
  death.time = time - age;
  death.thread = static_cast<uint32_t>(thread);
  return true;
}

}  // namespace

Bytes encode_checkpoint(const Checkpoint& checkpoint, Compressor& compressor) {
  std::array<Bytes, kFields> fields;
  uint64_t previous = 0;
  for (const LiveBlock& block : checkpoint.blocks) {
    put(fields[kAddress], format::fold_pointer(block.address, previous));
    put(fields[kSize], block.size);
    put(fields[kSite], block.account);
    put(fields[kThread], block.thread);
    put(fields[kAge], checkpoint.time - block.time);
    previous = block.address;
  }
  for (const RecentDeath& death : checkpoint.recent) {
    put(fields[kRecentDeath], death.address);
    put(fields[kRecentDeath], checkpoint.time - death.time);
    put(fields[kRecentDeath], death.thread);
  }
  Bytes packed;
  Bytes content;
  append_object(content, Lead{checkpoint.time, checkpoint.entries, checkpoint.blocks.size(),
                              checkpoint.recent.size()});
  for (unsigned i = 0; i < kFields; ++i) {
    Size size{fields[i].size(), fields[i].size()};
    if (i == kAddress) {
      packed.insert(packed.end(), fields[i].begin(), fields[i].end());
    } else {
      size.stored = compressor.append(fields[i], packed);
    }
    append_object(content, size);
  }
  content.insert(content.end(), packed.begin(), packed.end());
  return content;
}

std::optional<Checkpoint> decode_checkpoint(std::span<const unsigned char> bytes) {
  Lead lead;
  std::array<Size, kFields> sizes;
  if (bytes.size() < sizeof lead + sizeof sizes) return std::nullopt;
  std::memcpy(&lead, bytes.data(), sizeof lead);
  std::memcpy(sizes.data(), bytes.data() + sizeof lead, sizeof sizes);
  bytes = bytes.subspan(sizeof lead + sizeof sizes);
  if (lead.blocks > bytes.size() || lead.recent > kMaxRecent ||
      sizes[kAddress].raw != sizes[kAddress].stored || lead.blocks > sizes[kAddress].raw) {
    return std::nullopt;
  }
  Decompressor decompressor;
  std::array<Bytes, kFields> fields;
  Readers readers;
  for (unsigned i = 0; i < kFields; ++i) {
    uint64_t most = i == kAddress       ? bytes.size()
                    : i == kRecentDeath ? lead.recent * 3 * format::kMaxVarintBytes
                                        : lead.blocks * format::kMaxVarintBytes;
    if (sizes[i].stored > bytes.size() || sizes[i].raw > most ||
        !decompressor.read(bytes.first(sizes[i].stored), sizes[i].raw, 0, fields[i])) {
      return std::nullopt;
    }
    readers[i] = {fields[i].data(), fields[i].data() + fields[i].size()};
    bytes = bytes.subspan(sizes[i].stored);
  }
  Checkpoint checkpoint;
  checkpoint.time = lead.time;
  checkpoint.entries = lead.entries;
  checkpoint.blocks.reserve(lead.blocks);
  LiveBlock block{};
  for (uint64_t i = 0; i < lead.blocks; ++i) {
    if (!read_block(readers, lead.time, block)) return std::nullopt;
    checkpoint.blocks.push_back(block);
  }
  for (uint64_t i = 0; i < lead.recent; ++i) {
    RecentDeath death;
    if (!read_recent(readers[kRecentDeath], lead.time, death)) return std::nullopt;
    checkpoint.recent.push_back(death);
  }
  return checkpoint;
}

}  // namespace heapledger::seal
