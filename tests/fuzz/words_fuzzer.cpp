// Words that people write, on command lines, in the environment and in small files: whatever they
// are, they are understood or refused with an Error. The first byte chooses who reads the rest.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "analyzer/error.h"
#include "analyzer/query.h"
#include "cli/check/limits.h"
#include "cli/program_check/script.h"
#include "cli/run/words.h"
#include "importers/named_sites.h"
#include "settings/settings.h"

using namespace heapledger;
using namespace heapledger::cli::check;
using namespace heapledger::cli::program_check;
using namespace heapledger::cli::run;

namespace {

// What the runtime does with HEAPLEDGER; the tool refuses what the runtime would refuse.
void read_settings(const std::string& text) {
  auto settings = std::make_unique<settings::Settings>();
  auto wrong = std::make_unique<settings::WrongWord>();
  bool understood = settings::parse(text.c_str(), *settings, *wrong);
  if (text.find_first_of(" \\") != std::string::npos || text.find('\0') != std::string::npos)
    return;
  bool taken = true;
  try {
    check_words({text}, "");
  } catch (const Error&) {
    taken = false;
  }
  if (!text.empty() && taken != understood) abort();
}

// A limit that is understood is one that was written.
void read_limits(const std::string& text) {
  for (const Limit& limit : parse_limits(text, "limits")) {
    if (text.find(name_of(limit.kind)) == std::string::npos) abort();
  }
}

void read_suppressions(const std::string& text) {
  Suppressions suppressions;
  suppressions.add(text);
  for (const Suppression& one : suppressions.all()) suppression_matches(one.pattern, text);
}

void read_script(const std::string& text) {
  auto line = parse_script_line(text);
  if (line) parse_env_argument(line->argument);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (text.ends_with('\n')) text.pop_back();  // so that seeds are plain text files
  try {
    switch (data[0] % 8) {
      case 0:
        read_settings(text);
        break;
      case 1:
        read_limits(text);
        break;
      case 2:
        read_suppressions(text);
        break;
      case 3:
        read_script(text);
        break;
      case 4:
        parse_filter(text);
        break;
      case 5:
        parse_moment(text);
        break;
      case 6:
        parse_frame(text);
        break;
      default:
        parse_bytes(text);
        parse_duration(text);
    }
  } catch (const Error&) {
    // A clear refusal is a good answer.
  }
  return 0;
}
