// The right word for a wrong one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heapledger {

// The one of `words` that `word` may have been meant to be; empty when none is near.
std::string nearest_word(std::string_view word, const std::vector<std::string>& words);

// "; did you mean 'WORD'?", or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& words);

}  // namespace heapledger
