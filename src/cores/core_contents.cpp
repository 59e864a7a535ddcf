// What is known of the memory in a core dump: which file is where, which program it was.
#include <algorithm>
#include <string_view>
#include <utility>

#include "cores/core_memory.h"
#include "cores/core_program.h"
#include "cores/start_stack.h"
#include "text/text.h"

namespace heapledger::cores {
namespace {

constexpr size_t kMostPathBytes = size_t{64} << 20U;
constexpr size_t kLongestText = 4096;
constexpr size_t kNamesInProblems = 3;

}  // namespace

void CoreMemory::name_regions() {
  size_t path_bytes = 0;
  auto part = notes_.files.begin();
  for (const CoreSegment& segment : segments_.all) {
    Region region;
    region.start = segment.start;
    region.end = segment.end;
    region.readable = (segment.flags & elf::kSegmentReadable) != 0;
    region.writable = (segment.flags & elf::kSegmentWritable) != 0;
    region.executable = (segment.flags & elf::kSegmentExecutable) != 0;
    while (part != notes_.files.end() && part->end <= segment.start) ++part;
    bool mapped = part != notes_.files.end() && part->start <= segment.start;
    if (mapped && path_bytes + part->path.size() <= kMostPathBytes) {
      region.path = part->path;
      region.file_offset = part->file_offset + (segment.start - part->start);
      path_bytes += region.path.size();
    }
    regions_.push_back(std::move(region));
  }
  if (notes_.files.empty() && !chosen_executable_.empty()) {
    elf::ReadAt memory = [this](uint64_t at, std::span<unsigned char> out) {
      return read(at, out);
    };
    name_program_regions(chosen_executable_, notes_.start.entry, memory, regions_);
  }
  name_stacks();
}

void CoreMemory::name_stacks() {
  for (const Thread& thread : notes_.threads) {
    const CoreSegment* segment = segments_.find(thread.stack_pointer);
    if (segment == nullptr) continue;
    Region& region = regions_[static_cast<size_t>(segment - segments_.all.data())];
    if (region.path.empty()) region.path = "[stack]";
  }
}

bool CoreMemory::is_program(const Module& module) const {
  uint64_t inside = notes_.start.entry != 0 ? notes_.start.entry : notes_.start.program_headers;
  if (inside != 0) return inside >= module.start && inside < module.end;
  // Without the kernel's word: the name, of which the notes have 15 characters.
  std::string_view name = module.path;
  name.remove_prefix(name.rfind('/') + 1);
  return !notes_.program.empty() && name.substr(0, 15) == notes_.program;
}

std::vector<std::string> CoreMemory::places_of(const Module& module) const {
  constexpr std::string_view kDeleted = " (deleted)";
  std::string path = module.path;
  if (path.ends_with(kDeleted)) path.resize(path.size() - kDeleted.size());
  std::vector<std::string> places;
  if (!chosen_executable_.empty() && is_program(module)) places.push_back(chosen_executable_);
  if (!sysroot_.empty()) places.push_back(sysroot_ + (path.starts_with('/') ? "" : "/") + path);
  if (path.starts_with('/')) places.push_back(path);
  return places;
}

void CoreMemory::find_all_modules() {
  elf::ReadAt memory = [this](uint64_t at, std::span<unsigned char> out) { return read(at, out); };
  FilePlaces places = [this](const Module& module) { return places_of(module); };
  auto found = find_modules(regions_, memory, places);
  for (LoadedModule& loaded : found) {
    if (loaded.contents) {
      back_up(loaded);
    } else if (leaves_out(loaded.module)) {
      unproved_.push_back(loaded.module.path);
    }
    modules_.push_back(std::move(loaded.module));
  }
}

size_t CoreMemory::first_region(const Module& module) const {
  auto first = std::partition_point(regions_.begin(), regions_.end(), [&](const Region& before) {
    return before.end <= module.start;
  });
  return static_cast<size_t>(first - regions_.begin());
}

// Whether the core lacks anything of this module's file.
bool CoreMemory::leaves_out(const Module& module) const {
  for (size_t i = first_region(module); i < regions_.size(); ++i) {
    const CoreSegment& segment = segments_.all[i];
    if (segment.start >= module.end) break;
    if (segment.dumped_bytes < segment.end - segment.start && regions_[i].path == module.path) {
      return true;
    }
  }
  return false;
}

// What the core has not of this module, its file has.
void CoreMemory::back_up(const LoadedModule& loaded) {
  const Module& module = loaded.module;
  for (size_t i = first_region(module); i < regions_.size(); ++i) {
    const Region& region = regions_[i];
    if (region.start >= module.end) break;
    if (region.path != module.path) continue;
    backings_.push_back({region.start, region.end, region.file_offset, loaded.contents});
  }
}

void CoreMemory::name_program() {
  for (const Module& module : modules_) {
    if (!is_program(module)) continue;
    executable_ = module.path;
    if (!chosen_executable_.empty() && module.file != chosen_executable_) {
      problems_.push_back(
          chosen_executable_ + " is not the program of this core, which is " + quoted(module.path) +
          (module.build_id.empty() ? std::string()
                                   : " with the build id " + hex_of(module.build_id)));
    }
    break;
  }
  if (executable_.empty() && notes_.start.path != 0) {
    executable_ = text_at(*this, notes_.start.path, kLongestText);
  }
  if (executable_.empty()) executable_ = chosen_executable_;
  command_ = find_arguments(*this, notes_);
  if (!command_.empty()) return;
  std::string_view rest = notes_.arguments.empty() ? notes_.program : notes_.arguments;
  while (!rest.empty()) {
    size_t end = std::min(rest.find(' '), rest.size());
    if (end > 0) command_.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(rest.size(), end + 1));
  }
}

void CoreMemory::tell_problems() {
  if (segments_.missing_bytes > 0) {
    problems_.push_back("the core is cut: " + human_bytes(segments_.missing_bytes) + " of " +
                        human_bytes(segments_.dumped_bytes) + " of memory are missing");
  }
  if (segments_.overlaps > 0) {
    problems_.push_back("the core is damaged: " + counted(segments_.overlaps, "segment") +
                        " lie over others and were cut or left out");
  }
  if (notes_.threads.empty()) {
    problems_.push_back("the core tells of no threads: their registers and stacks are unknown");
  }
  if (unproved_.empty()) return;
  std::string names;
  for (size_t i = 0; i < std::min(unproved_.size(), kNamesInProblems); ++i) {
    names += (i == 0 ? ": " : ", ") + quoted(unproved_[i]);
  }
  if (unproved_.size() > kNamesInProblems) {
    names += " and " + with_commas(unproved_.size() - kNamesInProblems) + " more";
  }
  problems_.push_back("what the core leaves out of " + counted(unproved_.size(), "file") +
                      " cannot be read, because no file here is proved to be of the same build" +
                      names);
}

}  // namespace heapledger::cores
