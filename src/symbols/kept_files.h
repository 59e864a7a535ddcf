// What took long to find out, kept in a folder of the user's for the next time. Every entry has a
// sign, which says what it was made of: it is believed only while that is the same.
//
// Several tools may use the folder at once: an entry is replaced in one step. Whatever goes wrong
// with it, it is as if there were none.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace heapledger {

class KeptFiles {
 public:
  // An empty folder: nothing is kept. With more than `most_bytes`, the longest unused go first.
  KeptFiles(std::string folder, uint64_t most_bytes, uint64_t most_of_one);

  // `name` below the user's folder for such things; empty when there is none.
  static std::string default_folder(std::string_view name);

  bool is_used() const { return !folder_.empty(); }

  std::optional<std::string> find(const std::string& name, std::string_view sign) const;
  void store(const std::string& name, std::string_view sign, std::string_view content) const;

 private:
  void make_room() const;

  std::string folder_;
  uint64_t most_bytes_;
  uint64_t most_of_one_;
};

// Other bytes when one of the files is another one, or has changed. So is the tool itself: another
// version may see things otherwise.
std::string sign_of_files(std::span<const std::string> paths);

// For names of entries.
std::string hexadecimal(std::string_view bytes);

}  // namespace heapledger
