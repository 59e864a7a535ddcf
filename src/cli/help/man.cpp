#include "cli/help/man.h"

#include <heapledger.h>

#include <cctype>
#include <sstream>
#include <string_view>
#include <vector>

namespace heapledger::cli::help {
namespace {

using completion::CommandSpec;
using completion::OptionSpec;

// So that roff takes it for text: a dash is a dash, and no line begins with an order.
std::string plain(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    const bool begins = safe.empty() || safe.back() == '\n';
    if (begins && (c == '.' || c == '\'')) safe += "\\&";
    if (c == '-') {
      safe += "\\-";
    } else if (c == '\\') {
      safe += "\\e";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string capitals(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string option_text(const OptionSpec& option) {
  std::string names;
  for (const std::string& name : option.names) {
    names += (names.empty() ? "\\fB" : ", \\fB") + plain(name) + "\\fR";
  }
  const bool takes = option.value.kind != completion::WordKind::kNone;
  if (takes) names += " \\fI" + plain(option.value.name) + "\\fR";
  return ".TP\n" + names + "\n" + plain(option.description) + "\n";
}

// Paragraphs; lines that are indented, and the headings before them, as they stand.
std::string footer_text(const std::string& footer) {
  std::string text;
  bool as_it_stands = false;
  std::istringstream lines(footer);
  std::vector<std::string> all;
  for (std::string line; std::getline(lines, line);) all.push_back(line);
  for (size_t at = 0; at < all.size(); ++at) {
    const std::string& line = all[at];
    const bool indented = line.starts_with(' ');
    if (indented != as_it_stands && !line.empty()) {
      text += indented ? ".nf\n" : ".fi\n";
      as_it_stands = indented;
    }
    text += line.empty() ? (as_it_stands ? "\n" : ".PP\n") : plain(line) + "\n";
  }
  return text + (as_it_stands ? ".fi\n" : "");
}

}  // namespace

std::string man_page(const CommandSpec& command) {
  const std::string name = "heapledger-" + command.name;
  std::string text = ".TH " + capitals(plain(name)) +
                     " 1 \"\" \"Heapledger " HEAPLEDGER_VERSION "\" \"User Commands\"\n";
  text += ".SH NAME\n" + plain(name) + " \\- " + plain(command.description) + "\n";
  text += ".SH SYNOPSIS\n\\fB" + plain(command.usage) + "\\fR\n";
  text += ".SH OPTIONS\n";
  for (const OptionSpec& option : command.options) text += option_text(option);
  if (!command.footer.empty()) text += ".SH MORE\n" + footer_text(command.footer);
  text +=
      ".SH SEE ALSO\n.BR heapledger (1),\nand the manual in \\fI/usr/share/doc/heapledger\\fR.\n";
  return text;
}

}  // namespace heapledger::cli::help
