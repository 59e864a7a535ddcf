#include "cli/shared/seconds.h"

#include "analyzer/error.h"
#include "analyzer/query/filter.h"

namespace heapledger::cli {

double seconds_of(const std::string& option, const std::string& text) {
  const bool alone = !text.empty() && text.find_first_not_of("0123456789.") == std::string::npos;
  try {
    return static_cast<double>(parse_duration(alone ? text + "s" : text)) / 1e9;
  } catch (const Error& error) {
    throw Error(option + ": " + error.what(), ErrorKind::kQuestion);
  }
}

}  // namespace heapledger::cli
