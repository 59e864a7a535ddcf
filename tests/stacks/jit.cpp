// A hand-made JIT: code in fresh memory, without unwind information, between a caller and a callee
// that have some. `keeps`: the code keeps frame pointers. `omits`: it does not touch the frame
// pointer. `abuses`: it uses that register for data, a pointer to the stack.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

namespace {

volatile unsigned sink;

// What generated code gets: it calls `function` with `argument`.
struct Call {
  void (*function)(Call*);
  Call* argument;
};

// push rbp; mov rsp, rbp; …; call *rax; pop rbp; ret
const unsigned char kKeeps[] = {0x55, 0x48, 0x89, 0xE5, 0x48, 0x8B, 0x07, 0x48,
                                0x8B, 0x7F, 0x08, 0xFF, 0xD0, 0x5D, 0xC3};
// sub 24, rsp; …; call *rax; add 24, rsp; ret
const unsigned char kOmits[] = {0x48, 0x83, 0xEC, 0x18, 0x48, 0x8B, 0x07, 0x48, 0x8B,
                                0x7F, 0x08, 0xFF, 0xD0, 0x48, 0x83, 0xC4, 0x18, 0xC3};
// push rbp; mov rdi, rbp; …; call *rax; pop rbp; ret
const unsigned char kAbuses[] = {0x55, 0x48, 0x89, 0xFD, 0x48, 0x8B, 0x07, 0x48,
                                 0x8B, 0x7F, 0x08, 0xFF, 0xD0, 0x5D, 0xC3};

using Code = void (*)(Call*);

template <size_t kBytes>
Code generate(const unsigned char (&bytes)[kBytes]) {
  void* at =
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) exit(77);
  memcpy(at, bytes, kBytes);
  return reinterpret_cast<Code>(at);
}

__attribute__((noinline)) void allocate(Call*) {
  void* block = malloc(100);
  sink += static_cast<unsigned>(reinterpret_cast<size_t>(block));
  free(block);
}

// Through `depth` frames of generated code to `last`.
__attribute__((noinline)) void enter(Code code, int depth, Call last) {
  Call calls[100];
  calls[depth - 1] = last;
  for (int i = depth - 1; i-- > 0;) calls[i] = {code, &calls[i + 1]};
  code(calls);
  sink += 1;
}

Code current;

// From generated code to ours and back into generated code.
__attribute__((noinline)) void again(Call*) {
  enter(current, 2, {allocate, nullptr});
  sink += 2;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  bool omits = strcmp(arguments[1], "omits") == 0;
  current = strcmp(arguments[1], "keeps") == 0 ? generate(kKeeps)
            : omits                            ? generate(kOmits)
                                               : generate(kAbuses);
  int depth = atoi(arguments[2]);
  for (int i = 0; i < 50; ++i) {
    enter(current, depth, {allocate, nullptr});
    enter(current, depth, {again, nullptr});
  }
  puts("done");
  return 0;
}
