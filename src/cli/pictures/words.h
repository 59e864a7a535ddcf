// What the commands that draw pictures have in common: their options, and the way from them to
// ledgers that can be asked.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/asking/selection_words.h"
#include "cli/shared/ledger_paths.h"
#include "cli/shared/opened.h"
#include "exporters/exporter.h"
#include "exporters/picture_text.h"

namespace heapledger::cli {
class Command;
}

namespace heapledger::cli::pictures {

struct PictureWords {
  NamedLedgers files;
  std::string out;
  std::string title;
  std::string metric;
  SelectionWords selection;
  std::vector<std::string> suppressions;  // files
  NameOptions names;
};

// `formats` says what the file can be, for the help.
void add_picture_options(Command& command, PictureWords& words, const std::string& formats);

// The ending of the file's name, of those in `known`; without a file the first. Throws Error that
// lists them.
std::string format_by_ending(const PictureWords& words, const std::vector<std::string>& known);

// A share: "1%", "0.5%", "0.01". Throws Error.
double parse_share(const std::string& text);

// Opens the ledgers and has them drawn; returns the exit status.
using Draw = std::function<void(ExportRequest&, const PictureRequest&, Output&)>;
int draw_picture(const PictureWords& words, const Draw& draw);

}  // namespace heapledger::cli::pictures
