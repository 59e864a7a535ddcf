#include "cores/start_stack.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace heapledger::cores {
namespace {

constexpr size_t kSearchedBytes = 64 * 1024;
constexpr size_t kMostWords = 64 * 1024;
constexpr size_t kMostArgumentBytes = 1024 * 1024;

// The auxiliary vector lies a little below the random bytes that it points to.
std::optional<uint64_t> find_start_values(const Memory& memory, const CoreNotes& notes) {
  uint64_t word = memory.shape().word_bytes;
  if (notes.start.random < kSearchedBytes || notes.start_bytes.size() < 4 * word) {
    return std::nullopt;
  }
  // What can be read without a gap up to there.
  uint64_t end = notes.start.random / word * word;
  std::string bytes;
  for (size_t wanted = kSearchedBytes; wanted >= 1024; wanted /= 2) {
    bytes.resize(wanted);
    auto out = std::span(reinterpret_cast<unsigned char*>(bytes.data()), wanted);
    if (memory.read_all(end - wanted, out)) break;
    bytes.clear();
  }
  size_t found = bytes.rfind(std::string_view(notes.start_bytes).substr(0, 4 * word));
  if (found == std::string::npos || found % word != 0) return std::nullopt;
  return end - bytes.size() + found;
}

// Going down from the zero at `end` over words that are not zero: where the first of them is.
std::optional<uint64_t> list_before(const Memory& memory, uint64_t end) {
  uint64_t word = memory.shape().word_bytes;
  auto last = memory.word(end);
  if (!last || *last != 0) return std::nullopt;
  for (size_t i = 0; i < kMostWords; ++i) {
    auto value = memory.word(end - word);
    if (!value) return std::nullopt;
    if (*value == 0) return end;
    end -= word;
  }
  return std::nullopt;
}

// Below the arguments is their count, which is how their beginning is known.
std::optional<uint64_t> arguments_before(const Memory& memory, uint64_t end) {
  uint64_t word = memory.shape().word_bytes;
  auto last = memory.word(end);
  if (!last || *last != 0) return std::nullopt;
  for (uint64_t count = 0; count < kMostWords; ++count) {
    end -= word;
    auto value = memory.word(end);
    if (!value) return std::nullopt;
    if (*value == count) return end + word;
  }
  return std::nullopt;
}

}  // namespace

std::string text_at(const Memory& memory, uint64_t address, size_t most) {
  std::string text;
  unsigned char bytes[256];
  while (text.size() < most) {
    size_t wanted = std::min(sizeof(bytes), most - text.size());
    size_t got = memory.read(address + text.size(), std::span(bytes).first(wanted));
    const auto* end = std::find(bytes, bytes + got, 0);
    text.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(end - bytes));
    if (end != bytes + got || got < wanted) break;
  }
  return text;
}

std::vector<std::string> find_arguments(const Memory& memory, const CoreNotes& notes) {
  uint64_t word = memory.shape().word_bytes;
  auto values = find_start_values(memory, notes);
  if (!values) return {};
  auto environment = list_before(memory, *values - word);
  if (!environment) return {};
  auto first = arguments_before(memory, *environment - word);
  if (!first) return {};
  std::vector<std::string> arguments;
  size_t left = kMostArgumentBytes;
  for (uint64_t at = *first; at < *environment - word && left > 0; at += word) {
    auto address = memory.word(at);
    if (!address) break;
    arguments.push_back(text_at(memory, *address, left));
    left -= std::min(left, arguments.back().size() + 1);
  }
  return arguments;
}

}  // namespace heapledger::cores
