#include "runtime/modes/note.h"

#include <cstring>

namespace heapledger::runtime {

bool enter_marker(OpenWindow open, const char* name) {
  constexpr size_t kMostBytes = 256;
  size_t length = strnlen(name, kMostBytes);
  return enter_note(open, length, [name, length](Window& window, uint64_t time) {
    format::LongEntry(window.encoder, format::Kind::kMarker, time).bytes(name, length).finish();
  });
}

}  // namespace heapledger::runtime
