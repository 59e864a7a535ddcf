// `report --where-rss`: what the resident memory is made of.
#include "cli/report/heading.h"
#include "cli/report/views.h"

namespace heapledger::cli::report {
namespace {

// A line of figures; what they are may take several on a narrow terminal.
class Parts {
 public:
  Parts(Buffer& to, const Page& page, uint64_t whole) : to_(to), page_(page), whole_(whole) {}

  void put_part(uint64_t bytes, const std::string& what) {
    put_line(human_bytes(bytes), whole_ > 0 ? percent(bytes, whole_) : "", what);
  }
  void put_missing(uint64_t bytes, const std::string& what) {
    put_line("-" + human_bytes(bytes), "", what);
  }

 private:
  void put_line(const std::string& bytes, const std::string& share, const std::string& what) {
    Buffer text;
    put_wrapped(text, page_, what, kIndent);
    put(to_, "  {:>10} {:>7}  {}", bytes, share,
        std::string_view(text.data(), text.size()).substr(kIndent));
  }

  static constexpr size_t kIndent = 22;
  Buffer& to_;
  const Page& page_;
  uint64_t whole_;
};

void put_unexplained(Parts& parts, const WhereRss& where) {
  int64_t rest = where.unexplained_bytes;
  if (rest >= 0) {
    parts.put_part(
        static_cast<uint64_t>(rest),
        where.has_file_rss
            ? "unexplained: free memory the allocator holds, stacks, other mappings"
            : "unexplained: free memory the allocator holds, stacks, code, other mappings");
    return;
  }
  parts.put_missing(static_cast<uint64_t>(-rest),
                    "not resident: blocks that were never written to, or swapped out");
}

}  // namespace

std::string where_rss_text(Ledgers& ledgers, const Asked& asked, const Page& page) {
  WhereRss where = ledgers.where_rss(asked.question.at);
  Buffer to;
  put_programs(to, ledgers, page);
  Question when;
  when.at = asked.question.at;
  Answer moment;
  moment.end_ns = where.time_ns;
  put_title(to, page, "where the resident memory goes " + moment_text(ledgers, when, moment));
  Parts parts(to, page, where.has_rss ? where.rss_bytes : 0);
  parts.put_part(where.live_bytes, "live: requested, in " + counted(where.live_blocks, "block"));
  if (where.glibc_model) {
    parts.put_part(where.rounding_bytes, "added by malloc to these blocks: headers, rounding");
  }
  parts.put_part(where.fragmentation_bytes,
                 "fragmentation: the rest of the pages that live blocks lie in");
  if (where.has_file_rss) {
    parts.put_part(where.file_rss_bytes, "files mapped: code and libraries");
  }
  if (where.has_rss) {
    put_unexplained(parts, where);
    parts.put_part(where.rss_bytes, "resident memory (RSS), as sampled " +
                                        human_duration(where.sample_time_ns) + " after the start");
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

}  // namespace heapledger::cli::report
