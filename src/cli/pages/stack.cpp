#include "cli/pages/stack.h"

#include <algorithm>
#include <vector>

namespace heapledger::cli {
namespace {

bool same(const NamedFrame& a, const NamedFrame& b) {
  return a.pc == b.pc && a.name == b.name && a.inlined == b.inlined && a.line == b.line;
}

// What every program and thread begins with, outside of its own first function.
bool is_start(const std::string& name) {
  for (const char* start : {"_start", "__libc_start_main", "__libc_start_call_main", "start_thread",
                            "__clone3", "clone3", "clone"}) {
    if (name == start || name.starts_with(std::string(start) + "@")) return true;
  }
  return name.starts_with("__libc_start_main");
}

// Beginning with frame `begin`.
void put_lines(Buffer& to, const std::vector<NamedFrame>& stack, size_t begin, size_t limit,
               const Page& page, const std::string& figures) {
  constexpr size_t kLeast = 24;
  constexpr size_t kBelow = 4;
  size_t indent = shown_width(figures);
  if (page.cut && page.width < indent + kLeast) {
    // No room beside the figures: below them.
    put(to, "{}\n", figures.substr(0, figures.find_last_not_of(' ') + 1));
    put_lines(to, stack, begin, limit, page, std::string(kBelow, ' '));
    return;
  }
  size_t room = page.width > indent + kLeast ? page.width - indent : kLeast;
  if (stack.empty()) {
    put(to, "{}(no stack)\n", figures);
    return;
  }
  auto first = stack.begin() + static_cast<long>(begin);
  put(to, "{}{}\n", figures, frame_text(page, *first, room));
  auto left = static_cast<size_t>(stack.end() - first) - 1;
  while (limit != SIZE_MAX && left > 0 && is_start(first[static_cast<long>(left)].name)) --left;
  size_t callers = std::min(left, limit == 0 ? 0 : limit - 1);
  if (callers + 1 == left) callers = left;  // a line that says "one more" is no shorter
  if (limit <= 1) callers = 0;
  for (size_t i = 1; i <= callers; ++i) {
    put(to, "{:{}}← {}\n", "", indent, frame_text(page, first[static_cast<long>(i)], room - 2));
  }
  if (callers > 0 && callers < left) {
    put(to, "{:{}}{}\n", "", indent, page.style.dim(fmt::format("… {} more", left - callers)));
  }
}

}  // namespace

void put_stack(Buffer& to, Ledgers& ledgers, uint32_t site, size_t limit, const Page& page,
               const std::string& figures) {
  std::vector<NamedFrame> stack = ledgers.frames(site);
  NamedFrame blamed = ledgers.first_interesting_frame(site);
  auto first = std::find_if(stack.begin(), stack.end(),
                            [&](const NamedFrame& frame) { return same(frame, blamed); });
  auto begin = static_cast<size_t>(first == stack.end() ? 0 : first - stack.begin());
  put_lines(to, stack, begin, limit, page, figures);
}

void put_frames(Buffer& to, const std::vector<NamedFrame>& stack, size_t limit, const Page& page,
                const std::string& figures) {
  put_lines(to, stack, 0, limit, page, figures);
}

}  // namespace heapledger::cli
