#include "symbols/source_path.h"

namespace heapledger {

std::string join_path(std::string_view folder, std::string_view path) {
  if (folder.empty() || path.starts_with('/')) return std::string(path);
  if (path.empty()) return std::string(folder);
  std::string joined(folder);
  if (!joined.ends_with('/')) joined += '/';
  return joined += path;
}

std::string normal_path(std::string_view path) {
  const bool absolute = path.starts_with('/');
  std::string normal(absolute ? "/" : "");
  const size_t root = normal.size();
  size_t fixed = root;  // leading "..", which nothing may undo
  for (size_t at = 0; at < path.size();) {
    const size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    at = end + 1;
    if (part.empty() || part == ".") continue;
    if (part == ".." && normal.size() > fixed) {
      const size_t slash = normal.rfind('/');
      normal.resize(slash == std::string::npos || slash < fixed ? fixed : slash);
      continue;
    }
    if (part == ".." && absolute) continue;
    if (normal.size() > root) normal += '/';
    normal += part;
    if (part == "..") fixed = normal.size();
  }
  return normal;
}

}  // namespace heapledger
