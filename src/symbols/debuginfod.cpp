#include "symbols/debuginfod.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>

namespace heapledger {
namespace {

// elfutils' client, as its header declares it.
struct debuginfod_client;

struct Client {
  debuginfod_client* (*begin)() = nullptr;
  void (*end)(debuginfod_client*) = nullptr;
  void (*set_user_data)(debuginfod_client*, void*) = nullptr;
  void* (*get_user_data)(debuginfod_client*) = nullptr;
  void (*set_progress)(debuginfod_client*, int (*)(debuginfod_client*, long, long)) = nullptr;
  int (*find)(debuginfod_client*, const unsigned char*, int, char**) = nullptr;
  bool complete = false;
};

template <typename Function>
bool bind(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

const Client& client() {
  static const Client loaded = [] {
    Client made;
    void* const library = dlopen("libdebuginfod.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) return made;
    made.complete = bind(library, "debuginfod_begin", made.begin) &&
                    bind(library, "debuginfod_end", made.end) &&
                    bind(library, "debuginfod_set_user_data", made.set_user_data) &&
                    bind(library, "debuginfod_get_user_data", made.get_user_data) &&
                    bind(library, "debuginfod_set_progressfn", made.set_progress) &&
                    bind(library, "debuginfod_find_debuginfo", made.find);
    return made;
  }();
  return loaded;
}

struct Fetch {
  std::chrono::steady_clock::time_point deadline;
  const Debuginfod::Progress* progress;
  bool too_long = false;
};

// Called by the client every now and then; anything but 0 makes it give up.
int on_progress(debuginfod_client* asked, long fetched, long size) {
  auto& fetch = *static_cast<Fetch*>(client().get_user_data(asked));
  if (std::chrono::steady_clock::now() >= fetch.deadline) {
    fetch.too_long = true;
    return 1;
  }
  if (*fetch.progress) {
    (*fetch.progress)(fetched > 0 ? static_cast<uint64_t>(fetched) : 0,
                      size > 0 ? static_cast<uint64_t>(size) : 0);
  }
  return 0;
}

}  // namespace

Debuginfod::Debuginfod(bool enabled, std::chrono::milliseconds limit)
    : enabled_(enabled), limit_(limit) {}

std::string Debuginfod::fetch(std::string_view build_id, const Progress& progress) {
  if (!enabled_ || build_id.empty()) return {};
  const std::lock_guard guard(lock_);
  if (!problem_.empty()) return {};
  const char* const urls = std::getenv("DEBUGINFOD_URLS");
  if (urls == nullptr || *urls == '\0') {
    problem_ = "DEBUGINFOD_URLS names no server";
    return {};
  }
  if (!client().complete) {
    problem_ = "the debuginfod client is not installed (Debian: libdebuginfod1)";
    return {};
  }
  debuginfod_client* const asked = client().begin();
  if (asked == nullptr) return {};
  const auto start = std::chrono::steady_clock::now();
  Fetch fetch{start + limit_ - used_, &progress};
  client().set_user_data(asked, &fetch);
  client().set_progress(asked, on_progress);
  char* path = nullptr;
  const int file = client().find(asked, reinterpret_cast<const unsigned char*>(build_id.data()),
                                 static_cast<int>(build_id.size()), &path);
  client().end(asked);
  used_ += std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                                 start);
  if (fetch.too_long) problem_ = "the debuginfod servers took longer than the limit";
  if (file < 0) return {};
  close(file);
  std::string found(path != nullptr ? path : "");
  std::free(path);
  return found;
}

std::string Debuginfod::problem() const {
  const std::lock_guard guard(lock_);
  return problem_;
}

}  // namespace heapledger
