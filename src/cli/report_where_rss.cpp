// `report --where-rss`: what the resident memory is made of.
#include "cli/report_heading.h"
#include "cli/report_views.h"

namespace heapledger {
namespace {

void put_part(Buffer& to, const std::string& bytes, uint64_t part, uint64_t whole,
              const char* what) {
  put(to, "  {:>10} {:>7}  {}\n", bytes, whole > 0 ? percent(part, whole) : "", what);
}

void put_part(Buffer& to, uint64_t bytes, uint64_t whole, const char* what) {
  put_part(to, human_bytes(bytes), bytes, whole, what);
}

void put_unexplained(Buffer& to, const WhereRss& where) {
  int64_t rest = where.unexplained_bytes;
  if (rest >= 0) {
    put_part(to, static_cast<uint64_t>(rest), where.rss_bytes,
             where.has_file_rss
                 ? "unexplained: free memory the allocator holds, stacks, other mappings"
                 : "unexplained: free memory the allocator holds, stacks, code, other mappings");
    return;
  }
  auto missing = static_cast<uint64_t>(-rest);
  put_part(to, "-" + human_bytes(missing), 0, 0,
           "not resident: blocks that were never written to, or swapped out");
}

}  // namespace

std::string where_rss_text(Ledgers& ledgers, const Asked& asked, const Page& page) {
  WhereRss where = ledgers.where_rss(asked.question.at);
  Buffer to;
  put_programs(to, ledgers, page);
  put_title(to, page,
            "where the resident memory goes " + moment_text(asked.question.at, where.time_ns));
  uint64_t whole = where.has_rss ? where.rss_bytes : 0;
  put_part(to, where.live_bytes, whole,
           ("live: requested, in " + counted(where.live_blocks, "block")).c_str());
  if (where.glibc_model) {
    put_part(to, where.rounding_bytes, whole, "added by malloc to these blocks: headers, rounding");
  }
  put_part(to, where.fragmentation_bytes, whole,
           "fragmentation: the rest of the pages that live blocks lie in");
  if (where.has_file_rss) {
    put_part(to, where.file_rss_bytes, whole, "files mapped: code and libraries");
  }
  if (where.has_rss) {
    put_unexplained(to, where);
    put_part(to, where.rss_bytes, whole,
             ("resident memory (RSS), as sampled " + human_duration(where.sample_time_ns) +
              " after the start")
                 .c_str());
  }
  std::string note =
      fmt::format("Live blocks lie in {} of {}.", counted(where.touched_pages, "page"),
                  human_bytes(where.page_bytes));
  if (!where.has_rss) note += " The ledger has no sample of the resident memory up to then.";
  if (!where.glibc_model) {
    note += " What the allocator adds to each block is not known for " +
            escaped(where.other_malloc) + ".";
  }
  put(to, "\n{}\n", wrapped(note, page.width));
  return page.finished(to);
}

}  // namespace heapledger
