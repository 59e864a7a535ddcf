#include "cli/pages/command_line.h"

#include "text/text.h"

namespace heapledger::cli {
namespace {

constexpr size_t kMaxCommand = 60;

}  // namespace

std::string command_line(const LedgerFacts& ledger) {
  std::string line;
  for (const std::string& argument : ledger.command) {
    if (line.size() > kMaxCommand) break;
    line += (line.empty() ? "" : " ") + shell_word(argument.substr(0, kMaxCommand + 1));
  }
  if (line.empty()) line = ledger.executable.empty() ? "(unknown)" : escaped(ledger.executable);
  return cut_text(line, kMaxCommand);
}

}  // namespace heapledger::cli
