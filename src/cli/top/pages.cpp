#include "cli/top/pages.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "cli/top/json.h"

namespace heapledger::cli::top {
namespace {

using Clock = std::chrono::steady_clock;

void print_page(const TopReading& reading, const TopState& state, const TopPages& pages) {
  std::vector<TopRow> rows = top_rows(reading, state.choice);
  std::string text;
  if (pages.json) {
    text = json_line(top_json(reading, rows, state.choice, pages.most)) + "\n";
  } else {
    Page page = Page::for_stdout();
    page.style = Style(false);
    bool terminal = ::isatty(STDOUT_FILENO) == 1;
    for (const Line& line : top_page(reading, rows, state, pages.most, page)) {
      text += (terminal ? line.painted(wants_colours()) : line.plain()) + "\n";
    }
  }
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

}  // namespace

bool wants_colours() {
  const char* no_color = std::getenv("NO_COLOR");
  return no_color == nullptr || no_color[0] == '\0';
}

int print_top(TopReader& reader, const TopReading& first, const TopState& state,
              const TopPages& pages) {
  uint64_t took_ns = first.took_ns;
  Clock::time_point began = Clock::now();
  for (uint64_t i = 0; i < pages.count; ++i) {
    began += std::chrono::nanoseconds(interval_for(state.interval_ns, took_ns));
    std::this_thread::sleep_until(began);
    began = Clock::now();
    TopReading reading = reader.read();
    took_ns = reading.took_ns;
    if (i > 0 && !pages.json) std::fputc('\n', stdout);
    print_page(reading, state, pages);
    if (!reading.ended.empty()) break;
  }
  return 0;
}

}  // namespace heapledger::cli::top
