#include "compact_ledger.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "format/layout.h"

namespace heapledger::fuzz {
namespace {

using format::ExtentHeader;
using format::FileHeader;

constexpr size_t kMaxBlocks = 64;

enum BlockKind : unsigned char { kEnd, kWindow, kChunk, kRaw };

// What precedes each payload.
struct Lead {
  unsigned char kind;  // BlockKind, modulo 4
  unsigned char window;
  unsigned char seq;
  unsigned char thread;
  uint32_t base_time;
  uint16_t bytes;
};
constexpr size_t kLeadBytes = 10;

struct Block {
  ExtentHeader header{};
  bool has_header = true;
  std::string payload;
};

// Blocks laid out as in a file; everything between them is zero.
class BlockSource final : public ByteSource {
 public:
  BlockSource(std::string name, const FileHeader& header, std::vector<Block> blocks)
      : name_(std::move(name)), header_(header), blocks_(std::move(blocks)) {}

  const std::string& name() const override { return name_; }
  uint64_t size() override {
    return format::kMinHeaderBytes + blocks_.size() * uint64_t{format::kExtentBytes};
  }

  size_t read(uint64_t offset, void* to, size_t count) override {
    if (offset >= size()) return 0;
    count = std::min<size_t>(count, size() - offset);
    std::memset(to, 0, count);
    copy(to, offset, count, 0, {reinterpret_cast<const char*>(&header_), sizeof header_});
    for (size_t i = 0; i < blocks_.size(); ++i) {
      uint64_t start = format::kMinHeaderBytes + i * uint64_t{format::kExtentBytes};
      if (blocks_[i].has_header) {
        const auto* header = reinterpret_cast<const char*>(&blocks_[i].header);
        copy(to, offset, count, start, {header, sizeof(ExtentHeader)});
        start += sizeof(ExtentHeader);
      }
      copy(to, offset, count, start, blocks_[i].payload);
    }
    return count;
  }

 private:
  // The part of `piece`, which is at `start`, that lies in [offset, offset + count).
  static void copy(void* to, uint64_t offset, size_t count, uint64_t start,
                   std::string_view piece) {
    uint64_t from = std::max(offset, start);
    uint64_t end = std::min<uint64_t>(offset + count, start + piece.size());
    if (from >= end) return;
    std::memcpy(static_cast<char*>(to) + (from - offset), piece.data() + (from - start),
                end - from);
  }

  std::string name_;
  FileHeader header_;
  std::vector<Block> blocks_;
};

FileHeader take_header(std::string_view& from) {
  FileHeader header{};
  size_t bytes = std::min(from.size(), sizeof header);
  std::memcpy(&header, from.data(), bytes);
  from.remove_prefix(bytes);
  std::memcpy(header.magic, format::kFileMagic, sizeof header.magic);
  header.version = format::kVersion;
  header.header_bytes = format::kMinHeaderBytes;
  header.extent_bytes = format::kExtentBytes;
  header.time_shift &= 31;
  return header;
}

Lead take_lead(std::string_view& from) {
  Lead lead{};
  std::memcpy(&lead, from.data(), 4);
  std::memcpy(&lead.base_time, from.data() + 4, sizeof lead.base_time);
  std::memcpy(&lead.bytes, from.data() + 8, sizeof lead.bytes);
  from.remove_prefix(kLeadBytes);
  return lead;
}

Block take_block(const Lead& lead, std::string_view& from, uint64_t start_units) {
  Block block;
  size_t bytes = std::min({from.size(), size_t{lead.bytes}, size_t{format::kPayloadBytes}});
  block.payload = from.substr(0, bytes);
  from.remove_prefix(bytes);
  block.has_header = lead.kind % 4 != kRaw;
  block.header.magic = lead.kind % 4 == kWindow ? format::kWindowMagic : format::kChunkMagic;
  block.header.window = lead.window;
  block.header.seq = lead.seq;
  block.header.thread = lead.thread;
  block.header.base_time = start_units + lead.base_time;
  block.header.bytes = lead.kind % 4 == kWindow ? 0 : static_cast<uint32_t>(bytes);
  return block;
}

}  // namespace

std::unique_ptr<ByteSource> expand(std::string name, std::string_view compact,
                                   std::string_view& rest) {
  FileHeader header = take_header(compact);
  uint64_t start_units = header.start.ticks >> header.time_shift;
  std::vector<Block> blocks;
  while (compact.size() >= kLeadBytes && blocks.size() < kMaxBlocks) {
    Lead lead = take_lead(compact);
    if (lead.kind % 4 == kEnd) break;
    blocks.push_back(take_block(lead, compact, start_units));
  }
  rest = compact;
  return std::make_unique<BlockSource>(std::move(name), header, std::move(blocks));
}

std::string compact(std::string_view ledger) {
  FileHeader file;
  std::memcpy(&file, ledger.data(), sizeof file);
  std::string text(ledger.substr(0, sizeof file));
  uint64_t start_units = file.start.ticks >> file.time_shift;
  for (size_t at = file.header_bytes; at + sizeof(ExtentHeader) <= ledger.size();
       at += format::kExtentBytes) {
    ExtentHeader header;
    std::memcpy(&header, ledger.data() + at, sizeof header);
    std::string_view payload = ledger.substr(at + sizeof header, format::kPayloadBytes);
    size_t used =
        header.magic == format::kChunkMagic ? header.bytes : payload.find_last_not_of('\0') + 1;
    Lead lead{};
    lead.kind = header.magic == format::kChunkMagic ? kChunk : kWindow;
    lead.window = static_cast<unsigned char>(header.window);
    lead.seq = static_cast<unsigned char>(header.seq);
    lead.thread = static_cast<unsigned char>(header.thread);
    lead.base_time = static_cast<uint32_t>(header.base_time - start_units);
    lead.bytes = static_cast<uint16_t>(used);
    text.append(reinterpret_cast<const char*>(&lead), 4);
    text.append(reinterpret_cast<const char*>(&lead.base_time), sizeof lead.base_time);
    text.append(reinterpret_cast<const char*>(&lead.bytes), sizeof lead.bytes);
    text.append(payload.substr(0, used));
  }
  return text + std::string(kLeadBytes, '\0');
}

}  // namespace heapledger::fuzz
