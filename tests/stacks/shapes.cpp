// Allocates from stacks of many shapes; run in cross-check mode, where each of them is compared
// with libgcc's unwinder. The first argument chooses the shape.
#include <alloca.h>
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

volatile unsigned sink;

__attribute__((noinline)) void allocate(size_t bytes) {
  void* block = malloc(bytes + 1);
  sink += static_cast<unsigned>(reinterpret_cast<size_t>(block));
  free(block);
}

__attribute__((noinline)) void deep(int levels) {
  if (levels == 0) {
    allocate(10);
  } else {
    deep(levels - 1);
    if (levels % 3 == 0) allocate(20);
  }
  sink += static_cast<unsigned>(levels);  // no tail call
}

void plain() {
  for (int i = 0; i < 200; ++i) deep(i % 40);
}

__attribute__((noinline)) void aligned_locals(int levels) {
  alignas(64) char buffer[256];
  memset(buffer, levels, sizeof buffer);
  sink += static_cast<unsigned char>(buffer[levels & 255]);
  if (levels > 0) aligned_locals(levels - 1);
  allocate(30);
  sink += static_cast<unsigned char>(buffer[(levels + 1) & 255]);
}

__attribute__((noinline)) void with_alloca(int levels) {
  auto* room = static_cast<volatile char*>(alloca(static_cast<size_t>(levels) * 40 + 16));
  room[0] = static_cast<char>(levels);
  if (levels > 0) with_alloca(levels - 1);
  allocate(40);
  sink += static_cast<unsigned char>(room[0]);
}

// Both at once: such a frame has a register for its arguments, one for its locals and the stack.
__attribute__((noinline)) void aligned_and_alloca(int levels, int a, int b, int c, int d, int e,
                                                  int on_stack) {
  alignas(128) char buffer[128];
  memset(buffer, levels + on_stack, sizeof buffer);
  auto* room = static_cast<volatile char*>(alloca(static_cast<size_t>(levels) * 24 + 8));
  room[0] = static_cast<char>(a + b + c + d + e);
  if (levels > 0) aligned_and_alloca(levels - 1, a, b, c, d, e, on_stack + 1);
  allocate(45);
  sink += static_cast<unsigned char>(room[0]) + static_cast<unsigned char>(buffer[levels & 127]);
}

void realigned() {
  for (int i = 0; i < 50; ++i) {
    aligned_locals(i % 12);
    with_alloca(i % 12);
    aligned_and_alloca(i % 9, 1, 2, 3, 4, 5, 6);
    deep(i % 7);
  }
}

struct Cleaner {
  ~Cleaner() { allocate(50); }
};

__attribute__((noinline)) void throwing(int levels) {
  Cleaner cleaner;
  if (levels == 0) throw std::runtime_error("a text long enough to be allocated somewhere");
  try {
    throwing(levels - 1);
  } catch (const std::runtime_error&) {
    allocate(60);
    throw;
  }
}

void exceptions() {
  for (int i = 0; i < 30; ++i) {
    try {
      throwing(i % 15);
    } catch (const std::exception& error) {
      allocate(strlen(error.what()));
    }
    deep(i % 9);
  }
}

jmp_buf back;

__attribute__((noinline)) void jumping(int levels) {
  allocate(70);
  if (levels == 0) longjmp(back, 1);
  jumping(levels - 1);
  sink += 1;
}

void longjumps() {
  for (volatile int i = 0; i < 60; ++i) {
    if (setjmp(back) == 0) jumping(i % 20);
    deep(i % 11);
  }
}

ucontext_t main_context;
ucontext_t fiber_context;

void fiber() {
  for (int i = 0; i < 20; ++i) {
    deep(i % 8);
    swapcontext(&fiber_context, &main_context);
  }
}

void contexts() {
  const size_t kBytes = 128 * 1024;
  for (int round = 0; round < 10; ++round) {
    // Mapped anew each time, smaller each time: what was a stack is a hole now.
    size_t bytes = kBytes - static_cast<size_t>(round) * 8192;
    void* stack = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    getcontext(&fiber_context);
    fiber_context.uc_stack.ss_sp = stack;
    fiber_context.uc_stack.ss_size = bytes;
    fiber_context.uc_link = &main_context;
    makecontext(&fiber_context, fiber, 0);
    for (int i = 0; i < 20; ++i) {
      swapcontext(&main_context, &fiber_context);
      deep(i % 5);
    }
    swapcontext(&main_context, &fiber_context);
    munmap(stack, bytes);
  }
}

int compare(const void* a, const void* b) {
  allocate(80);
  return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}

pthread_once_t once = PTHREAD_ONCE_INIT;

void callbacks() {
  int numbers[64];
  for (int i = 0; i < 64; ++i) numbers[i] = (i * 37) % 64;
  qsort(numbers, 64, sizeof numbers[0], compare);
  pthread_once(&once, [] { deep(5); });
  atexit([] { deep(6); });
  std::function<void(int)> recursive = [&](int levels) {
    std::vector<std::string> texts(3, std::string(40, 'x'));
    if (levels > 0) recursive(levels - 1);
    std::map<int, std::string> map;
    for (int i = 0; i < 10; ++i) map[i] = texts[0];
  };
  recursive(20);
}

void on_signal(int) {
  deep(4);
}

void handlers(bool alternate) {
  static char stack[65536];
  stack_t alternative = {};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof stack;
  if (alternate) sigaltstack(&alternative, nullptr);
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = alternate ? SA_ONSTACK : 0;
  sigaction(SIGUSR1, &action, nullptr);
  for (int i = 0; i < 50; ++i) {
    deep(i % 6);
    raise(SIGUSR1);
  }
}

void threads() {
  std::vector<std::thread> workers;
  for (int t = 0; t < 8; ++t) {
    workers.emplace_back([t] {
      for (int i = 0; i < 300; ++i) deep((i * (t + 1)) % 50);
    });
  }
  for (std::thread& worker : workers) worker.join();
}

void recursion() {
  // As deep as the stack allows: allocations at the bottom and on the way back.
  deep(20'000);
  allocate(5);
  deep(300);
}

// Far deeper than any thread is by default. Allocates at several depths, going in and coming back;
// no tail call.
__attribute__((noinline)) void abyss(int levels) {
  if (levels % 5'000 == 0) allocate(90);
  if (levels > 0) abyss(levels - 1);
  if (levels % 7'000 == 0) allocate(95);
  sink += static_cast<unsigned>(levels);
}

void bottomless() {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, size_t{256} << 20);
  pthread_t thread;
  auto dive = [](void*) -> void* {
    abyss(100'000);
    deep(100);
    abyss(100'000);
    return nullptr;
  };
  if (pthread_create(&thread, &attributes, dive, nullptr) != 0) abort();
  pthread_join(thread, nullptr);
}

}  // namespace

int main(int count, char** arguments) {
  std::string shape = count > 1 ? arguments[1] : "plain";
  if (shape == "plain") plain();
  if (shape == "realigned") realigned();
  if (shape == "exceptions") exceptions();
  if (shape == "longjumps") longjumps();
  if (shape == "contexts") contexts();
  if (shape == "callbacks") callbacks();
  if (shape == "handlers") handlers(false);
  if (shape == "handlers-alternate") handlers(true);
  if (shape == "threads") threads();
  if (shape == "recursion") recursion();
  if (shape == "bottomless") bottomless();
  printf("%s done\n", shape.c_str());
  return 0;
}
