// `heapledger flamegraph`: who called whom, as a picture to click on.
#include "exporters/flamegraph.h"

#include <memory>

#include "cli/commands.h"
#include "cli/pictures/words.h"
#include "cli/shared/options.h"

namespace heapledger::cli::pictures {
namespace {

struct FlamegraphOptions {
  PictureWords words;
  bool inverted = false;
  uint32_t width = 0;
  std::string least_share = "0.1%";
};

int run_flamegraph(const FlamegraphOptions& options) {
  FlamegraphRequest wanted;
  wanted.html = format_by_ending(options.words, {"svg", "html"}) == "html";
  wanted.inverted = options.inverted;
  wanted.width = options.width;
  wanted.least_share = parse_share(options.least_share);
  auto draw = [&wanted](ExportRequest& request, const PictureRequest& picture, Output& output) {
    wanted.picture = picture;
    write_flamegraph(request, wanted, output);
  };
  return draw_picture(options.words, draw);
}

}  // namespace

void add_flamegraph(Command& app, int& exit_code) {
  auto options = std::make_shared<FlamegraphOptions>();
  Command* command =
      app.add_subcommand("flamegraph", "Draw who called whom, as a picture to click on");
  add_picture_options(*command, options->words,
                      "a file in .svg or .html (default: SVG on standard output)");
  command->add_flag("--inverted", options->inverted,
                    "From the functions that allocate to their callers");
  command
      ->add_option("--width", options->width,
                   "In pixels (default: as wide as the window; 1200 without scripts)")
      ->type_name("PX")
      ->within(200, 100000);
  command->add_option("--min-share", options->least_share, "Leave narrower frames out (0.1%)")
      ->type_name("SHARE");
  command->footer(
      "A click on a frame makes it as wide as the picture; Back and Reset zoom, or Backspace and\n"
      "Escape, undo that. Ctrl-F searches for a text or a /regular expression/ and says what "
      "share\n"
      "of everything goes through the functions found. Arrow keys and Enter do without a mouse.\n\n"
      "Examples:\n"
      "  heapledger flamegraph server.4711.ledger -o peak.html\n"
      "  heapledger flamegraph server.4711.ledger -o calls.svg --metric calls --inverted");
  command->callback([options, &exit_code] { exit_code = run_flamegraph(*options); });
}

}  // namespace heapledger::cli::pictures
