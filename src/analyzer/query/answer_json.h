// Answers as JSON: what `report --json` is made of, and what others can read back. Texts that are
// not UTF-8 lose what is not.
#pragma once

#include "analyzer/query/answer.h"
#include "text/json_text.h"

namespace heapledger {

// Puts every figure of the catalogue that is known there, by its key.
void put_figures(Json& json, const Figures& figures, bool only_live);
// Standard errors, of what is not exact.
void put_errors(Json& json, const Estimates& estimates);

Json to_json(const Histogram& histogram);
Json to_json(const std::vector<CommonSize>& sizes);
// What only parts have: who calls them, and who owns most of them.
void put_part(Json& json, const Row& row);
Json to_json(const Row& row, bool only_live);
Json to_json(const TreeNode& node, bool only_live);
Json to_json(const Answer& answer);

// Throws Error when it is no such thing.
Answer answer_from_json(const Json& json);

}  // namespace heapledger
