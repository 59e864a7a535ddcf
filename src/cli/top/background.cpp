#include "cli/top/background.h"

#include <sys/eventfd.h>
#include <unistd.h>

namespace heapledger::cli::top {
namespace {

// Says at its end, come what may, that a reading is over.
class Announcement {
 public:
  explicit Announcement(int fd) : fd_(fd) {}
  ~Announcement() { ::eventfd_write(fd_, 1); }
  Announcement(const Announcement&) = delete;
  Announcement& operator=(const Announcement&) = delete;

 private:
  int fd_;
};

}  // namespace

TopBackground::TopBackground(TopReader& reader)
    : reader_(reader), done_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

TopBackground::~TopBackground() {
  if (reading_.valid()) reading_.wait();
  ::close(done_);
}

void TopBackground::start() {
  reading_ = std::async(std::launch::async, [this] {
    Announcement announcement(done_);
    return reader_.read();
  });
}

TopReading TopBackground::take() {
  eventfd_t count = 0;
  ::eventfd_read(done_, &count);
  return reading_.get();
}

}  // namespace heapledger::cli::top
