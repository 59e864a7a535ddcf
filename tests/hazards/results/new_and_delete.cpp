// Every form of operator new and delete, with a new_handler: each counts once. The counts are those
// of blocks; sizes are chosen so that each form has one of its own.
#include <cstdint>
#include <new>

#include "account.h"

namespace {

struct alignas(64) Wide {
  char bytes[128];
};

int handled = 0;
void* reserve = nullptr;

void on_out_of_memory() {
  ++handled;
  if (handled == 3) std::set_new_handler(nullptr);
}

template <class Block>
void counted(Block* block, size_t bytes) {
  account_took(block, bytes);
  require(reinterpret_cast<uintptr_t>(block) % alignof(Block) == 0, "alignment");
  account_add(&account_frees, 1);
}

void plain_forms() {
  auto* one = static_cast<char*>(::operator new(101));
  counted(one, 101);
  ::operator delete(one);
  auto* sized = static_cast<char*>(::operator new(102));
  counted(sized, 102);
  ::operator delete (sized, size_t{102});
  auto* many = static_cast<char*>(::operator new[](103));
  counted(many, 103);
  ::operator delete[](many);
  auto* many_sized = static_cast<char*>(::operator new[](104));
  counted(many_sized, 104);
  ::operator delete[](many_sized, size_t{104});
  auto* silent = static_cast<char*>(::operator new(105, std::nothrow));
  counted(silent, 105);
  ::operator delete(silent, std::nothrow);
  auto* many_silent = static_cast<char*>(::operator new[](106, std::nothrow));
  counted(many_silent, 106);
  ::operator delete[](many_silent, std::nothrow);
}

// libstdc++ takes aligned blocks by aligned_alloc, with sizes rounded up to the alignment.
void aligned_forms() {
  constexpr auto kAlign = std::align_val_t{256};
  auto* one = static_cast<char*>(::operator new(512, kAlign));
  counted(one, 512);
  ::operator delete(one, kAlign);
  auto* sized = static_cast<char*>(::operator new(768, kAlign));
  counted(sized, 768);
  ::operator delete (sized, size_t{768}, kAlign);
  auto* many = static_cast<char*>(::operator new[](1024, kAlign));
  counted(many, 1024);
  ::operator delete[](many, size_t{1024}, kAlign);
  auto* silent = static_cast<char*>(::operator new(1280, kAlign, std::nothrow));
  counted(silent, 1280);
  ::operator delete(silent, kAlign, std::nothrow);
  auto* many_silent = static_cast<char*>(::operator new[](1536, kAlign, std::nothrow));
  counted(many_silent, 1536);
  ::operator delete[](many_silent, kAlign, std::nothrow);
  auto* wide = new Wide[10];
  counted(wide, sizeof(Wide) * 10);
  delete[] wide;
}

int refusals() {
  volatile size_t huge = SIZE_MAX / 2 - 1000;
  int thrown = 0;
  std::set_new_handler(on_out_of_memory);
  try {
    reserve = ::operator new(huge);
  } catch (const std::bad_alloc&) {
    ++thrown;
  }
  if (::operator new(huge, std::nothrow) == nullptr) ++thrown;
  return thrown;
}

}  // namespace

int main() {
  for (int i = 0; i < 10; ++i) {
    plain_forms();
    aligned_forms();
  }
  int thrown = refusals();
  say("refused %d, handler called %d times\n", thrown, handled);
  print_account();
  return 0;
}
