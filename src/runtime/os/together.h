// Where the small variables stand that a forked child changes as it begins: side by side, because
// the kernel copies each page that one of them is in.
#pragma once

#define HEAPLEDGER_TOGETHER __attribute__((section("heapledger_state")))
