// `heapledger settings`: the words of HEAPLEDGER, which are also options of `run`: on a terminal
// for people, elsewhere as the table that the manual shows.
#include "settings/settings.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/pages/page.h"
#include "cli/shared/options.h"
#include "cli/shared/pager.h"

namespace heapledger::cli::run {
namespace {

// A bar would end the cell.
std::string cell(std::string text) {
  for (size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
    text.insert(at, "\\");
  return text;
}

std::string row_of(const settings::Word& word) {
  const std::string initial = word.initial[0] != '\0' ? fmt::format("`{}`", word.initial) : "";
  return fmt::format("| `{}={}` | {} | {}{} |\n", word.name, cell(word.value), initial, word.help,
                     word.internal ? " (for Heapledger itself)" : "");
}

std::string manual_table() {
  std::string table = "| word | default | meaning |\n|---|---|---|\n";
  for (size_t i = 0; i < settings::kWordCount; ++i) table += row_of(settings::kWords[i]);
  return table;
}

constexpr std::string_view kOwn = "For Heapledger itself";
constexpr std::string_view kAnyMode = "Any mode";

// The help of a word that is for one mode begins with it: "Sample mode: …".
std::string_view group_of(const settings::Word& word) {
  if (word.internal) return kOwn;
  const std::string_view help = word.help;
  const size_t colon = help.find(" mode: ");
  return colon == std::string_view::npos ? kAnyMode : help.substr(0, colon + 5);
}

void put_setting(Buffer& to, const settings::Word& word, const Page& page) {
  constexpr size_t kIndent = 30;
  const std::string name = fmt::format("  {}={}", word.name, word.value);
  std::string help = word.help;
  const std::string_view group = group_of(word);
  if (group != kAnyMode && group != kOwn) {
    help = help.substr(group.size() + 2);
    help[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(help[0])));
  }
  if (word.initial[0] != '\0') help += fmt::format(" (default: {})", word.initial);
  Buffer text;
  put_wrapped(text, page, help, kIndent);
  if (name.size() + 2 > kIndent) {
    put(to, "{}\n{}", page.style.bold(name), fmt::to_string(text));
  } else {
    const std::string gap(kIndent - name.size(), ' ');
    put(to, "{}{}{}", page.style.bold(name), gap, fmt::to_string(text).substr(kIndent));
  }
}

std::string settings_page(const Page& page) {
  std::vector<std::string_view> groups;
  for (size_t i = 0; i < settings::kWordCount; ++i) {
    const std::string_view group = group_of(settings::kWords[i]);
    if (std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
  }
  Buffer to;
  put_wrapped(
      to, page,
      "Words of the variable HEAPLEDGER, and options of heapledger run: mode=sample is --mode "
      "sample there.",
      0);
  for (const std::string_view group : groups) {
    put_title(to, page, std::string(group));
    for (size_t i = 0; i < settings::kWordCount; ++i) {
      if (group_of(settings::kWords[i]) == group) put_setting(to, settings::kWords[i], page);
    }
  }
  return page.finished(to);
}

}  // namespace

void add_settings(Command& app, int& exit_code) {
  Command* sub = app.add_subcommand("settings", "List what a recording can be asked to do");
  sub->footer(
      "Each is a word of the variable HEAPLEDGER and an option of `heapledger run`:\n\n"
      "  HEAPLEDGER='mode=sample every=10s' LD_PRELOAD=libheapledger.so ./program\n"
      "  heapledger run --mode sample --every 10s -- ./program");
  sub->callback([&exit_code] {
    const bool terminal = ::isatty(STDOUT_FILENO) == 1;
    Paged paged(false);
    paged.write(terminal ? settings_page(Page::for_stdout()) : manual_table());
    exit_code = 0;
  });
}

}  // namespace heapledger::cli::run
