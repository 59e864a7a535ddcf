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

constexpr size_t kLeastRoom = 24;
constexpr size_t kBelowFigures = 4;  // where there is less beside them

// Where the lines of a stack go: beside the figures, or below them where there is no room.
struct Beside {
  std::string figures;  // and what leads to the first line
  size_t indent;        // of all others
  size_t room;
};

Beside room_beside(const Page& page, const std::string& figures) {
  Beside beside = {figures, shown_width(figures), kLeastRoom};
  if (page.cut && page.width < beside.indent + kLeastRoom) {
    beside.indent = kBelowFigures;
    beside.figures = figures.substr(0, figures.find_last_not_of(' ') + 1) + "\n" +
                     std::string(kBelowFigures, ' ');
  }
  if (page.width > beside.indent + kLeastRoom) beside.room = page.width - beside.indent;
  return beside;
}

// Beginning with frame `begin`.
void put_lines(Buffer& to, const std::vector<NamedFrame>& stack, size_t begin, size_t limit,
               const Page& page, const std::string& figures) {
  const auto [start, indent, room] = room_beside(page, figures);
  if (stack.empty()) {
    put(to, "{}(no stack)\n", start);
    return;
  }
  auto first = stack.begin() + static_cast<long>(begin);
  put(to, "{}{}\n", start, frame_text(page, *first, room));
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

size_t place_of_blamed(Ledgers& ledgers, uint32_t site, const std::vector<NamedFrame>& stack) {
  const NamedFrame blamed = ledgers.first_interesting_frame(site);
  const auto found = std::find_if(stack.begin(), stack.end(),
                                  [&](const NamedFrame& frame) { return same(frame, blamed); });
  return static_cast<size_t>(found == stack.end() ? 0 : found - stack.begin());
}

// Without those that every program begins with.
std::vector<NamedFrame> callers_of_blamed(Ledgers& ledgers, uint32_t site) {
  std::vector<NamedFrame> stack = ledgers.frames(site);
  const size_t blamed = place_of_blamed(ledgers, site, stack);
  while (stack.size() > blamed + 1 && is_start(stack.back().name)) stack.pop_back();
  stack.erase(stack.begin(), stack.begin() + static_cast<long>(std::min(blamed + 1, stack.size())));
  return stack;
}

}  // namespace

void put_stack(Buffer& to, Ledgers& ledgers, uint32_t site, size_t limit, const Page& page,
               const std::string& figures) {
  const std::vector<NamedFrame> stack = ledgers.frames(site);
  put_lines(to, stack, place_of_blamed(ledgers, site, stack), limit, page, figures);
}

void put_owner(Buffer& to, Ledgers& ledgers, const Row& owner, size_t limit, const Page& page,
               const std::string& figures) {
  if (owner.stacks < 2) return put_stack(to, ledgers, owner.site, limit, page, figures);
  put_stack(to, ledgers, owner.site, 1, page, figures);
  const std::vector<NamedFrame> callers = callers_of_blamed(ledgers, owner.site);
  const auto [start, indent, room] = room_beside(page, figures);
  const std::string stacks = with_commas(owner.stacks) + " stacks";
  if (limit < 2 || callers.empty()) {
    put(to, "{:{}}{}\n", "", indent, page.style.dim(stacks));
    return;
  }
  put(to, "{:{}}{}\n", "", indent, page.style.dim(stacks + ", the largest by"));
  const size_t shown = std::min(callers.size(), limit - 1);
  for (size_t i = 0; i < shown; ++i) {
    put(to, "{:{}}← {}\n", "", indent, frame_text(page, callers[i], room - 2));
  }
}

void put_part(Buffer& to, const Row& part, uint64_t amount, size_t limit, const Page& page,
              const std::string& figures) {
  const Beside beside = room_beside(page, figures);
  put(to, "{}{}\n", beside.figures, function_text(page, part.name, "", 0, beside.room));
  const MainOwner& owner = part.owner;
  if (limit > 1 && owner.amount > 0) {
    const std::string share = fmt::format("{} of it: ", percent(owner.amount, amount));
    put(to, "{:{}}{}{}\n", "", beside.indent, page.style.dim(share),
        function_text(page, owner.function, owner.file, owner.line, beside.room - share.size()));
  }
  for (size_t i = 0; i + 3 < limit && i < part.callers.size(); ++i) {
    if (is_start(part.callers[i])) break;
    put(to, "{:{}}← {}\n", "", beside.indent,
        function_text(page, part.callers[i], "", 0, beside.room - 2));
  }
}

void put_frames(Buffer& to, const std::vector<NamedFrame>& stack, size_t limit, const Page& page,
                const std::string& figures) {
  put_lines(to, stack, 0, limit, page, figures);
}

}  // namespace heapledger::cli
