#include "cli/shared/unseen_calls.h"

#include <algorithm>

#include "text/text.h"

namespace heapledger::cli {
namespace {

// "malloc, calloc and free"
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += escaped(names[i]);
  }
  return text;
}

}  // namespace

std::string unseen_calls(const LedgerFacts& ledger) {
  const std::vector<std::string>& names = ledger.bypassed;
  const bool all =
      std::find(names.begin(), names.end(), "malloc") != names.end() && ledger.totals.calls == 0;
  const std::string functions = listed(names);
  const std::string what = all ? "no call could be seen" : "no call of " + functions + " was seen";
  const std::string their = all ? functions : names.size() > 1 ? "they" : "it";
  const std::string are = names.size() > 1 ? "are" : "is";
  if (ledger.bypassed_by.empty()) {
    const std::string& path = ledger.executable;
    const std::string program = path.empty() ? "the program" : escaped(short_path(path));
    return what + ": " + their + " " + are + " defined in " + program +
           " itself, and what is in an executable comes before any library that is preloaded";
  }
  return what + ": " + their + " " + are + " defined in " + escaped(ledger.bypassed_by) +
         ", which is loaded before the recorder";
}

std::string unseen_remedy(const LedgerFacts& ledger) {
  if (!ledger.bypassed_by.empty()) {
    return "Let the recorder come first: preload it before that library, or link it before.";
  }
  return "Build the program with the allocator of the C library, or link its allocator as a shared "
         "library.";
}

}  // namespace heapledger::cli
