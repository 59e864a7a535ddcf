// An output that is compressed on its way: what gunzip makes of it is what was written here. The
// same bytes always give the same bytes; neither a name nor a time is in them.
#pragma once

#include <memory>
#include <string_view>

#include "exporters/output.h"

namespace heapledger {

class GzipOutput {
 public:
  explicit GzipOutput(Output& output);
  ~GzipOutput();
  GzipOutput(const GzipOutput&) = delete;
  GzipOutput& operator=(const GzipOutput&) = delete;

  void write(std::string_view bytes);

  // All has been written. Without this the output ends early.
  void finish();

 private:
  struct Stream;

  void compress(std::string_view bytes, int flush);

  Output& output_;
  std::unique_ptr<Stream> stream_;
};

}  // namespace heapledger
