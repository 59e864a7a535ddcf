// Pools that the program announces: their names, and entries for their blocks. The numbers are the
// process's; a forked child keeps them and enters the names again in its own ledger.
//
// Thread safety: all of it. Two threads that announce one name at the same instant may get two
// numbers; readers take pools of one name for one.
#pragma once

#include "runtime/ledger/window.h"
#include "runtime/unwind/site.h"

namespace heapledger::runtime {

// 0: there are too many.
uint32_t pool_number(const char* name);

void enter_pool_allocation(uint32_t pool, const void* block, size_t size, const Caller& caller);
void enter_pool_free(uint32_t pool, const void* block);
void enter_pool_resize(uint32_t pool, const void* old_block, const void* block, size_t size,
                       const Caller& caller);

// At the head of a new ledger.
void reenter_pools(Window& window);

}  // namespace heapledger::runtime
