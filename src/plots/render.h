// From SVG to what other programs make of it. The programs are Debian's librsvg2-bin and ffmpeg;
// where one is missing, an Error names it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace heapledger {

// "png" or "pdf", into the file.
void render_still(const std::string& svg, const std::string& format, const std::string& file);

// A film, into the file.
struct FilmFormat {
  std::string name;  // mp4, gif, webp
  size_t frames = 0;
  double per_second = 12.5;
};
void render_film(const FilmFormat& format, const std::function<std::string(size_t frame)>& draw,
                 const std::string& file);

}  // namespace heapledger
