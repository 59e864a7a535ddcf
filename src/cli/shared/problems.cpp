#include "cli/shared/problems.h"

#include <fmt/format.h>

#include <cstdio>

#include "text/text.h"

namespace heapledger::cli {

void tell_problems(const std::vector<std::string>& problems, bool quiet) {
  if (quiet) return;
  Style style = Style::for_stream(fileno(stderr));
  for (const std::string& text : problems) {
    fmt::print(stderr, "{} {}\n", style.warning("note:"), printable(text));
  }
}

}  // namespace heapledger::cli
