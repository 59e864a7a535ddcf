#include "text/nearest.h"

#include <algorithm>
#include <cstddef>

namespace heapledger {
namespace {

// How many letters have to be added, dropped or changed.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_word(std::string_view word, const std::vector<std::string>& words) {
  std::string nearest;
  size_t least = std::max<size_t>(word.size() / 2, 1) + 1;
  for (const std::string& one : words) {
    size_t far = distance(word, one);
    bool begins = word.size() >= 2 && (one.starts_with(word) || word.starts_with(one));
    if (begins) far = std::min<size_t>(far, 1);
    if (far >= least) continue;
    least = far;
    nearest = one;
  }
  return nearest;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& words) {
  std::string nearest = nearest_word(word, words);
  return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
}

}  // namespace heapledger
