// What can be asked, each a function from JSON to JSON: docs/design/viewing.md. They are called in
// several threads at once, each with an asker of its own; whoever does not want an answer any more
// stops that asker. All throw Error.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "analyzer/query.h"
#include "server/files.h"
#include "server/recording.h"
#include "text/json_text.h"

namespace heapledger::server {

// What there is to ask.
struct Asked {
  Ledgers& ledgers;  // the asker's own
  FileNumbers& files;
  const ThreadNumbers& threads;
  uint64_t start_wall_ns = 0;
  // Another recording, where this one is compared with one; likewise.
  Ledgers* earlier = nullptr;
  // Whether the ledgers had to be read for it.
  const bool& has_read;
};

Json answer_ask(Asked& asked, const Json& body);
Json answer_timeline(Asked& asked, const Json& body);
Json answer_frames(Asked& asked, const Json& body);
Json answer_source(Asked& asked, const Json& body);
Json answer_compare(Asked& asked, const Json& body);
Json answer_blocks(Asked& asked, const Json& body);
Json answer_where_rss(Asked& asked, const Json& body);
Json answer_advice(Asked& asked, const Json& body);
Json answer_cohorts(Asked& asked, const Json& body);
Json answer_cohort(Asked& asked, const Json& body);
Json answer_map(Asked& asked, const Json& body);
Json answer_block_life(Asked& asked, const Json& body);

struct Route {
  std::string_view path;
  Json (*answer)(Asked& asked, const Json& body);
};
std::span<const Route> routes();

// Of what a page can show; a question that wants more is one of a script.
inline constexpr size_t kMostRows = 5'000;
// The question of what was asked, for so many rows at the most, and for as many nodes as can be
// shown.
Question question_of(const Json& body, size_t most_rows);

// A member of what was asked. Throws Error that names it.
const Json& member_of(const Json& body, std::string_view name);
MomentSpec moment_of(const Json& body, std::string_view name);

}  // namespace heapledger::server
