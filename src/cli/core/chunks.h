// The heap of a program that our library was not in, for people and as JSON: what is in use and
// what is free, by arena, list and size. There are no stacks to show, and both say so.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

#include "cli/pages/page.h"
#include "cores/glibc_heap.h"

namespace heapledger::cli::core {

// At most `rows` sizes. What was odd, heap.problems, is left to the caller.
std::string chunks_text(const cores::GlibcHeap& heap, const Page& page, size_t rows = 15);

// `blocks`: each block in use, too, by address.
void write_chunks_json(std::FILE* to, const cores::GlibcHeap& heap, bool blocks);

}  // namespace heapledger::cli::core
