#include "exporters/pprof_drop.h"

#include <algorithm>
#include <string_view>

#include "analyzer/query/wrappers.h"
#include "text/text.h"

namespace heapledger::pprof {
namespace {

// What pprof compares: the name up to the first parenthesis that opens arguments.
std::string without_arguments(std::string_view name) {
  if (name.starts_with('.')) name.remove_prefix(1);
  for (size_t at = name.find('('); at != std::string_view::npos; at = name.find('(', at + 1)) {
    bool belongs_to_name =
        name.substr(at).starts_with("(anonymous namespace)") ||
        (name.substr(0, at).ends_with("operator") && name.substr(at).starts_with("()"));
    if (!belongs_to_name) return std::string(name.substr(0, at));
  }
  return std::string(name);
}

// What calls nobody back: whatever it has inside may go. Rust's library alloc:: may call anybody.
bool is_plain_allocator(std::string_view name) {
  return is_allocator(name) && !name.starts_with("alloc::") && !name.starts_with("<alloc::");
}

std::string quoted_for_expression(std::string_view text) {
  std::string quoted;
  for (char c : text) {
    if (std::string_view("\\.+*?()|[]{}^$").find(c) != std::string_view::npos) quoted += '\\';
    quoted += c;
  }
  return quoted;
}

}  // namespace

void DroppedFrames::add(const std::vector<NamedFrame>& frames, size_t owner) {
  for (size_t i = 0; i < frames.size(); ++i) {
    (i < owner ? inside_ : outside_).insert(without_arguments(escaped(frames[i].name)));
  }
}

std::string DroppedFrames::pattern() const {
  std::vector<std::string> names;
  for (const std::string& name : inside_) {
    if (name.empty() || (outside_.contains(name) && !is_plain_allocator(name))) continue;
    names.push_back(quoted_for_expression(name));
  }
  std::sort(names.begin(), names.end());
  std::string pattern;
  for (const std::string& name : names) pattern += (pattern.empty() ? "" : "|") + name;
  return pattern;
}

}  // namespace heapledger::pprof
