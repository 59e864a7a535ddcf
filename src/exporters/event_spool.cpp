#include "exporters/event_spool.h"

#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "analyzer/error.h"

namespace heapledger {
namespace {

[[noreturn]] void fail(const char* what) {
  throw Error(std::string("cannot ") + what +
                  " a temporary file: " + std::generic_category().message(errno == 0 ? EIO : errno),
              ErrorKind::kSystem);
}

// `step` is pread or pwrite.
template <typename Byte, typename Step>
void transfer(Byte* at, size_t bytes, uint64_t place, const char* what, const Step& step) {
  while (bytes > 0) {
    ssize_t done = step(at, bytes, static_cast<off_t>(place));
    if (done < 0 && errno == EINTR) continue;
    if (done == 0) errno = 0;
    if (done <= 0) fail(what);
    at += done;
    bytes -= static_cast<size_t>(done);
    place += static_cast<uint64_t>(done);
  }
}

}  // namespace

void EventSpool::add(size_t lane, const SpooledEvent& event) {
  if (lane >= lanes_.size()) lanes_.resize(lane + 1);
  Lane& to = lanes_[lane];
  if (to.buffer.size() == kBuffered) put_aside(to);
  to.buffer.push_back(event);
  ++to.count;
  ++count_;
}

void EventSpool::put_aside(Lane& lane) {
  if (!file_) file_.reset(std::tmpfile());
  if (!file_) fail("make");
  size_t bytes = lane.buffer.size() * sizeof(SpooledEvent);
  int fd = ::fileno(file_.get());
  transfer(
      reinterpret_cast<const char*>(lane.buffer.data()), bytes, file_bytes_, "write to",
      [fd](const char* at, size_t count, off_t place) { return ::pwrite(fd, at, count, place); });
  lane.places.push_back(file_bytes_);
  file_bytes_ += bytes;
  lane.buffer.clear();
}

void EventSpool::for_each(size_t lane, const std::function<void(const SpooledEvent&)>& use) const {
  if (lane >= lanes_.size()) return;
  const Lane& from = lanes_[lane];
  std::vector<SpooledEvent> events(from.places.empty() ? 0 : kBuffered);
  for (uint64_t place : from.places) {
    int fd = ::fileno(file_.get());
    transfer(reinterpret_cast<char*>(events.data()), kBuffered * sizeof(SpooledEvent), place,
             "read from",
             [fd](char* at, size_t count, off_t where) { return ::pread(fd, at, count, where); });
    for (const SpooledEvent& event : events) use(event);
  }
  for (const SpooledEvent& event : from.buffer) use(event);
}

}  // namespace heapledger
