// What was gathered, in a file, which can be given in place of the ledgers: those of a node become
// one file there, and files of files give the same answers as all ledgers at once.
#pragma once

#include <string>

#include "cli/fleet/gather.h"

namespace heapledger::cli::fleet {

// Whether the file is one of these.
bool is_reduced(const std::string& path);

// Throws Error when it is broken, or about something else than the question.
Gathered read_reduced(const std::string& path, const FleetQuestion& question);

void write_reduced(const Gathered& gathered, const FleetQuestion& question,
                   const std::string& path);

}  // namespace heapledger::cli::fleet
