// Hostile tables of live mode, where core_fuzzer does not look: in ledgers and in plain dumps of
// memory. Whatever the bytes, reading ends with an Error, with nothing, or with a heap that can be
// made a ledger and is no larger than what it was read from.
//
// The first byte chooses: bit 0, the rest is a plain dump; else it is the parts of tables, from
// which a ledger is made: for each a Lead, then its bytes. Bit 1: the file ends with the last part.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/byte_source.h"
#include "analyzer/error.h"
#include "analyzer/query.h"
#include "cores/block_headers.h"
#include "cores/ledger_memory.h"
#include "cores/live_tables.h"
#include "cores/raw_memory.h"
#include "cores/to_ledger.h"
#include "format/layout.h"
#include "format/live_tables.h"

using namespace heapledger;
using namespace heapledger::cores;

namespace {

void demand(bool truth) {
  if (!truth) abort();
}

struct Lead {
  uint32_t address;  // in units of 64 bytes
  uint32_t claimed;  // how long the part is said to be; 0: as long as it is
  uint16_t bytes;
  uint16_t skipped;  // blocks left out before it, modulo 4
};

size_t blocks_for(size_t bytes) {
  return (bytes + format::kExtentBytes - 1) / format::kExtentBytes;
}

std::string ledger_of(std::string_view parts, bool cut) {
  format::FileHeader header{};
  std::memcpy(header.magic, format::kFileMagic, sizeof header.magic);
  header.version = format::kVersion;
  header.header_bytes = format::kMinHeaderBytes;
  header.extent_bytes = format::kExtentBytes;
  std::string file(reinterpret_cast<const char*>(&header), sizeof header);
  file.resize(format::kMinHeaderBytes);
  while (parts.size() >= sizeof(Lead)) {
    Lead lead;
    std::memcpy(&lead, parts.data(), sizeof lead);
    parts.remove_prefix(sizeof lead);
    std::string_view bytes = parts.substr(0, lead.bytes);
    parts.remove_prefix(bytes.size());
    format::ExtentHeader block{};
    block.magic = format::kLiveBlockMagic;
    block.seq = uint64_t{lead.address} * 64;
    block.base_time = lead.claimed == 0 ? bytes.size() : lead.claimed;
    size_t start = file.size() + lead.skipped % 4 * size_t{format::kExtentBytes};
    size_t end = start + sizeof block + bytes.size();
    bool last = parts.size() < sizeof(Lead);
    file.resize(cut && last ? end
                            : start + blocks_for(sizeof block + bytes.size()) *
                                          size_t{format::kExtentBytes});
    std::memcpy(file.data() + start, &block, sizeof block);
    std::memcpy(file.data() + start + sizeof block, bytes.data(), bytes.size());
  }
  return file;
}

// What was made of it is a ledger like any other.
void use_heap(const LiveHeap& heap) {
  static const int fd = memfd_create("ledger", MFD_CLOEXEC);
  static const std::string path = "/proc/self/fd/" + std::to_string(fd);
  demand(fd >= 0 && ftruncate(fd, 0) == 0);
  try {
    write_ledger(heap, path);
  } catch (const Error&) {
    return;  // a heap may be too odd to be a ledger
  }
  Ledgers ledgers(std::vector<std::string>{path}, {});
  demand(ledgers.refusals().empty() && ledgers.facts().front().problems.empty());
}

void read_ledger(std::string_view parts, bool cut) {
  std::string file = ledger_of(parts, cut);
  std::optional<LiveHeap> heap = read_live_ledger(in_memory("live.ledger", file));
  if (!heap) return;
  demand(heap->blocks.size() <= file.size() / sizeof(format::LiveRecord));
  demand(heap->sites.size() <= file.size() / sizeof(format::LiveNode) + 1);
  use_heap(*heap);
}

std::unique_ptr<Memory> dump(std::string_view bytes, uint64_t base, const Shape& shape) {
  return open_raw_source(in_memory("memory", bytes), base, shape);
}

// As `heapledger core --raw` goes about it.
void read_dump(std::string_view bytes) {
  auto memory = dump(bytes, 0, {});
  if (auto tables = find_live_tables(*memory)) {
    memory = dump(bytes, tables->self - tables->address, tables->shape);
    tables = live_tables_at(*memory, tables->self);
    if (tables) use_heap(read_live_tables(*memory, *tables));
    return;
  }
  auto headers = find_block_headers(*memory);
  if (!headers) return;
  memory = dump(bytes, headers->base, headers->shape);
  if (auto heap = read_block_headers(*memory, &*headers)) use_heap(*heap);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    if ((data[0] & 1) != 0) {
      read_dump(bytes);
    } else {
      read_ledger(bytes, (data[0] & 2) != 0);
    }
  } catch (const Error&) {
    // A clear refusal is a good answer.
  }
  return 0;
}
