// A plain dump of memory, with no more around it than what the user says.
#include "cores/raw_memory.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "analyzer/error.h"
#include "cores/byte_windows.h"

namespace heapledger::cores {
namespace {

class RawMemory final : public Memory {
 public:
  RawMemory(std::unique_ptr<ByteSource> source, uint64_t base, const Shape& shape)
      : file_(std::move(source)), base_(base), shape_(shape) {
    if (file_.size() == 0) throw Error(file_.name() + ": is empty", ErrorKind::kData);
    if (file_.size() > UINT64_MAX - base) {
      throw Error(file_.name() + ": would reach behind the last address from that base",
                  ErrorKind::kQuestion);
    }
    Region region;
    region.start = base;
    region.end = base + file_.size();
    regions_.push_back(std::move(region));
  }

  size_t read(uint64_t address, std::span<unsigned char> out) const override {
    return address < base_ ? 0 : file_.read(address - base_, out);
  }

  uint64_t next_data(uint64_t address) const override {
    uint64_t offset = file_.next_data(address < base_ ? 0 : address - base_);
    return offset >= file_.size() ? UINT64_MAX : base_ + offset;
  }

  const std::vector<Region>& regions() const override { return regions_; }
  const std::vector<Module>& modules() const override { return modules_; }
  const std::vector<Thread>& threads() const override { return threads_; }
  Shape shape() const override { return shape_; }

 private:
  mutable ByteWindows file_;
  uint64_t base_;
  Shape shape_;
  std::vector<Region> regions_;
  std::vector<Module> modules_;
  std::vector<Thread> threads_;
};

}  // namespace

std::unique_ptr<Memory> open_raw_source(std::unique_ptr<ByteSource> source, uint64_t base,
                                        const Shape& shape) {
  return std::make_unique<RawMemory>(std::move(source), base, shape);
}

std::unique_ptr<Memory> open_raw(const std::string& path, uint64_t base, const Shape& shape) {
  struct stat status;
  if (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    throw Error(path + ": is a folder, not a dump of memory", ErrorKind::kQuestion);
  }
  return open_raw_source(open_file(path), base, shape);
}

}  // namespace heapledger::cores
