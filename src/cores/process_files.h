// What /proc tells of a process: its mappings, threads, program and command.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cores/memory.h"

namespace heapledger::cores {

// Made by the kernel: there is nothing of the program's in it, and reading it fails or misleads.
bool is_kernel_region(const Region& region);

// One line of /proc/PID/maps; nothing when it is none.
std::optional<Region> region_of_line(std::string_view line);

std::vector<Region> regions_of_process(uint32_t pid);
std::vector<uint32_t> threads_of_process(uint32_t pid);
std::vector<std::string> command_of_process(uint32_t pid);
std::string executable_of_process(uint32_t pid);
std::string thread_name(uint32_t pid, uint32_t tid);
// Where the thread's stack was when it last entered the kernel; 0 while it runs.
uint64_t waiting_stack_pointer(uint32_t pid, uint32_t tid);
// Word size, byte order and machine of the program; nothing when its file cannot be read.
std::optional<Shape> shape_of_process(uint32_t pid);

}  // namespace heapledger::cores
