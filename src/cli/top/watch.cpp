#include "cli/top/watch.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "cli/top/background.h"
#include "cli/top/keys.h"
#include "cli/top/pages.h"
#include "cli/top/terminal.h"

namespace heapledger::cli::top {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kEscapeMilliseconds = 50;  // between the bytes of one key, even far away

// Whether `end` was asked for by somebody who waits for no more than that.
bool is_quiet_end(int end) {
  return end == 0 || end == SIGINT;
}

// Whoever sent the signal shall see that it was obeyed.
void end_by(int end) {
  if (is_quiet_end(end)) return;
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, end);
  ::raise(end);
  ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
}

class Watch {
 public:
  Watch(TopReader& reader, TopReading first, TopState state)
      : state_(std::move(state)), reading_(std::move(first)), background_(reader) {
    page_.style = Style(false);  // lines have their own colours
    page_.cut = true;
    began_ = Clock::now();
  }

  // Returns the signal that ended it, or 0.
  int run() {
    choose();
    while (!over_) {
      if (redraw_) draw();
      if (!background_.busy() && !state_.paused && time_left() == 0) {
        began_ = Clock::now();
        background_.start();
      }
      handle(terminal_.wait(patience(), background_.fd(), bytes_));
    }
    terminal_.leave();
    if (!reading_.ended.empty()) show_last();
    // A reading that nobody waits for may take long.
    if (background_.busy()) {
      std::fflush(stdout);
      end_by(end_);
      std::_Exit(0);
    }
    return end_;
  }

 private:
  void handle(const TerminalNews& news) {
    if (news.end != 0) {
      end_ = news.end;
      over_ = true;
      return;
    }
    redraw_ = redraw_ || news.redraw;
    // An escape alone is a key; with more behind it, it is another.
    take_keys(!news.keys);
    if (!news.noticed) return;
    reading_ = background_.take();
    over_ = over_ || !reading_.ended.empty();
    choose();
  }

  void take_keys(bool all) {
    Key key;
    while (!over_ && take_key(bytes_, all, key)) {
      KeyEffect effect = apply_key(key, rows_, terminal_.size().height / 2, state_);
      over_ = effect == KeyEffect::kQuit;
      if (effect == KeyEffect::kRedraw) choose();
    }
  }

  void choose() {
    rows_ = top_rows(reading_, state_.choice);
    redraw_ = true;
  }

  void draw() {
    redraw_ = false;
    ScreenSize size = terminal_.size();
    page_.width = size.width;
    std::vector<std::string> lines;
    std::vector<size_t> columns;
    for (const Line& line : top_screen(reading_, rows_, state_, size, page_)) {
      lines.push_back(line.painted(colours_));
      columns.push_back(line.columns());
    }
    terminal_.draw(lines, columns);
  }

  // On the screen that stays.
  void show_last() {
    ScreenSize size = terminal_.size();
    page_.width = size.width;
    constexpr size_t kOthers = 8;  // lines that are no rows, the prompt among them
    size_t most = size.height > kOthers ? size.height - kOthers : 1;
    for (const Line& line : top_page(reading_, rows_, state_, most, page_)) {
      std::fprintf(stdout, "%s\n", line.painted(colours_).c_str());
    }
    std::fflush(stdout);
  }

  int time_left() const {
    std::chrono::nanoseconds interval(interval_for(state_.interval_ns, reading_.took_ns));
    auto left = std::chrono::ceil<std::chrono::milliseconds>(began_ + interval - Clock::now());
    return static_cast<int>(std::clamp<int64_t>(left.count(), 0, 3'600'000));
  }

  int patience() const {
    int limit = background_.busy() || state_.paused ? -1 : time_left();
    if (bytes_.empty()) return limit;
    return limit < 0 ? kEscapeMilliseconds : std::min(limit, kEscapeMilliseconds);
  }

  TopState state_;
  TopReading reading_;
  std::vector<TopRow> rows_;
  Page page_ = Page::for_stdout();
  bool colours_ = wants_colours();
  Terminal terminal_;  // before the thread, which must not get its signals
  TopBackground background_;
  std::string bytes_;        // of keys
  Clock::time_point began_;  // the last reading
  bool redraw_ = true;
  bool over_ = false;
  int end_ = 0;
};

}  // namespace

int watch_top(TopReader& reader, TopReading first, TopState state) {
  int end = Watch(reader, std::move(first), std::move(state)).run();
  end_by(end);
  return 0;
}

}  // namespace heapledger::cli::top
