// What the unwinder takes from the system when it is there: glibc's way from an address to its
// module, and a second unwinder to be compared with. Looked up by name, or by the linker in a
// static program (loader_lookup_static.cpp). Called at the start only.
#pragma once

#include <unwind.h>

#include <cstdint>

namespace heapledger::runtime {

// Of glibc's _dl_find_object; null where it is missing.
void* find_object_function();

struct Reference {
  _Unwind_Reason_Code (*backtrace)(_Unwind_Trace_Fn, void*) = nullptr;
  uintptr_t (*ip_info)(_Unwind_Context*, int*) = nullptr;
  uintptr_t (*cfa)(_Unwind_Context*) = nullptr;

  bool whole() const { return backtrace != nullptr && ip_info != nullptr && cfa != nullptr; }
};

// libgcc's, not whole where there is none.
Reference find_reference();

}  // namespace heapledger::runtime
