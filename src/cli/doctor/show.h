// A diagnosis as a person reads it, and as JSON of the schema "heapledger.doctor/1".
#pragma once

#include <cstddef>
#include <string>

#include "cli/doctor/checks.h"
#include "text/text.h"

namespace heapledger::cli::doctor {

std::string doctor_text(const Diagnosis& diagnosis, const Style& style, size_t width);
std::string doctor_json(const Diagnosis& diagnosis);

}  // namespace heapledger::cli::doctor
