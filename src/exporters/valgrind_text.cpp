#include "exporters/valgrind_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "text/text.h"

namespace heapledger {
namespace {

constexpr size_t kMostCommands = 8;

std::string_view after_last_slash(std::string_view path) {
  size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string command_of(const LedgerFacts& facts) {
  std::string text = shell_words(facts.command);
  return printable(text.empty() ? facts.executable : text);
}

}  // namespace

std::string valgrind_frame(const NamedFrame& frame) {
  std::string text = fmt::format("0x{:X}: {}", frame.pc, printable(frame.name));
  if (!frame.file.empty()) {
    text += fmt::format(" ({}:{})", printable(after_last_slash(frame.file)), frame.line);
  } else if (!frame.module.empty()) {
    text += fmt::format(" (in {})", printable(frame.module));
  }
  return text;
}

std::string valgrind_command(Ledgers& ledgers) {
  const std::vector<LedgerFacts>& facts = ledgers.facts();
  if (facts.size() == 1) return command_of(facts.front());
  std::string text = counted(facts.size(), "process") + ": ";
  for (size_t i = 0; i < std::min(facts.size(), kMostCommands); ++i) {
    text += (i == 0 ? "" : "; ") + command_of(facts[i]);
  }
  return facts.size() > kMostCommands ? text + "; …" : text;
}

}  // namespace heapledger
