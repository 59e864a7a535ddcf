#include "cli/shared/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <optional>

#include "text/text.h"

namespace heapledger::cli {
namespace {

constexpr std::chrono::milliseconds kQuiet{1000};
constexpr std::chrono::milliseconds kInterval{200};

}  // namespace

ProgressLine::ProgressLine(bool wanted)
    : terminal_(wanted && ::isatty(STDERR_FILENO) == 1),
      start_(Clock::now()),
      next_(start_ + kQuiet) {}

ProgressLine::~ProgressLine() {
  clear();
}

void ProgressLine::count(uint64_t done, uint64_t total, const char* doing, const char* what) {
  if (!terminal_) return;
  Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + kInterval;
  shown_ = true;
  std::string left;
  if (done > 0) {
    double seconds = std::chrono::duration<double>(now - start_).count();
    double left_ns = seconds / static_cast<double>(done) * static_cast<double>(total - done) * 1e9;
    left = ", " + human_duration(static_cast<uint64_t>(left_ns)) + " left";
  }
  fmt::print(stderr, "\r\x1b[K{}: {} of {}{}", doing, with_commas(done), counted(total, what),
             left);
  std::fflush(stderr);
}

void ProgressLine::clear() {
  if (shown_) std::fputs("\r\x1b[K", stderr);
  shown_ = false;
}

void ProgressLine::update(uint64_t done, uint64_t total, const char* doing) {
  if (!terminal_ || done == 0) return;
  Clock::time_point now = Clock::now();
  const bool ends = shown_ && done >= total;  // nobody shall think that something was left out
  if (now < next_ && !ends) return;
  next_ = now + kInterval;
  shown_ = true;
  double seconds = std::chrono::duration<double>(now - start_).count();
  double rate = static_cast<double>(done) / seconds;
  auto left_ns = static_cast<uint64_t>(static_cast<double>(total - done) / rate * 1e9);
  fmt::print(stderr, "\r\x1b[K{}: {}, {} of {}, {}/s, {} left", doing, percent(done, total),
             human_bytes(done), human_bytes(total), human_bytes(static_cast<uint64_t>(rate)),
             human_duration(left_ns));
  std::fflush(stderr);
}

std::function<void(uint64_t done, uint64_t total)> a_line_for_each_pass() {
  auto line = std::make_shared<std::optional<ProgressLine>>();
  return [line](uint64_t done, uint64_t total) {
    if (!*line) line->emplace();
    (*line)->update(done, total);
    if (done >= total) line->reset();
  };
}

}  // namespace heapledger::cli
