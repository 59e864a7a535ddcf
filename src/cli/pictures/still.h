// Pictures that do not move: what one is to be is seen from the end of its file's name.
#pragma once

#include <string>

#include "exporters/output.h"
#include "plots/svg.h"

namespace heapledger::cli::pictures {

// "svg" of "heap.SVG"; empty when there is no dot in the name itself.
std::string ending_of(const std::string& path);

// .svg, .png and .pdf, which is how they are listed in messages.
bool is_still(const std::string& ending);
inline constexpr const char* kStillEndings = ".svg, .png, .pdf";

// "light", "dark" or "auto"; empty: as it suits the format. Throws Error.
Scheme scheme_of(const std::string& word, const std::string& format);

// Where a picture goes, opened before the long work, so that what is wrong with it is told before.
class StillPicture {
 public:
  // `format` as ending_of() gives it.
  StillPicture(const std::string& path, std::string format);

  void write(const std::string& svg);

 private:
  std::string format_;
  Output output_;
  std::string file_;  // for the program that draws; empty: we write ourselves
};

}  // namespace heapledger::cli::pictures
