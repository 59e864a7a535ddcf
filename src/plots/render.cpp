#include "plots/render.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <vector>

#include "analyzer/error.h"
#include "exporters/program.h"

namespace heapledger {
namespace {

constexpr const char* kDrawer = "rsvg-convert";
constexpr Program::Missing kNoDrawer = {"librsvg2-bin", "write an .svg"};
constexpr Program::Missing kNoFilms = {"ffmpeg", "write an .svg"};

std::vector<std::string> film_arguments(const FilmFormat& format, const std::string& file) {
  std::vector<std::string> arguments = {
      "ffmpeg",     "-nostdin",   "-loglevel",
      "error",      "-y",         "-f",
      "image2pipe", "-framerate", fmt::format("{:g}", format.per_second),
      "-c:v",       "png",        "-i",
      "pipe:0"};
  auto add = [&arguments](std::initializer_list<const char*> more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
  };
  if (format.name == "mp4") {
    add({"-c:v", "libx264", "-preset", "veryfast", "-crf", "20", "-pix_fmt", "yuv420p", "-movflags",
         "+faststart", "-f", "mp4"});
  } else if (format.name == "gif") {
    // The palette is made from the film's own colours.
    add({"-filter_complex",
         "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=none", "-loop", "0",
         "-f", "gif"});
  } else {
    add({"-c:v", "libwebp_anim", "-lossless", "1", "-loop", "0", "-f", "webp"});
  }
  arguments.push_back("file:" + file);  // whatever its name begins with
  return arguments;
}

}  // namespace

void render_still(const std::string& svg, const std::string& format, const std::string& file) {
  OpenFile picture = OpenFile::in_memory(svg);
  Program drawer({kDrawer, "--format=" + format, "--output=" + file}, kNoDrawer, picture.fd(), -1);
  drawer.wait();
}

// Each picture is drawn by a program of its own straight into the pipe of the one that makes the
// film.
void render_film(const FilmFormat& format, const std::function<std::string(size_t frame)>& draw,
                 const std::string& file) {
  auto [from, to] = OpenFile::pipe();
  Program film(film_arguments(format, file), kNoFilms, from.fd(), -1);
  from.close();
  try {
    for (size_t frame = 0; frame < format.frames; ++frame) {
      OpenFile picture = OpenFile::in_memory(draw(frame));
      Program drawer({kDrawer, "--format=png"}, kNoDrawer, picture.fd(), to.fd());
      drawer.wait();
    }
  } catch (const Error&) {
    // When ffmpeg has gone, nobody can draw into its pipe: its own words are the better ones.
    to.close();
    film.wait();
    throw;
  }
  to.close();
  film.wait();
}

}  // namespace heapledger
