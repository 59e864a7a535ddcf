// Pools that take large blocks from malloc, or pages from the kernel, and share them out
// themselves, so that what a program really asks for cannot be seen. Listed are those that an
// environment variable switches off, as their own documentation says.
#pragma once

#include <array>
#include <string_view>

namespace heapledger::cli::run {

struct Pool {
  std::string_view name;      // of the pool, for people
  std::string_view library;   // the file that brings it begins so: a library or a program
  std::string_view variable;  // that switches it off, …
  std::string_view value;     // … when it has this value
  std::string_view remark;    // for people: which versions heed it; may be empty
  bool common;                // used by all that have the library; else by few of them
};

inline constexpr std::array<Pool, 4> kPools = {{
    {"Python's small-object allocator", "python", "PYTHONMALLOC", "malloc", "Python 3.6 and later",
     true},
    {"GLib's slices", "libglib-2.0.so", "G_SLICE", "always-malloc",
     "GLib before 2.76; later ones use malloc anyway", true},
    {"libstdc++'s __pool_alloc and __mt_alloc", "libstdc++.so", "GLIBCXX_FORCE_NEW", "1",
     "few programs use them", false},
    {"PHP's Zend memory manager", "php", "USE_ZEND_ALLOC", "0", "", true},
}};

}  // namespace heapledger::cli::run
