#include "runtime/ledger/smaps.h"

#include <cstring>

#include "runtime/os/os.h"

namespace heapledger::runtime {
namespace {

constinit char smaps_text[8192] = {};  // for the one reader; longer than any line

uint64_t number(const char*& at, unsigned base) {
  uint64_t value = 0;
  for (;; ++at) {
    unsigned digit;
    if (*at >= '0' && *at <= '9') {
      digit = static_cast<unsigned>(*at - '0');
    } else if (base == 16 && *at >= 'a' && *at <= 'f') {
      digit = static_cast<unsigned>(*at - 'a') + 10;
    } else {
      return value;
    }
    value = value * base + digit;
  }
}

// "Rss:                 120 kB", in bytes.
bool read_kilobytes(const char* line, const char* word, uint64_t& bytes) {
  if (*line != *word) return false;  // nearly all lines
  size_t length = strlen(word);
  if (strncmp(line, word, length) != 0) return false;
  line += length;
  while (*line == ' ') ++line;
  bytes = number(line, 10) * 1024;
  return true;
}

void skip_word(const char*& at) {
  while (*at != ' ' && *at != '\0') ++at;
  while (*at == ' ') ++at;
}

}  // namespace

// Makes the next line the one at hand, ended by a zero.
bool SmapsReader::line() {
  for (;;) {
    char* begin = smaps_text + at_;
    auto* end = static_cast<char*>(memchr(begin, '\n', used_ - at_));
    if (end != nullptr) {
      *end = '\0';
      begin_ = at_;
      at_ = static_cast<size_t>(end - smaps_text) + 1;
      return true;
    }
    memmove(smaps_text, begin, used_ - at_);
    used_ -= at_;
    at_ = 0;
    if (used_ == sizeof smaps_text) return false;
    long got = os::read_some(fd_, smaps_text + used_, sizeof smaps_text - used_);
    if (got <= 0) return false;
    used_ += static_cast<size_t>(got);
  }
}

// All other lines begin with a capital letter.
bool SmapsReader::is_head() const {
  char first = smaps_text[begin_];
  return (first >= '0' && first <= '9') || (first >= 'a' && first <= 'f');
}

// "55914e8d0000-55914e8d2000 r--p 00000000 fe:00 247134      /usr/bin/cat"
void SmapsReader::read_head(MappedMemory& mapping) const {
  const char* at = smaps_text + begin_;
  mapping = {};
  mapping.start = number(at, 16);
  if (*at == '-') ++at;
  mapping.end = number(at, 16);
  if (*at == ' ') ++at;
  if (strlen(at) > 4) {
    mapping.writable = at[1] == 'w';
    mapping.executable = at[2] == 'x';
    mapping.accessible = at[0] == 'r' || mapping.writable || mapping.executable;
    mapping.shared = at[3] == 's';
  }
  skip_word(at);
  skip_word(at);  // the offset
  skip_word(at);  // the device
  mapping.inode = number(at, 10);
  while (*at == ' ') ++at;
  const char* slash = strrchr(at, '/');
  strncpy(mapping.name, slash == nullptr ? at : slash + 1, sizeof mapping.name - 1);
}

bool SmapsReader::next(MappedMemory& mapping) {
  if (!has_line_ && !line()) return false;
  if (!is_head()) return false;
  read_head(mapping);
  while ((has_line_ = line()) && !is_head()) {
    const char* text = smaps_text + begin_;
    read_kilobytes(text, "Rss:", mapping.resident) ||
        read_kilobytes(text, "Swap:", mapping.swapped);
  }
  return true;
}

}  // namespace heapledger::runtime
