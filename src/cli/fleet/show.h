// A fleet as text, JSON or CSV.
#pragma once

#include <string>

#include "cli/fleet/gather.h"
#include "cli/pages/page.h"

namespace heapledger::cli::fleet {

std::string fleet_text(const Fleet& fleet, const Question& question, size_t top, const Page& page);
std::string fleet_json(const Fleet& fleet, const Question& question, size_t top);
std::string fleet_csv(const Fleet& fleet, size_t top);

}  // namespace heapledger::cli::fleet
