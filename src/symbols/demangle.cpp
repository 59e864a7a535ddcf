#include "symbols/demangle.h"

#define HAVE_DECL_BASENAME 1  // else libiberty declares one that contradicts the C library
#include <libiberty/demangle.h>

#include <csetjmp>
#include <cstring>

namespace heapledger {
namespace {

// A few bytes can mean gigabytes, as substitutions refer to substitutions; the longest real names
// have some hundred kilobytes. The recursion limits of the demanglers bound the stack by the length
// of the name, and this one bounds the length.
constexpr size_t kMostDemangled = size_t{1} << 20;
constexpr size_t kMostMangled = size_t{256} << 10;

// Written to from C, which knows no exceptions: nothing in it may throw, so the room is there
// beforehand or taken by realloc's rules, and one too many characters jumps out.
struct Output {
  std::string* text;
  std::jmp_buf too_long;
};

void add(const char* part, size_t length, void* opaque) {
  auto& output = *static_cast<Output*>(opaque);
  if (length > kMostDemangled - output.text->size()) std::longjmp(output.too_long, 1);
  output.text->append(part, length);
}

using Demangler = int (*)(const char*, int, demangle_callbackref, void*);

// The frames between setjmp and longjmp are C and own nothing but stack.
bool write(Demangler demangler, const char* name, Output& output) {
  if (setjmp(output.too_long) != 0) return false;
  return demangler(name, DMGL_PARAMS | DMGL_ANSI, add, &output) != 0;
}

bool starts_with(const char* name, const char* start) {
  return std::strncmp(name, start, std::strlen(start)) == 0;
}

}  // namespace

std::string demangle(const char* name) {
  const bool cxx = starts_with(name, "_Z") || starts_with(name, "__Z");
  if (!cxx && !starts_with(name, "_R")) return name;
  if (std::strlen(name) > kMostMangled) return name;
  std::string text;
  Output output{&text, {}};
  // Rust's legacy names are C++ names that end in a hash, so Rust is asked first.
  if (write(rust_demangle_callback, name, output) && !text.empty()) return text;
  text.clear();
  if (cxx && write(cplus_demangle_v3_callback, name, output) && !text.empty()) return text;
  return name;
}

}  // namespace heapledger
