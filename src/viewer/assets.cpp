#include "viewer/assets.h"

#include <array>
#include <cstddef>

// The assembler takes the files as they are: a compiler would need seconds for a text of this
// length.
#define HEAPLEDGER_ASSET(name, file)                                                       \
  asm(".pushsection .rodata\n"                                                             \
      ".global heapledger_asset_" #name                                                    \
      "\n"                                                                                 \
      ".global heapledger_asset_" #name                                                    \
      "_end\n"                                                                             \
      "heapledger_asset_" #name                                                            \
      ":\n"                                                                                \
      ".incbin \"" HEAPLEDGER_PAGE_FOLDER "/" file                                         \
      "\"\n"                                                                               \
      "heapledger_asset_" #name                                                            \
      "_end:\n"                                                                            \
      ".byte 0\n"                                                                          \
      ".popsection\n");                                                                    \
  extern "C" {                                                                             \
  __attribute__((visibility("hidden"))) extern const char heapledger_asset_##name[];       \
  __attribute__((visibility("hidden"))) extern const char heapledger_asset_##name##_end[]; \
  }

HEAPLEDGER_ASSET(index, "index.html")
HEAPLEDGER_ASSET(script, "page.js")
HEAPLEDGER_ASSET(style, "page.css")
HEAPLEDGER_ASSET(icon, "icon.svg")

namespace heapledger::viewer {
namespace {

std::string_view bytes_between(const char* begin, const char* end) {
  return {begin, static_cast<size_t>(end - begin)};
}

}  // namespace

std::span<const Asset> assets() {
  static const std::array<Asset, 4> kAssets = {{
      {"/", "text/html; charset=utf-8",
       bytes_between(heapledger_asset_index, heapledger_asset_index_end)},
      {"/page.js", "text/javascript; charset=utf-8",
       bytes_between(heapledger_asset_script, heapledger_asset_script_end)},
      {"/page.css", "text/css; charset=utf-8",
       bytes_between(heapledger_asset_style, heapledger_asset_style_end)},
      {"/icon.svg", "image/svg+xml",
       bytes_between(heapledger_asset_icon, heapledger_asset_icon_end)},
  }};
  return kAssets;
}

}  // namespace heapledger::viewer
