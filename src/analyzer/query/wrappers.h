// Which functions are not the ones to blame: allocators, their wrappers, and standard libraries,
// by name or, where there are no names, by the module they are in.
#pragma once

#include <string_view>

namespace heapledger {

// The name without return type, arguments and template arguments' effect on finding them:
// "void std::vector<int>::push_back(int&&)" gives "std::vector<int>::push_back".
std::string_view qualified_name(std::string_view function);

// `function` demangled, empty when unknown; `module` a path.
bool is_allocator(std::string_view function);
bool is_wrapper(std::string_view function, std::string_view module);

// Whether its name says that it is one more wrapper, or that it may be one; what it does decides
// (pass_on.h).
bool says_allocator(std::string_view function);
bool may_be_allocator(std::string_view function);

}  // namespace heapledger
