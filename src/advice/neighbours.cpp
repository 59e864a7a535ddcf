#include "advice/neighbours.h"

#include "analyzer/query/wrappers.h"

namespace heapledger {

std::string scope_of(const std::string& function) {
  std::string_view name = qualified_name(function);
  size_t depth = 0;
  for (size_t at = name.size(); at-- > 0;) {
    if (name[at] == '>' || name[at] == ')') ++depth;
    if (depth > 0 && (name[at] == '<' || name[at] == '(')) --depth;
    if (depth == 0 && at > 0 && name[at] == ':' && name[at - 1] == ':') {
      return std::string(name.substr(0, at - 1));
    }
  }
  return {};
}

bool Neighbours::same_function(uint32_t a, uint32_t b) {
  uint32_t function = numbers(a).function;
  return function == numbers(b).function;
}

uint32_t Neighbours::neighbourhood(uint32_t site) {
  return numbers(site).neighbourhood;
}

const Neighbours::Numbers& Neighbours::numbers(uint32_t site) {
  auto found = known_.find(site);
  if (found != known_.end()) return found->second;
  NamedFrame frame = ledgers_.first_interesting_frame(site);
  // No name: a number of its own.
  std::string own = "site " + std::to_string(site);
  std::string scope = scope_of(frame.function);
  Numbers numbers;
  numbers.function =
      number_of(frame.function.empty() ? own : "in " + frame.file + "\n" + frame.function);
  if (!scope.empty()) {
    numbers.neighbourhood = number_of("scope " + scope);
  } else if (!frame.file.empty()) {
    numbers.neighbourhood = number_of("file " + frame.file);
  } else {
    // Without debug information nobody knows what is near: all of a module is.
    numbers.neighbourhood = number_of("module " + frame.module);
  }
  return known_.emplace(site, numbers).first->second;
}

uint32_t Neighbours::number_of(const std::string& text) {
  return texts_.emplace(text, static_cast<uint32_t>(texts_.size() + 1)).first->second;
}

}  // namespace heapledger
