// What the standard library's templates have by default, and what they are called for short.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace heapledger {

// The end of a text is "name<argument, argument", each argument short already.
struct TemplateArguments {
  size_t name = 0;             // where the name begins
  size_t bracket = 0;          // where "<" is
  std::vector<size_t> starts;  // where each argument begins
};

// Leaves out the arguments that are the default, closes the bracket, and puts the short name in
// place where there is one.
void shorten_template(std::string& text, TemplateArguments& arguments);

}  // namespace heapledger
