// What the file system of a folder permits, tried on a file without a name, which leaves nothing.
#pragma once

#include <cstdint>
#include <string>

namespace heapledger::cli::doctor {

struct FolderFacts {
  std::string file_system;      // ext4, tmpfs, …; empty: one we have no name for
  bool remote = false;          // on another machine
  uint64_t free_bytes = 0;      // for people without privileges
  bool nameless_files = false;  // O_TMPFILE
  bool reserves = false;        // fallocate: a full disk is met before anything is written
  int write_error = 0;          // errno of the first thing that did not work; 0: all did
  int map_error = 0;            // a shared mapping
};

FolderFacts look_at_folder(const std::string& folder);

}  // namespace heapledger::cli::doctor
