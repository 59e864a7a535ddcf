// The settings of allocators that matter for time and memory, as their manuals have them: glibc's
// of 2.36 (where tcache_max is at its highest by default, and tcache_count may be up to 65535, 127
// before 2.30), jemalloc's of 5.3, those of gperftools 2.10, mimalloc's of 2.0 and 2.1.
#include <algorithm>
#include <string_view>

#include "replay/tune.h"

namespace heapledger {
namespace {

constexpr const char* kTunables = "GLIBC_TUNABLES";
constexpr const char* kJemalloc = "MALLOC_CONF";

std::vector<Setting> glibc_settings() {
  return {
      {kTunables, "glibc.malloc.arena_max", "1", "one arena for all threads"},
      {kTunables, "glibc.malloc.arena_max", "2", "two arenas for all threads"},
      {kTunables, "glibc.malloc.arena_max", "4", "four arenas for all threads"},
      {kTunables, "glibc.malloc.tcache_count", "0", "no cache in threads"},
      {kTunables, "glibc.malloc.tcache_count", "32", "more blocks of a size in a thread's cache"},
      {kTunables, "glibc.malloc.tcache_count", "127",
       "many more blocks of a size in a thread's cache"},
      {kTunables, "glibc.malloc.mmap_threshold", "131072",
       "blocks from 128 KiB on are always mapped alone"},
      {kTunables, "glibc.malloc.mmap_threshold", "33554432",
       "only blocks from 32 MiB on are mapped alone"},
      {kTunables, "glibc.malloc.trim_threshold", "131072",
       "memory is given back from 128 KiB on, always"},
      {kTunables, "glibc.malloc.trim_threshold", "268435456",
       "memory is given back only from 256 MiB on"},
      {kTunables, "glibc.malloc.top_pad", "1048576", "the heap grows by 1 MiB more at a time"},
      {kTunables, "glibc.malloc.top_pad", "16777216", "the heap grows by 16 MiB more at a time"},
      {kTunables, "glibc.malloc.hugetlb", "1", "huge pages where the kernel has them to give"},
  };
}

std::vector<Setting> jemalloc_settings() {
  return {
      {kJemalloc, "narenas", "1", "one arena for all threads"},
      {kJemalloc, "narenas", "2", "two arenas for all threads"},
      {kJemalloc, "dirty_decay_ms", "0", "unused memory is given back at once"},
      {kJemalloc, "dirty_decay_ms", "1000", "unused memory is given back after a second"},
      {kJemalloc, "dirty_decay_ms", "-1", "unused memory is never given back"},
      {kJemalloc, "muzzy_decay_ms", "10000", "memory is given back in two steps"},
      {kJemalloc, "background_thread", "true", "a thread of its own gives memory back"},
      {kJemalloc, "tcache", "false", "no cache in threads"},
      {kJemalloc, "lg_tcache_max", "12", "a thread's cache holds blocks up to 4 KiB"},
      {kJemalloc, "lg_tcache_max", "20", "a thread's cache holds blocks up to 1 MiB"},
      {kJemalloc, "thp", "always", "huge pages where the kernel has them to give"},
      {kJemalloc, "metadata_thp", "auto", "huge pages for its own records"},
  };
}

std::vector<Setting> tcmalloc_settings() {
  return {
      {"TCMALLOC_MAX_TOTAL_THREAD_CACHE_BYTES", "", "1048576", "1 MiB of caches in all threads"},
      {"TCMALLOC_MAX_TOTAL_THREAD_CACHE_BYTES", "", "134217728",
       "128 MiB of caches in all threads"},
      {"TCMALLOC_MAX_TOTAL_THREAD_CACHE_BYTES", "", "1073741824", "1 GiB of caches in all threads"},
      {"TCMALLOC_TRANSFER_NUM_OBJ", "", "128", "up to 128 blocks at once into a thread's cache"},
      {"TCMALLOC_TRANSFER_NUM_OBJ", "", "1024", "up to 1024 blocks at once into a thread's cache"},
      {"TCMALLOC_RELEASE_RATE", "", "0", "unused memory is never given back"},
      {"TCMALLOC_RELEASE_RATE", "", "10", "unused memory is given back sooner"},
      {"TCMALLOC_AGGRESSIVE_DECOMMIT", "", "1", "unused memory is given back at once"},
      {"TCMALLOC_SKIP_SBRK", "", "1", "memory by mmap alone"},
  };
}

std::vector<Setting> mimalloc_settings() {
  return {
      {"MIMALLOC_DECOMMIT_DELAY", "", "0", "unused pages are given back at once"},
      {"MIMALLOC_DECOMMIT_DELAY", "", "1000", "unused pages are given back after a second"},
      {"MIMALLOC_SEGMENT_DECOMMIT_DELAY", "", "0", "unused segments are given back at once"},
      {"MIMALLOC_SEGMENT_DECOMMIT_DELAY", "", "5000",
       "unused segments are given back after five seconds"},
      {"MIMALLOC_ALLOW_DECOMMIT", "", "0", "unused memory is never given back"},
      {"MIMALLOC_PURGE_DELAY", "", "0", "unused memory is given back at once"},
      {"MIMALLOC_PURGE_DELAY", "", "1000", "unused memory is given back after a second"},
      {"MIMALLOC_PURGE_DELAY", "", "-1", "unused memory is never given back"},
      {"MIMALLOC_PAGE_RESET", "", "1", "the kernel may take pages that are free"},
      {"MIMALLOC_ABANDONED_PAGE_DECOMMIT", "", "1",
       "free pages of threads that have ended are given back"},
      {"MIMALLOC_EAGER_COMMIT_DELAY", "", "0", "memory is made ready at once, from the start"},
      {"MIMALLOC_EAGER_COMMIT_DELAY", "", "8", "small at first: memory is made ready as needed"},
      {"MIMALLOC_LARGE_OS_PAGES", "", "1", "huge pages where the kernel has them to give"},
      {"MIMALLOC_ALLOW_LARGE_OS_PAGES", "", "1", "huge pages where the kernel has them to give"},
  };
}

bool names(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Several settings in one variable.
const char* separator_of(const Setting& setting) {
  return setting.variable == kTunables ? ":" : ",";
}

std::string text_of(const Setting& setting) {
  if (setting.name.empty()) return setting.value;
  return setting.name + (setting.variable == kJemalloc ? ":" : "=") + setting.value;
}

}  // namespace

std::vector<Setting> settings_for(const std::string& allocator) {
  if (names(allocator, "jemalloc")) return jemalloc_settings();
  if (names(allocator, "tcmalloc")) return tcmalloc_settings();
  if (names(allocator, "mimalloc")) return mimalloc_settings();
  if (allocator == "glibc" || allocator == "libc") return glibc_settings();
  return {};
}

std::vector<std::pair<std::string, std::string>> environment_of(
    const std::vector<Setting>& settings) {
  std::vector<std::pair<std::string, std::string>> environment;
  for (const Setting& setting : settings) {
    const auto place =
        std::find_if(environment.begin(), environment.end(),
                     [&](const auto& variable) { return variable.first == setting.variable; });
    if (place == environment.end()) {
      environment.emplace_back(setting.variable, text_of(setting));
    } else if (setting.name.empty()) {
      place->second = setting.value;
    } else {
      place->second += separator_of(setting) + text_of(setting);
    }
  }
  return environment;
}

}  // namespace heapledger
