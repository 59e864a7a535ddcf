// The files of the page that `heapledger view` shows, as they are sent: made while building, a part
// of the tool. They never change while it runs, and nothing here reads a file.
#pragma once

#include <span>
#include <string_view>

namespace heapledger::viewer {

struct Asset {
  std::string_view path;   // of the request: "/", "/page.js", "/page.css", "/icon.svg"
  std::string_view type;   // for Content-Type
  std::string_view bytes;  // all of it
};

// All of them, the page itself first.
std::span<const Asset> assets();

}  // namespace heapledger::viewer
