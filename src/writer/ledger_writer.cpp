#include "writer/ledger_writer.h"

#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "analyzer/error.h"
#include "format/checksum.h"

namespace heapledger {
namespace {

using format::Kind;
using format::LongEntry;

constexpr size_t kPastTheEnd = 128;  // the encoder stores a little beyond what it writes
constexpr uint64_t kStartTicks = 1'000'000'000;
constexpr size_t kLongestText = 4096;  // of paths and pieces of information
constexpr size_t kLongestName = 256;   // of threads
constexpr size_t kLongestBuildId = 64;

// Recordings do not say what machine they are from; most are of one like this.
uint32_t this_machine() {
  struct utsname name {};
  bool is_arm = ::uname(&name) == 0 && std::string_view(name.machine) == "aarch64";
  return is_arm ? 183 : 62;
}

// Never null, which memcpy does not take, not even for no bytes.
constexpr size_t kMaxNameBytes = 8192;

const char* start_of(std::string_view text) {
  return text.empty() ? "" : text.data();
}

}  // namespace

LedgerWriter::LedgerWriter(std::string path, const WriterThread& first, Times times)
    : path_(std::move(path)),
      fd_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666)),
      times_(times),
      thread_(first.index),
      payload_(format::kPayloadBytes + kPastTheEnd) {
  if (fd_ < 0) {
    throw Error("cannot write " + path_ + ": " + std::generic_category().message(errno),
                ErrorKind::kSystem);
  }
  file_bytes_ = format::kMinHeaderBytes;
  header_.magic = format::kChunkMagic;
  state_.time = kStartTicks;
  start_filling();
  write_thread(first, kStartTicks);
}

LedgerWriter::~LedgerWriter() {
  if (fd_ >= 0) ::close(fd_);
}

void LedgerWriter::at(uint64_t ns) {
  now_ = std::max(now_, ns);
}

uint64_t LedgerWriter::step(size_t text_bytes) {
  size_t used = static_cast<size_t>(state_.cursor - payload_.data());
  if (used + text_bytes + 2 * format::kMaxShortEntryBytes > format::kPayloadBytes) flush();
  if (times_ == Times::kApart) ++now_;
  return kStartTicks + now_;
}

void LedgerWriter::thread(const WriterThread& thread) {
  write_thread(thread, step(kLongestName));
  thread_ = thread.index;
}

void LedgerWriter::write_thread(const WriterThread& thread, uint64_t time) {
  std::string_view name = thread.name.substr(0, kLongestName);
  LongEntry(state_, Kind::kThread, time)
      .number(thread.index)
      .number(thread.tid)
      .bytes(start_of(name), name.size())
      .finish();
}

void LedgerWriter::malloc(uint64_t pointer, uint64_t size, uint32_t site) {
  uint64_t time = step();
  append_malloc(state_, time, pointer, site, size);
}

void LedgerWriter::free(uint64_t pointer) {
  uint64_t time = step();
  append_free(state_, time, pointer);
}

void LedgerWriter::site(uint32_t id, uint32_t parent, uint32_t module, uint64_t pc) {
  uint64_t time = step();
  LongEntry(state_, Kind::kSite, time).number(id).number(parent).number(module).number(pc).finish();
}

void LedgerWriter::module(uint32_t id, uint64_t start, uint64_t end, uint64_t bias,
                          std::string_view path, std::string_view build_id) {
  path = path.substr(0, kLongestText);
  build_id = build_id.substr(0, kLongestBuildId);
  uint64_t time = step(path.size() + build_id.size());
  LongEntry(state_, Kind::kModule, time)
      .number(id)
      .number(1)
      .number(start)
      .number(end)
      .number(bias)
      .number(build_id.size())
      .bytes(start_of(build_id), build_id.size())
      .bytes(start_of(path), path.size())
      .finish();
}

void LedgerWriter::unload(uint32_t module) {
  uint64_t time = step();
  LongEntry(state_, Kind::kUnload, time).number(module).finish();
}

void LedgerWriter::memory(uint64_t rss_bytes) {
  rss_peak_ = std::max(rss_peak_, rss_bytes);
  uint64_t time = step();
  LongEntry(state_, Kind::kMemory, time)
      .number(rss_bytes)
      .number(rss_peak_)
      .number(time)
      .number(time)
      .finish();
}

void LedgerWriter::resident(uint64_t total, uint64_t swapped,
                            std::span<const format::ResidentRange> ranges) {
  ranges = ranges.first(
      std::min<size_t>(ranges.size(), format::kMaxResidentRanges + format::kResidentKinds));
  uint64_t time = step(format::kMaxResidentEntryBytes);
  LongEntry entry(state_, Kind::kResident, time);
  entry.number(total).number(swapped);
  for (const format::ResidentRange& range : ranges) {
    entry.number(static_cast<uint64_t>(range.kind))
        .number(range.start)
        .number(range.bytes)
        .number(range.resident);
  }
  entry.finish();
}

void LedgerWriter::info(format::InfoKey key, std::string_view text) {
  while (!text.empty()) {
    std::string_view piece = text.substr(0, kLongestText);
    text.remove_prefix(piece.size());
    uint64_t time = step(piece.size());
    LongEntry(state_, Kind::kInfo, time)
        .number(static_cast<uint64_t>(key))
        .bytes(start_of(piece), piece.size())
        .finish();
  }
}

void LedgerWriter::frame(uint32_t id, uint32_t parent, uint32_t module, std::string_view name,
                         std::string_view file, uint32_t line) {
  file = file.substr(0, kMaxNameBytes);
  name = name.substr(0, kMaxNameBytes);
  uint64_t time = step(file.size() + name.size());
  LongEntry(state_, Kind::kFrame, time)
      .number(id)
      .number(parent)
      .number(static_cast<uint32_t>(format::FrameKind::kNamed))
      .number(module)
      .number(line)
      .number(file.size())
      .bytes(start_of(file), file.size())
      .bytes(start_of(name), name.size())
      .finish();
}

void LedgerWriter::site_before(uint32_t site, uint64_t calls, uint64_t bytes, uint64_t peak) {
  uint64_t time = step();
  LongEntry(state_, Kind::kSiteBefore, time)
      .number(site)
      .number(calls)
      .number(bytes)
      .number(peak)
      .finish();
}

void LedgerWriter::start_filling() {
  std::fill(payload_.begin(), payload_.end(), static_cast<unsigned char>(0));
  header_.base_time = state_.time;
  header_.thread = thread_;
  state_.cursor = payload_.data();
  state_.pointer = 0;
}

void LedgerWriter::flush() {
  header_.bytes = static_cast<uint32_t>(state_.cursor - payload_.data());
  header_.checksum = format::checksum(payload_.data(), header_.bytes);
  header_.header_checksum =
      format::checksum(&header_, offsetof(format::ExtentHeader, header_checksum));
  write(&header_, sizeof header_, file_bytes_);
  write(payload_.data(), format::kPayloadBytes, file_bytes_ + sizeof header_);
  file_bytes_ += format::kExtentBytes;
  ++header_.seq;
  start_filling();
}

void LedgerWriter::finish(uint32_t page_bytes, uint64_t ended_ns) {
  WriterProcess process;
  process.page_bytes = page_bytes;
  process.machine = this_machine();
  process.started_ns = ended_ns > now_ ? ended_ns - now_ : 0;
  finish(process);
}

void LedgerWriter::finish(const WriterProcess& process) {
  flush();
  uint64_t last = times_ == Times::kApart ? now_ + 1 : now_;
  uint64_t end = kStartTicks + last;
  format::FileHeader header{};
  std::memcpy(header.magic, format::kFileMagic, sizeof header.magic);
  header.version = format::kVersion;
  header.header_bytes = format::kMinHeaderBytes;
  header.extent_bytes = format::kExtentBytes;
  header.page_bytes = process.page_bytes;
  header.machine = process.machine;
  header.pid = process.pid;
  header.parent_pid = process.parent_pid;
  header.start = {kStartTicks, kStartTicks, process.started_ns};
  header.latest[0] = {end, end, process.started_ns + last};
  header.exit_ticks = process.exited ? end : 0;
  header.missed = process.missed;
  header.stop_reason = process.stop_reason;
  header.stop_errno = process.stop_errno;
  header.mode = process.mode;
  header.flags = process.flags;
  header.sample_bytes = process.sample_bytes;
  header.sample_calls = process.sample_calls;
  write(&header, sizeof header, 0);
  int fd = std::exchange(fd_, -1);
  if (::close(fd) != 0) {
    throw Error("cannot write " + path_ + ": " + std::generic_category().message(errno),
                ErrorKind::kSystem);
  }
}

void LedgerWriter::write(const void* bytes, size_t count, uint64_t offset) {
  const char* at = static_cast<const char*>(bytes);
  while (count > 0) {
    ssize_t written = ::pwrite(fd_, at, count, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      throw Error("cannot write " + path_ + ": " + std::generic_category().message(errno),
                  ErrorKind::kSystem);
    }
    at += written;
    count -= static_cast<size_t>(written);
    offset += static_cast<uint64_t>(written);
  }
}

}  // namespace heapledger
