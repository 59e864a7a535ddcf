// A file that is written under no name, or a temporary one, and takes its place in one step when it
// is complete; until then, and if it never is, nothing changes.
#pragma once

#include <sys/stat.h>

#include <string>

#include "analyzer/seal/sealed_writer.h"

namespace heapledger::seal {

class ReplacementFile final : public ByteSink {
 public:
  // `target` is where it will be. Mode, owner and times will be those in `like`. Throws Error.
  ReplacementFile(std::string target, const struct stat& like);
  ~ReplacementFile() override;
  ReplacementFile(const ReplacementFile&) = delete;
  ReplacementFile& operator=(const ReplacementFile&) = delete;

  void append(const void* bytes, size_t count) override;

  // Flushes what was written. A path under which it can be read until it takes its place.
  std::string flush();

  // Takes the place: with `replace`, of the file whose status `like` is, else of nothing. Throws
  // Error when something else is there.
  void commit(bool replace);

 private:
  void write_out();
  [[noreturn]] void fail(const char* what, int error) const;
  void check_still_there() const;
  void give_name();

  std::string target_;
  std::string temporary_;  // empty: it has no name
  struct stat like_;
  int fd_ = -1;
  Bytes buffer_;
};

// Room on the file system of `path`, for people without privileges; UINT64_MAX when unknown.
uint64_t free_space(const std::string& path);

}  // namespace heapledger::seal
