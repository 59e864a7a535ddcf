// Questions as JSON, for those who send or keep them:
//
//   {"at": "peak", "filter": {"size": {"least": 1024}, "thread": ["worker*", "!main"]},
//    "by": "function", "sort": "live", "top": 10}
//
// What is not there is as in a Question that nothing was done to. Moments are words as
// parse_moment() reads them, a filter may be a text as parse_filter() reads it.
#pragma once

#include "analyzer/query/question.h"
#include "text/json_text.h"

namespace heapledger {

Json to_json(const Question& question);

// Throws Error that names the member it does not understand.
Question question_from_json(const Json& json);

}  // namespace heapledger
