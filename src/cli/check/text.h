// The outcome of `heapledger check` as a person reads it: one line a limit, the sites to blame
// below those that are exceeded. Also the pieces that the JUnit file is made of.
#pragma once

#include <string>
#include <vector>

#include "cli/check/gate.h"
#include "cli/pages/page.h"

namespace heapledger::cli::check {

std::string check_text(const GateResult& result, const Page& page);

// "max-peak", "max-growth (peak)".
std::string verdict_name(const Verdict& verdict);

// "peak is 12.3 MiB, the limit 10.0 MiB", on one line.
std::string verdict_sentence(const Verdict& verdict);

// "  4.0 KiB   50.0%  make_list  src/list.cpp:12": one line each, and who called it.
std::string culprits_text(const Verdict& verdict, const Page& page, const std::string& indent);

// "1.2 KiB in 3 blocks by leak:pool (built in)", one each.
std::vector<std::string> suppression_texts(const GateResult& result);

}  // namespace heapledger::cli::check
