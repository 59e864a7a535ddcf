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

std::string label_of(const RssLine& line, const WhereRss& where) {
  switch (line.part) {
    case RssPart::kLive:
      return "live: requested, in " + counted(where.live_blocks, "block");
    case RssPart::kRounding:
      return "added by malloc to these blocks: headers, rounding";
    case RssPart::kNotResident:
      return "of these blocks not resident: never written to, or swapped out";
    case RssPart::kPinned:
      return where.has_look ? "fragmentation: free, in pages that live blocks keep"
                            : "fragmentation: the rest of the pages that live blocks lie in";
    case RssPart::kFree:
      return where.has_inherited
                 ? "free, and held by the allocator, or blocks of the parent process"
                 : "free, and held by the allocator";
    case RssPart::kMappings:
      return "mapped by the program itself";
    case RssPart::kThreadStacks:
      return "stacks of threads";
    case RssPart::kMainStack:
      return "stack of the first thread";
    case RssPart::kCode:
      return "program and libraries: code and data";
    case RssPart::kFiles:
      return where.has_look ? "other files mapped, and shared memory"
                            : "files mapped: code and libraries";
    case RssPart::kRecorder:
      return "Heapledger itself: not there when nothing is recorded";
    case RssPart::kUnexplained:
      break;
  }
  if (line.bytes < 0) return "not resident: blocks that were never written to, or swapped out";
  if (where.has_look) {
    return "unexplained: mapped by the program itself, perhaps; record with maps=on to see";
  }
  return where.has_file_rss
             ? "unexplained: free memory the allocator holds, stacks, other mappings"
             : "unexplained: free memory the allocator holds, stacks, code, other mappings";
}

// What one line of code has of a part, if that is worth a word.
std::string owner_of(const RssLine& line) {
  constexpr int64_t kWorthAWord = 20;  // one part of so many
  constexpr size_t kMostPlace = 40;
  auto bytes = static_cast<int64_t>(line.owner_bytes);
  if (bytes == 0 || bytes < line.bytes / kWorthAWord) return "";
  const NamedFrame& frame = line.owner;
  std::string place;
  if (!frame.file.empty()) place = " (" + place_text(frame.file, frame.line, kMostPlace) + ")";
  std::string share = line.part == RssPart::kPinned ? "most by blocks of " : "most by ";
  return "; " + share + escaped(frame.name) + place + ", " + human_bytes(line.owner_bytes);
}

void put_parts(Parts& parts, const WhereRss& where, bool is_one_moment) {
  for (const RssLine& line : where.parts) {
    std::string what = label_of(line, where) + owner_of(line);
    if (line.bytes < 0) {
      parts.put_missing(static_cast<uint64_t>(-line.bytes), what);
    } else {
      parts.put_part(static_cast<uint64_t>(line.bytes), what);
    }
  }
  std::string sampled = ", as sampled " + human_duration(where.sample_time_ns) + " after the start";
  parts.put_part(where.rss_bytes, "resident memory (RSS)" + (is_one_moment ? "" : sampled));
}

void put_without_samples(Parts& parts, const WhereRss& where) {
  parts.put_part(where.live_bytes, "live: requested, in " + counted(where.live_blocks, "block"));
  if (where.glibc_model) {
    parts.put_part(where.rounding_bytes, "added by malloc to these blocks: headers, rounding");
  }
  parts.put_part(where.fragmentation_bytes,
                 "fragmentation: the rest of the pages that live blocks lie in");
}

std::string notes_of(const WhereRss& where) {
  std::string note =
      fmt::format("Live blocks lie in {} of {}.", counted(where.touched_pages, "page"),
                  human_bytes(where.page_bytes));
  if (!where.has_rss) note += " The ledger has no sample of the resident memory up to then.";
  if (!where.glibc_model) {
    note += " What the allocator adds to each block is not known for " +
            escaped(where.other_malloc) + ".";
  }
  if (where.has_look && where.look_time_ns < where.sample_time_ns) {
    note += " The mappings were looked at " + human_duration(where.look_time_ns) +
            " after the start; what has changed since then is counted as blocks and free memory.";
  }
  if (where.has_look && where.look_time_ns > where.sample_time_ns) {
    note += " The mappings were first looked at " + human_duration(where.look_time_ns) +
            " after the start; what had changed by then is counted as blocks and free memory.";
  }
  if (where.sample_most_bytes > where.rss_bytes + where.rss_bytes / 20) {
    note +=
        " Before this sample, while the program did not call the heap, the resident memory was " +
        human_bytes(where.sample_most_bytes) +
        " for a while; its parts at that time are not known.";
  }
  return note;
}

}  // namespace

std::string where_rss_text(Ledgers& ledgers, const Asked& asked, const Page& page) {
  WhereRss where = ledgers.where_rss(asked.question.at);
  Buffer to;
  put_programs(to, ledgers, page);
  Question when;
  when.at = where.at;
  Answer moment;
  moment.end_ns = where.time_ns;
  put_title(to, page, "where the resident memory goes " + moment_text(ledgers, when, moment));
  Parts parts(to, page, where.has_rss ? where.rss_bytes : 0);
  if (where.has_rss) {
    put_parts(parts, where, ledgers.overview().is_live());
  } else {
    put_without_samples(parts, where);
  }
  put(to, "\n{}\n", wrapped(notes_of(where), page.width));
  return page.finished(to);
}

}  // namespace heapledger::cli::report
