// `heapledger plot`: ledgers as pictures and films.

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/error.h"
#include "cli/asking/selection_words.h"
#include "cli/commands.h"
#include "cli/pictures/still.h"
#include "cli/shared/ledger_paths.h"
#include "cli/shared/opened.h"
#include "cli/shared/options.h"
#include "exporters/output.h"
#include "plots/film.h"
#include "plots/page.h"
#include "plots/render.h"

namespace heapledger::cli::pictures {
namespace {

struct PlotOptions {
  NamedLedgers files;
  std::string out;
  std::string kind;
  std::string scheme;
  std::string heap;
  size_t width = 0;
  size_t height = 0;
  size_t top = 0;
  size_t frames = 0;
  NameOptions names;
};

constexpr std::array kFilms = {"mp4", "gif", "webp"};

bool is_film(const std::string& format) {
  return std::find(kFilms.begin(), kFilms.end(), format) != kFilms.end();
}

// By the end of the file's name.
std::string format_of(const std::string& path) {
  if (path.empty()) return "svg";
  std::string end = ending_of(path);
  if (is_still(end) || is_film(end)) return end;
  throw Error("the format follows from the end of the name, and '" + path + "' has none of " +
                  kStillEndings + ", or of a film: .mp4, .gif, .webp",
              ErrorKind::kQuestion);
}

PageOptions page_options(const PlotOptions& options, const std::string& format) {
  PageOptions page;
  if (!options.kind.empty()) page.kind = parse_plot_kind(options.kind);
  page.width = options.width;
  page.height = options.height;
  page.scheme = scheme_of(options.scheme, format);
  page.heap = options.heap;
  if (options.top > 0) page.top = options.top;
  if (page.top > kSeriesColours) {
    throw Error("--top is at most " + std::to_string(kSeriesColours) +
                    ": more colours cannot be told apart",
                ErrorKind::kQuestion);
  }
  if (options.frames > 0)
    throw Error("--frames is for films: .mp4, .gif, .webp", ErrorKind::kQuestion);
  return sized(page);
}

FilmOptions film_options(const PlotOptions& options, const std::string& format) {
  if (!options.kind.empty() || options.top > 0) {
    throw Error("a film has no --kind and no --top: it shows the heap as it grows",
                ErrorKind::kQuestion);
  }
  FilmOptions film;
  film.width = options.width;
  film.height = options.height;
  film.scheme = scheme_of(options.scheme, format);
  film.heap = options.heap;
  if (options.frames > 0) film.frames = options.frames;
  return sized(film);
}

// Something over time to draw, of the heap that is asked for.
void expect_time(Ledgers& ledgers, const std::string& heap) {
  expect_more_than_counts(ledgers);
  look_at_heap(ledgers, heap);
  if (!ledgers.overview().is_live()) return;
  throw Error(
      "this is a live heap, which is one moment, and plots are over time: take heapledger "
      "flamegraph or heapledger graph",
      ErrorKind::kQuestion);
}

int run_film(const PlotOptions& options, const std::string& format) {
  FilmOptions wanted = film_options(options, format);
  Output output(options.out);
  const std::string& file = output.file_for_others();
  Opened opened(options.files, options.names);
  expect_time(opened.ledgers(), options.heap);
  Film film(opened.ledgers(), wanted);
  render_film(
      {format, wanted.frames}, [&film](size_t frame) { return film.draw(frame); }, file);
  output.finish();
  return opened.warn();
}

int run_plot(const PlotOptions& options) {
  std::string format = format_of(options.out);
  if (is_film(format)) return run_film(options, format);
  PageOptions wanted = page_options(options, format);
  StillPicture picture(options.out, format);
  Opened opened(options.files, options.names);
  expect_time(opened.ledgers(), options.heap);
  picture.write(draw_page(opened.ledgers(), wanted));
  return opened.warn();
}

}  // namespace

void add_plot(Command& app, int& exit_code) {
  auto options = std::make_shared<PlotOptions>();
  Command* command = app.add_subcommand("plot", "Draw charts of ledgers, or a film");
  add_ledger_files(*command, options->files);
  command
      ->add_option("-o,--output", options->out,
                   "The picture: .svg, .png, .pdf; or a film: .mp4, .gif, .webp (default: SVG to "
                   "standard output)")
      ->type_name("OUT");
  command
      ->add_option("--kind", options->kind,
                   "One panel alone: time, sites, sizes, lifetimes or map (default: all)")
      ->offers({"time", "sites", "sizes", "lifetimes", "map"})
      ->type_name("KIND");
  command
      ->add_option("--top", options->top,
                   "Places or parts that have a colour of their own, up to 12 (default: 10)")
      ->type_name("N");
  add_heap_option(*command, options->heap, "Draw another heap");
  command->add_option("--width", options->width, "In pixels")->type_name("N");
  command->add_option("--height", options->height, "In pixels")->type_name("N");
  command
      ->add_option("--scheme", options->scheme,
                   "Colours: light, dark, or auto: an .svg that is as the reader's screen is "
                   "(default: auto for .svg, light for others)")
      ->offers({"light", "dark", "auto"})
      ->type_name("SCHEME");
  command->add_option("--frames", options->frames, "Of a film (default: 125, 10 seconds)")
      ->type_name("N");
  add_name_options(*command, options->names);
  command->footer(
      "PNG and PDF need the program rsvg-convert (Debian's librsvg2-bin), films ffmpeg as well.\n\n"
      "Examples:\n"
      "  heapledger plot server.4711.ledger -o heap.svg\n"
      "  heapledger plot server.4711.ledger --kind map --width 1600 --scheme dark -o map.png\n"
      "  heapledger plot server.4711.ledger -o heap.mp4");
  command->callback([options, &exit_code] { exit_code = run_plot(*options); });
}

}  // namespace heapledger::cli::pictures
