#include "symbols/symbol_cache.h"

#include <sys/stat.h>

#include <exception>
#include <utility>

namespace heapledger {
namespace {

constexpr size_t kLeastBuildId = 8;
constexpr uint64_t kLeastFile = uint64_t{1} << 20;
constexpr uint64_t kMostOfOneEntry = uint64_t{16} << 20;

uint64_t size_of(const std::string& path) {
  struct stat status;
  return !path.empty() && ::stat(path.c_str(), &status) == 0 ? static_cast<uint64_t>(status.st_size)
                                                             : 0;
}

std::string sign_of(const DebugFiles& files) {
  const std::string paths[] = {files.image, files.debug, files.common};
  return sign_of_files(paths) + files.remark;
}

}  // namespace

SymbolCache::SymbolCache(std::string folder, uint64_t most_bytes)
    : kept_(std::move(folder), most_bytes, kMostOfOneEntry) {}

std::string SymbolCache::default_folder() {
  return KeptFiles::default_folder("names");
}

bool SymbolCache::is_worth(const ModuleAddresses& module, const DebugFiles& files) const {
  return kept_.is_used() && module.build_id.size() >= kLeastBuildId &&
         size_of(files.image) + size_of(files.debug) + size_of(files.common) >= kLeastFile;
}

std::optional<SymbolTable> SymbolCache::find(const ModuleAddresses& module,
                                             const DebugFiles& files) const {
  const std::optional<std::string> table = kept_.find(hexadecimal(module.build_id), sign_of(files));
  if (!table || table->empty()) return std::nullopt;
  try {
    return SymbolTable::decode(*table);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

void SymbolCache::store(const ModuleAddresses& module, const DebugFiles& files,
                        const SymbolTable& names) {
  kept_.store(hexadecimal(module.build_id), sign_of(files), names.encode());
}

}  // namespace heapledger
