// The heap as a film: in every frame the addresses as a field of cells, what is live by size, and
// the time. A frame shows the mean over its share of the time.
#pragma once

#include <memory>
#include <string>

#include "analyzer/query.h"
#include "plots/svg.h"

namespace heapledger {

struct FilmOptions {
  size_t frames = 125;
  size_t width = 0;  // 0: 1280 × 720
  size_t height = 0;
  Scheme scheme = Scheme::kLight;
  std::string heap;  // that is looked at, for the heading; empty: malloc's
};
inline constexpr size_t kMostFrames = 2000;

// With its size filled in, in even numbers, as films want it. Throws Error when it is too small.
FilmOptions sized(FilmOptions options);

class Film {
 public:
  Film(Ledgers& ledgers, const FilmOptions& options);
  ~Film();

  // One frame as SVG.
  std::string draw(size_t frame) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace heapledger
