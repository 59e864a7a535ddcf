// Advice for programs: "heapledger.advise/1".
#pragma once

#include <string>

#include "advice/advice.h"

namespace heapledger::cli::advise {

std::string advice_json(const Advice& advice, Ledgers& ledgers);

}  // namespace heapledger::cli::advise
