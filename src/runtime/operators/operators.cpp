// libheapledger_new.so: operator new and delete in all forms, made of malloc and free as
// libstdc++'s are. Preloaded beside the recorder when the program runs on an allocator that brings
// operators of its own: those would go straight to it, past every hook. Needs no C++ library of its
// own; what it takes from the program's is looked for when memory has run out.
#include <dlfcn.h>

#include <cstdlib>
#include <new>

// NOLINTBEGIN: std::get_new_handler() and std::__throw_bad_alloc(), if they are there.
extern "C" __attribute__((weak)) std::new_handler _ZSt15get_new_handlerv();
extern "C" __attribute__((weak)) void _ZSt17__throw_bad_allocv();
// NOLINTEND

namespace {

// In a program that only a plugin brings C++ to, the names are not in sight of everybody.
template <typename Function>
Function found(Function function, const char* name) {
  if (function != nullptr) return function;
  void* library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD);
  return library == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(library, name));
}

// The program's handler has had a chance to make room; false: there is none.
bool make_room() {
  auto get_handler = found(&_ZSt15get_new_handlerv, "_ZSt15get_new_handlerv");
  std::new_handler handler = get_handler == nullptr ? nullptr : get_handler();
  if (handler == nullptr) return false;
  handler();
  return true;
}

[[noreturn]] void fail() {
  auto fail_as_usual = found(&_ZSt17__throw_bad_allocv, "_ZSt17__throw_bad_allocv");
  if (fail_as_usual != nullptr) fail_as_usual();
  abort();
}

void* allocate(size_t size) {
  void* block;
  while ((block = malloc(size == 0 ? 1 : size)) == nullptr && make_room()) {
  }
  return block;
}

void* allocate(size_t size, std::align_val_t wanted) {
  auto alignment = static_cast<size_t>(wanted);
  size_t bytes;
  if ((alignment & (alignment - 1)) != 0 ||
      __builtin_add_overflow(size == 0 ? 1 : size, alignment - 1, &bytes)) {
    return nullptr;
  }
  if (alignment < sizeof(void*)) alignment = sizeof(void*);
  bytes &= ~(alignment - 1);
  if (bytes == 0) bytes = alignment;
  void* block;
  while ((block = aligned_alloc(alignment, bytes)) == nullptr && make_room()) {
  }
  return block;
}

template <typename... Sizes>
void* must_allocate(Sizes... sizes) {
  void* block = allocate(sizes...);
  if (block == nullptr) fail();
  return block;
}

}  // namespace

// NOLINTBEGIN: the forms are the language's.
#pragma GCC visibility push(default)
using Align = std::align_val_t;
using NoThrow = std::nothrow_t;
void* operator new(size_t size) {
  return must_allocate(size);
}
void* operator new[](size_t size) {
  return must_allocate(size);
}
void* operator new(size_t size, const NoThrow&) noexcept {
  return allocate(size);
}
void* operator new[](size_t size, const NoThrow&) noexcept {
  return allocate(size);
}
void* operator new(size_t size, Align align) {
  return must_allocate(size, align);
}
void* operator new[](size_t size, Align align) {
  return must_allocate(size, align);
}
void* operator new(size_t size, Align align, const NoThrow&) noexcept {
  return allocate(size, align);
}
void* operator new[](size_t size, Align align, const NoThrow&) noexcept {
  return allocate(size, align);
}
void operator delete(void* block) noexcept {
  free(block);
}
void operator delete[](void* block) noexcept {
  free(block);
}
void operator delete(void* block, const NoThrow&) noexcept {
  free(block);
}
void operator delete[](void* block, const NoThrow&) noexcept {
  free(block);
}
void operator delete(void* block, size_t) noexcept {
  free(block);
}
void operator delete[](void* block, size_t) noexcept {
  free(block);
}
void operator delete(void* block, Align) noexcept {
  free(block);
}
void operator delete[](void* block, Align) noexcept {
  free(block);
}
void operator delete(void* block, Align, const NoThrow&) noexcept {
  free(block);
}
void operator delete[](void* block, Align, const NoThrow&) noexcept {
  free(block);
}
void operator delete(void* block, size_t, Align) noexcept {
  free(block);
}
void operator delete[](void* block, size_t, Align) noexcept {
  free(block);
}
#pragma GCC visibility pop
// NOLINTEND
