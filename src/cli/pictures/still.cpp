#include "cli/pictures/still.h"

#include <algorithm>
#include <array>
#include <utility>

#include "analyzer/error.h"
#include "plots/render.h"

namespace heapledger::cli::pictures {

std::string ending_of(const std::string& path) {
  size_t dot = path.find_last_of("./");
  std::string end = dot == std::string::npos || path[dot] == '/' ? "" : path.substr(dot + 1);
  for (char& c : end) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return end;
}

bool is_still(const std::string& ending) {
  constexpr std::array kStills = {"svg", "png", "pdf"};
  return std::find(kStills.begin(), kStills.end(), ending) != kStills.end();
}

Scheme scheme_of(const std::string& word, const std::string& format) {
  if (word == "light") return Scheme::kLight;
  if (word == "dark") return Scheme::kDark;
  if (!word.empty() && word != "auto") {
    throw Error("there is no scheme '" + word + "', only light, dark and auto",
                ErrorKind::kQuestion);
  }
  if (format == "svg") return Scheme::kAuto;
  if (word.empty()) return Scheme::kLight;
  throw Error("only an .svg can be light and dark at once: take --scheme light or dark",
              ErrorKind::kQuestion);
}

StillPicture::StillPicture(const std::string& path, std::string format)
    : format_(std::move(format)), output_(path) {
  if (format_ != "svg") file_ = output_.file_for_others();
}

void StillPicture::write(const std::string& svg) {
  if (file_.empty()) {
    output_.write(svg);
  } else {
    render_still(svg, format_, file_);
  }
  output_.finish();
}

}  // namespace heapledger::cli::pictures
