#include "analyzer/query/wrappers.h"

#include <algorithm>
#include <array>

namespace heapledger {
namespace {

using namespace std::string_view_literals;

// A star at the end stands for anything.
constexpr std::array kAllocators = {
    "operator new*"sv,
    "operator delete*"sv,
    "malloc"sv,
    "calloc"sv,
    "realloc*"sv,
    "memalign"sv,
    "aligned_alloc"sv,
    "posix_memalign"sv,
    "valloc"sv,
    "pvalloc"sv,
    "heapledger_pool_*"sv,
    "g_malloc*"sv,
    "g_realloc*"sv,
    "g_try_malloc*"sv,
    "g_try_realloc*"sv,
    "g_slice_alloc*"sv,
    "g_slice_copy"sv,
    "g_strdup*"sv,
    "g_strndup"sv,
    "g_memdup*"sv,
    "xmalloc"sv,
    "xcalloc"sv,
    "xrealloc*"sv,
    "xstrdup"sv,
    "xstrndup"sv,
    "xmemdup*"sv,
    "xzalloc"sv,
    "xnmalloc"sv,
    "xcharalloc"sv,
    "x2realloc"sv,
    "x2nrealloc"sv,
    "strdup"sv,
    "strndup"sv,
    "asprintf"sv,
    "vasprintf"sv,
    "PyMem_*"sv,
    "_PyMem_*"sv,
    "PyObject_Malloc"sv,
    "PyObject_Calloc"sv,
    "PyObject_Realloc"sv,
    "_PyObject_Malloc"sv,
    "_PyObject_Calloc"sv,
    "_PyObject_Realloc"sv,
    "_PyObject_New"sv,
    "_PyObject_GC_*"sv,
    "PyType_GenericAlloc"sv,
    "__rust_alloc*"sv,
    "__rust_realloc"sv,
    "__rdl_*"sv,
    "__rg_*"sv,
    "alloc::*"sv,
    "<alloc::*"sv,
    "sqlite3Malloc*"sv,
    "sqlite3MemMalloc"sv,
    "sqlite3MemRealloc"sv,
    "sqlite3Realloc"sv,
    "sqlite3DbMalloc*"sv,
    "CRYPTO_malloc"sv,
    "CRYPTO_zalloc"sv,
    "CRYPTO_realloc"sv,
    "av_malloc*"sv,
    "av_realloc*"sv,
    "llvm::safe_malloc"sv,
    "llvm::safe_realloc"sv,
    "llvm::allocate_buffer"sv,
};

constexpr std::array kLibraries = {
    "std::*"sv,       "<std::*"sv,       "core::*"sv,      "<core::*"sv,
    "__gnu_cxx::*"sv, "__cxxabiv1::*"sv, "hashbrown::*"sv, "<hashbrown::*"sv,
};

constexpr std::array kModules = {
    "libc.so*"sv,  "libc-2.*"sv,  "libstdc++.so*"sv, "libc++.so*"sv,     "libc++abi.so*"sv,
    "ld-linux*"sv, "ld-musl-*"sv, "libgcc_s.so*"sv,  "libheapledger*"sv,
};

template <size_t kCount>
bool is_in(const std::array<std::string_view, kCount>& table, std::string_view text) {
  return std::any_of(table.begin(), table.end(), [text](std::string_view entry) {
    if (!entry.ends_with('*')) return entry == text;
    return text.starts_with(entry.substr(0, entry.size() - 1));
  });
}

bool ends_with_operator(std::string_view text) {
  constexpr std::string_view kWord = "operator";
  if (!text.ends_with(kWord)) return false;
  text.remove_suffix(kWord.size());
  return text.empty() || text.back() == ':' || text.back() == ' ';
}

}  // namespace

namespace {

// Not that of "->" or of an operator's name.
bool is_closing_angle(char c, std::string_view before) {
  return c == '>' && !before.ends_with('-') && !before.ends_with("operator");
}

}  // namespace

std::string_view qualified_name(std::string_view function) {
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i < function.size(); ++i) {
    std::string_view before = function.substr(begin, i - begin);
    char c = function[i];
    if (c == '<' && !before.ends_with("operator") && !before.ends_with("operator<")) {
      ++depth;
    } else if (depth > 0 && (c == ')' || is_closing_angle(c, before))) {
      --depth;
    } else if (depth == 0 && c == ' ' && !ends_with_operator(before)) {
      begin = i + 1;
    } else if (c == '(') {
      if (function.substr(i).starts_with("(anonymous namespace)")) {
        i += 20;
      } else if (depth == 0 && !ends_with_operator(before) && i > begin) {
        return before;
      } else {
        ++depth;
      }
    }
    // What follows the name of an operator with a space, "operator new", is part of it.
    if (depth == 0 && c == ' ' && ends_with_operator(before)) {
      size_t end = function.find('(', i);
      return function.substr(begin, end == std::string_view::npos ? end : end - begin);
    }
  }
  return function.substr(begin);
}

bool is_allocator(std::string_view function) {
  return !function.empty() && is_in(kAllocators, qualified_name(function));
}

namespace {

// Of "a::b<alloc>::c" only "c" counts.
template <size_t kCount>
bool sounds_like(const std::array<std::string_view, kCount>& sounds, std::string_view function) {
  const std::string_view whole = qualified_name(function);
  const size_t scope = whole.rfind("::");
  const std::string_view name = scope == std::string_view::npos ? whole : whole.substr(scope + 2);
  return std::any_of(sounds.begin(), sounds.end(), [name](std::string_view sound) {
    return name.find(sound) != std::string_view::npos;
  });
}

}  // namespace

bool says_allocator(std::string_view function) {
  constexpr std::array kSounds = {"alloc"sv,  "Alloc"sv,  "ALLOC"sv,       "strdup"sv,
                                  "memdup"sv, "getmem"sv, "operator new"sv};
  return sounds_like(kSounds, function);
}

bool may_be_allocator(std::string_view function) {
  constexpr std::array kSounds = {"grow"sv,   "Grow"sv,   "reserve"sv, "Reserve"sv,
                                  "resize"sv, "Resize"sv, "expand"sv};
  return sounds_like(kSounds, function);
}

bool is_wrapper(std::string_view function, std::string_view module) {
  size_t slash = module.rfind('/');
  if (slash != std::string_view::npos) module.remove_prefix(slash + 1);
  if (is_in(kModules, module)) return true;
  if (function.empty()) return false;
  std::string_view name = qualified_name(function);
  return is_in(kAllocators, name) || is_in(kLibraries, name);
}

}  // namespace heapledger
