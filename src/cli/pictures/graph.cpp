// `heapledger graph`: who owns the memory, as a call graph.
#include "exporters/graph.h"

#include <memory>

#include "cli/commands.h"
#include "cli/pictures/words.h"
#include "cli/shared/options.h"

namespace heapledger::cli::pictures {
namespace {

struct GraphOptions {
  PictureWords words;
  std::string prune = "1%";
  size_t boxes = 40;
  bool wrappers = false;
};

int run_graph(const GraphOptions& options) {
  std::string format = format_by_ending(options.words, {"dot", "gv", "svg", "pdf", "ps"});
  GraphRequest wanted;
  wanted.prune = parse_share(options.prune);
  wanted.boxes = options.boxes;
  wanted.wrappers = options.wrappers;
  auto draw = [&](ExportRequest& request, const PictureRequest& picture, Output& output) {
    wanted.picture = picture;
    write_graph(request, wanted, format, output);
  };
  return draw_picture(options.words, draw);
}

}  // namespace

void add_graph(Command& app, int& exit_code) {
  auto options = std::make_shared<GraphOptions>();
  Command* command = app.add_subcommand("graph", "Draw who owns the memory, as a call graph");
  add_picture_options(*command, options->words,
                      "a file in .pdf, .svg, .ps or .dot (default: dot on standard output)");
  command
      ->add_option("--prune", options->prune,
                   "Leave out functions and calls with less than this share (1%)")
      ->type_name("SHARE");
  command
      ->add_option("--boxes", options->boxes,
                   "At most so many functions: those that allocate or branch most (40)")
      ->type_name("N")
      ->within(1, 500);
  command->add_flag("--wrappers", options->wrappers,
                    "With what lies between them and malloc: operator new, the standard library");
  command->footer(
      "Boxes are functions: the stronger the colour the more is allocated by them and what they\n"
      "call, the larger the text the more by themselves. PDF, SVG and PostScript are drawn by\n"
      "graphviz, which has to be installed. An SVG can be zoomed with the wheel and dragged.\n\n"
      "Examples:\n"
      "  heapledger graph server.4711.ledger -o peak.pdf\n"
      "  heapledger graph server.4711.ledger -o end.svg --at end --prune 0.2%");
  command->callback([options, &exit_code] { exit_code = run_graph(*options); });
}

}  // namespace heapledger::cli::pictures
