// A plugin whose one hand-written function has a frame of FRAME bytes: the code is the same
// whatever FRAME is, byte for byte in length, and so are its addresses. `own` and the constructor
// ask for BYTES bytes, so that an allocation tells whose it is.
#include <stdlib.h>

extern "C" {
void through(void (*function)());
void own();
}

#ifdef SHIFT
asm(".text\n.skip " SHIFT ", 0xCC");
#endif

asm(R"(
  .text
  .globl through
  .type through, @function
through:
  .cfi_startproc
  endbr64
  subq $)" FRAME R"(, %rsp
  .cfi_adjust_cfa_offset )" FRAME R"(
  call *%rdi
  addq $)" FRAME R"(, %rsp
  .cfi_adjust_cfa_offset -)" FRAME R"(
  ret
  .cfi_endproc
  .size through, . - through
)");

namespace {

volatile unsigned sink;

__attribute__((noinline)) void take() {
  void* block = malloc(BYTES);
  sink += static_cast<unsigned>(reinterpret_cast<size_t>(block));
  free(block);
}

__attribute__((noinline)) void nested(int levels) {
  if (levels > 0) nested(levels - 1);
  take();
  sink += static_cast<unsigned>(levels);
}

// A realigned frame: its rules do not fit into a row.
__attribute__((noinline)) void realigned(int levels) {
  alignas(64) volatile char room[128];
  room[levels & 127] = 1;
  nested(levels);
  sink += static_cast<unsigned>(room[levels & 127]);
}

__attribute__((constructor)) void begin() {
  nested(3);
}
__attribute__((destructor)) void end() {
  nested(2);
}

}  // namespace

void own() {
  through(take);
  realigned(1);
}
