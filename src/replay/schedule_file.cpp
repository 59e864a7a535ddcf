#include "replay/schedule_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "analyzer/error.h"
#include "text/text.h"

namespace heapledger {
namespace {

std::string folder() {
  const char* wanted = std::getenv("TMPDIR");
  return wanted != nullptr && *wanted != 0 ? wanted : "/tmp";
}

FileDescriptor create() {
  int fd = ::open(folder().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0) return FileDescriptor(fd);
  // Some file systems cannot do that.
  std::string path = folder() + "/heapledger-replay-XXXXXX";
  fd = ::mkostemp(path.data(), O_CLOEXEC);
  if (fd >= 0) ::unlink(path.c_str());
  return FileDescriptor(fd);
}

}  // namespace

ScheduleFile::ScheduleFile(uint32_t lanes, uint32_t phases) : file_(create()) {
  if (!file_.is_open()) fail();
  const uint64_t tables = sizeof(schedule::Header) + lanes * sizeof(schedule::Lane) +
                          lanes * sizeof(uint32_t) + 4 + phases * sizeof(schedule::Phase);
  chunks_at_ = (tables + schedule::kChunkBytes - 1) / schedule::kChunkBytes * schedule::kChunkBytes;
  lanes_.resize(lanes);
  for (LaneWords& lane : lanes_) lane.first_chunk = lane.chunk = new_chunk();
}

void ScheduleFile::end(uint32_t lane) {
  append(lane, schedule::make_word(schedule::Word::kEnd, 0, 0));
  write_chunk(lanes_[lane]);
  std::vector<uint64_t>().swap(lanes_[lane].words);
}

void ScheduleFile::finish(schedule::Header& header, std::span<const schedule::Lane> lanes,
                          std::span<const uint32_t> ends, std::span<const schedule::Phase> phases) {
  header.lanes_at = sizeof(header);
  header.ends_at = header.lanes_at + lanes.size_bytes();
  header.phases_at = (header.ends_at + ends.size_bytes() + 7) / 8 * 8;
  header.chunks_at = chunks_at_;
  header.chunks = static_cast<uint32_t>(chunks_);
  header.words = words_;
  // Chunks are read whole, also the last one.
  if (::ftruncate(file_.get(), static_cast<off_t>(bytes())) != 0) fail();
  write(lanes.data(), lanes.size_bytes(), header.lanes_at);
  write(ends.data(), ends.size_bytes(), header.ends_at);
  write(phases.data(), phases.size_bytes(), header.phases_at);
  write(&header, sizeof(header), 0);
}

void ScheduleFile::next_chunk(LaneWords& lane) {
  const uint32_t next = new_chunk();
  lane.words.push_back(schedule::make_word(schedule::Word::kNext, 0, next));
  ++words_;
  write_chunk(lane);
  lane.words.clear();
  lane.chunk = next;
}

uint32_t ScheduleFile::new_chunk() {
  if (chunks_ == UINT32_MAX) {
    throw Error("there are too many calls for one schedule", ErrorKind::kData);
  }
  return static_cast<uint32_t>(chunks_++);
}

void ScheduleFile::write_chunk(const LaneWords& lane) {
  write(lane.words.data(), lane.words.size() * sizeof(uint64_t),
        chunks_at_ + lane.chunk * schedule::kChunkBytes);
}

void ScheduleFile::write(const void* from, uint64_t size, uint64_t at) {
  const char* bytes = static_cast<const char*>(from);
  while (size > 0) {
    const ssize_t done = ::pwrite(file_.get(), bytes, size, static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) fail();
    bytes += done;
    at += static_cast<uint64_t>(done);
    size -= static_cast<uint64_t>(done);
  }
}

void ScheduleFile::fail() const {
  const int error = errno;
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  throw Error("the schedule cannot be written to the folder " + quoted(folder()) + ": " +
                  std::strerror(error) + ". Name " +
                  (full ? "one with more room" : "one that is there and can be written to") +
                  " in TMPDIR",
              ErrorKind::kSystem);
}

}  // namespace heapledger
