// Where the names of a module's functions and lines will come from: debug information in it or
// beside it, its symbol table, what it exports, or nowhere. Nothing is fetched.
#pragma once

#include <string>

#include "cli/doctor/checks.h"

namespace heapledger::cli::doctor {

// `path` may be empty: a module that was not found.
ModuleSymbols symbols_of_module(const std::string& name, const std::string& path);

// Whether the module calls libstdc++'s pool allocators.
bool uses_standard_pools(const std::string& path);

}  // namespace heapledger::cli::doctor
