// Finds the files that know about a module: its own, the separate debug file, and what dwz has
// moved to a common one. A file is taken only when its build id or checksum proves it right.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "symbols/debuginfod.h"

namespace heapledger {

struct DebugFiles {
  std::string image;   // the module's own file; empty: missing, or not the one that ran
  std::string debug;   // has the debug information, maybe the image itself; empty: none
  std::string common;  // dwz's file that `debug` refers to; empty: none, or not found
  std::string remark;  // what is missing and why, for people
};

DebugFiles find_debug_files(const std::string& path, std::string_view build_id,
                            std::span<const std::string> folders, Debuginfod& debuginfod,
                            const Debuginfod::Progress& progress);

// The last part of a path.
std::string_view file_name(std::string_view path);

}  // namespace heapledger
