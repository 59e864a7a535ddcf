#include "importers/named_sites.h"

#include <algorithm>
#include <charconv>

#include "format/entry.h"

namespace heapledger {
namespace {

// Takes ":12" off the end.
bool take_number(std::string_view& text, uint32_t& number) {
  size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon + 1 == text.size()) return false;
  const char* end = text.data() + text.size();
  auto [at, error] = std::from_chars(text.data() + colon + 1, end, number);
  if (error != std::errc() || at != end) return false;
  text = text.substr(0, colon);
  return true;
}

// "file.c:12" or "file.c:12:5", where 5 is the column.
bool take_place(std::string_view text, FrameText& frame) {
  uint32_t last = 0;
  if (!take_number(text, last)) return false;
  frame.line = last;
  uint32_t before = 0;
  if (take_number(text, before)) frame.line = before;
  frame.file = text;
  return !text.empty();
}

}  // namespace

FrameText parse_frame(std::string_view text) {
  FrameText frame;
  if (text.starts_with("0x")) {
    const char* end = text.data() + text.size();
    auto [at, error] = std::from_chars(text.data() + 2, end, frame.pc, 16);
    std::string_view rest = text.substr(static_cast<size_t>(at - text.data()));
    if (error == std::errc() && rest.starts_with(": ")) text = rest.substr(2);
  }
  frame.function = text;
  constexpr std::string_view kIn = " (in ";
  if (text.ends_with(')')) {
    size_t place = text.rfind(" (");
    size_t module = text.rfind(kIn);
    FrameText with_place = frame;
    if (place != std::string_view::npos &&
        take_place(text.substr(place + 2, text.size() - place - 3), with_place)) {
      frame = with_place;
      frame.function = text.substr(0, place);
    } else if (module != std::string_view::npos) {
      frame.function = text.substr(0, module);
      frame.module = text.substr(module + kIn.size());
      frame.module.remove_suffix(1);
    }
  }
  if (frame.function == "???") frame.function = {};
  return frame;
}

uint32_t NamedSites::frame(std::string_view text) {
  auto [place, is_new] =
      numbers_.try_emplace(std::string(text), static_cast<uint32_t>(frames_.size()));
  if (is_new) frames_.emplace_back(text);
  return place->second;
}

uint32_t NamedSites::module_of(std::string_view path) {
  if (path.empty()) return 0;
  auto [place, is_new] =
      modules_.try_emplace(std::string(path), static_cast<uint32_t>(modules_.size() + 1));
  if (is_new) ledger_.module(place->second, 0, UINT64_MAX, 0, path);
  return place->second;
}

uint32_t NamedSites::site(std::span<const uint32_t> frames) {
  uint32_t site = 0;
  for (size_t i = frames.size(); i-- > 0;) {
    auto [place, is_new] = sites_.try_emplace({site, frames[i]}, 0);
    if (is_new) {
      place->second = static_cast<uint32_t>(sites_.size());
      const FrameText frame = parse_frame(frames_[frames[i]]);
      ledger_.frame(place->second, site, module_of(frame.module), frame.function, frame.file,
                    frame.line);
    }
    site = place->second;
  }
  return site;
}

void write_command(LedgerWriter& ledger, std::string_view command, std::string_view what) {
  ledger.info(format::InfoKey::kExecutable, command.substr(0, command.find(' ')));
  std::string words(command);
  std::replace(words.begin(), words.end(), ' ', '\0');
  ledger.info(format::InfoKey::kCommand, words + '\0');
  ledger.info(format::InfoKey::kRuntime, "imported from " + std::string(what));
}

}  // namespace heapledger
