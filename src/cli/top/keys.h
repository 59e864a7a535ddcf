// The keyboard of `heapledger top`: from the bytes that a terminal sends to keys, and what each of
// them does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/top/screen.h"

namespace heapledger::cli::top {

enum class KeyKind {
  kText,
  kEnter,
  kEscape,
  kBackspace,
  kUp,
  kDown,
  kLeft,
  kRight,
  kPageUp,
  kPageDown,
  kHome,
  kEnd,
  kUnknown,
};

struct Key {
  KeyKind kind = KeyKind::kUnknown;
  std::string text;  // of kText: one character
};

// Takes the first key out of `bytes`, which may hold a part of one: then nothing is taken, unless
// `all`: nothing more will come. False: none is there.
bool take_key(std::string& bytes, bool all, Key& key);

enum class KeyEffect { kNothing, kRedraw, kQuit };

// `page_rows`: how far a page is.
KeyEffect apply_key(const Key& key, const std::vector<TopRow>& rows, size_t page_rows,
                    TopState& state);

}  // namespace heapledger::cli::top
