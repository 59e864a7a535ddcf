#include "cores/elf_core.h"

#include <sys/stat.h>

#include <utility>

#include "analyzer/error.h"
#include "cores/core_memory.h"
#include "cores/not_a_core.h"
#include "text/text.h"

namespace heapledger::cores {
namespace {

// Linux allows 65,530 mappings unless told otherwise.
constexpr size_t kMostCoreSegments = size_t{1} << 22U;

}  // namespace

CoreMemory::CoreMemory(std::unique_ptr<ByteSource> source, std::string executable,
                       std::string sysroot)
    : file_(std::move(source)),
      chosen_executable_(std::move(executable)),
      sysroot_(std::move(sysroot)) {
  elf::ReadAt read = [this](uint64_t at, std::span<unsigned char> out) {
    return file_.read(at, out);
  };
  auto header = elf::read_elf_header(read);
  if (!header || header->type != elf::kElfCore) {
    throw Error(why_no_core(file_, header), ErrorKind::kData);
  }
  shape_ = header->shape;
  auto segments = elf::read_elf_segments(*header, read, kMostCoreSegments);
  if (segments.size() < header->segment_count) {
    problems_.push_back("the core is cut or damaged: of " +
                        counted(header->segment_count, "segment") + ", only " +
                        with_commas(segments.size()) + " can be read");
  }
  segments_ = arrange_segments(segments, file_.size());
  notes_ = read_core_notes(read, shape_, segments, file_.size());
  segments_.add_left_out(notes_.files);
  name_regions();
  find_all_modules();
  name_program();
  tell_problems();
}

std::unique_ptr<Memory> open_core_source(std::unique_ptr<ByteSource> source,
                                         const std::string& executable,
                                         const std::string& sysroot) {
  return std::make_unique<CoreMemory>(std::move(source), executable, sysroot);
}

std::unique_ptr<Memory> open_core(const std::string& path, const std::string& executable,
                                  const std::string& sysroot) {
  struct stat status;
  if (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    throw Error(path + ": is a folder, not a core dump", ErrorKind::kQuestion);
  }
  return open_core_source(open_file(path), executable, sysroot);
}

}  // namespace heapledger::cores
