// Paths of source files as people write them.
#pragma once

#include <string>
#include <string_view>

namespace heapledger {

// `path`, taken from `folder` on unless it is absolute.
std::string join_path(std::string_view folder, std::string_view path);

// Without "//", "." and, as far as they have something to undo, "..". Symbolic links are not
// looked at: the folders are those of the machine that compiled, not of this one.
std::string normal_path(std::string_view path);

}  // namespace heapledger
