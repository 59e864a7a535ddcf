#include "cores/loaded_modules.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "cores/module_file.h"

namespace heapledger::cores {
namespace {

// Each takes a look at memory and at files; a core that says there are more is made to hurt.
constexpr size_t kMostModules = 16384;

class ModuleFinder {
 public:
  ModuleFinder(const std::vector<Region>& regions, const elf::ReadAt& memory,
               const FilePlaces& places)
      : regions_(regions), memory_(memory), places_(places) {}

  std::vector<LoadedModule> find() {
    for (size_t i = 0; i < regions_.size() && found_.size() < kMostModules; ++i) {
      const Region& region = regions_[i];
      if (region.path.empty() || region.path.front() == '[') continue;
      bool inside = !found_.empty() && region.start < found_.back().module.end &&
                    region.path == found_.back().module.path;
      if (!inside) look_at(i);
    }
    // No module reaches into the next.
    for (size_t i = 1; i < found_.size(); ++i) {
      found_[i - 1].module.end = std::min(found_[i - 1].module.end, found_[i].module.start);
    }
    return std::move(found_);
  }

 private:
  void look_at(size_t index) {
    const Region& region = regions_[index];
    LoadedModule loaded;
    loaded.module.start = region.start;
    loaded.module.end = region.end;
    loaded.module.path = region.path;
    unsigned char first[1];
    std::optional<ElfImage> image;
    if (memory_(region.start, first) == 1) {
      image = image_in_memory(memory_, region.start);
      if (!image || !is_loaded(index, *image)) return;
      place(*image, loaded.module);
      for (const std::string& place : places_(loaded.module)) {
        if (take_file(files_.find(place), place, *image, loaded)) break;
      }
    } else {
      loaded.in_memory = false;
      if (region.file_offset != 0 || !guess_from_file(index, loaded.module)) return;
    }
    found_.push_back(std::move(loaded));
  }

  static void place(const ElfImage& image, Module& module) {
    module.bias = image.bias_at(module.start);
    module.end = std::max(module.end, image.end_with(module.bias));
    module.build_id = image.build_id;
  }

  // A file may also be mapped as a whole, just to be read; then none of it is executable.
  bool is_loaded(size_t index, const ElfImage& image) const {
    bool has_code = std::any_of(image.segments.begin(), image.segments.end(),
                                [](const elf::ElfSegment& segment) {
                                  return segment.type == elf::kSegmentLoad &&
                                         (segment.flags & elf::kSegmentExecutable) != 0;
                                });
    if (!has_code) return true;
    uint64_t end = image.end_with(image.bias_at(regions_[index].start));
    // Modules have a few parts; a look at more than some would be a look at everything.
    constexpr size_t kMostModuleParts = 64;
    size_t last = std::min(regions_.size(), index + kMostModuleParts);
    for (size_t i = index; i < last && regions_[i].start < std::max(end, regions_[index].end);
         ++i) {
      if (regions_[i].executable) return true;
    }
    return false;
  }

  static bool take_file(const ModuleFile* file, const std::string& place, const ElfImage& image,
                        LoadedModule& loaded) {
    if (file == nullptr || !file->image.same_build(image)) return false;
    loaded.module.file = place;
    if (loaded.module.build_id.empty()) loaded.module.build_id = file->image.build_id;
    // A file of debug information has the build id, but not these bytes.
    if (!image.sample.empty() && image.sample == file->image.sample) loaded.contents = file->bytes;
    return true;
  }

  bool guess_from_file(size_t index, Module& module) {
    for (const std::string& path : places_(module)) {
      const ModuleFile* file = files_.find(path);
      if (file == nullptr || !is_loaded(index, file->image)) continue;
      place(file->image, module);
      return true;
    }
    return false;
  }

  const std::vector<Region>& regions_;
  const elf::ReadAt& memory_;
  const FilePlaces& places_;
  ModuleFiles files_;
  std::vector<LoadedModule> found_;
};

}  // namespace

std::vector<LoadedModule> find_modules(const std::vector<Region>& regions,
                                       const elf::ReadAt& memory, const FilePlaces& places) {
  return ModuleFinder(regions, memory, places).find();
}

std::string hex_of(const std::string& bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (char c : bytes) {
    auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 0xFU];
  }
  return text;
}

}  // namespace heapledger::cores
