#include "cli/report/maps.h"

#include <algorithm>

#include "cli/pages/json_parts.h"
#include "cli/pages/stack.h"
#include "text/text.h"

namespace heapledger::cli::report {

void put_mappings(Buffer& to, Ledgers& ledgers, size_t sites, size_t frames, const Page& page) {
  const MappingFacts& facts = ledgers.analysis().mappings;
  if (!facts.recorded) return;
  put_title(to, page,
            fmt::format("mapped by the program: {} at the most, {} at the end",
                        human_bytes(facts.peak_bytes), human_bytes(facts.end_bytes)));
  put_wrapped(to, page,
              fmt::format("{} mapped and {} unmapped by mmap {}, munmap {}, mremap {}, brk {}",
                          human_bytes(facts.mapped_bytes), human_bytes(facts.unmapped_bytes),
                          with_commas(facts.map_calls), with_commas(facts.unmap_calls),
                          with_commas(facts.remap_calls), with_commas(facts.break_calls)),
              2);
  for (size_t i = 0; i < std::min(sites, facts.sites.size()); ++i) {
    const MappedSite& site = facts.sites[i];
    put_frames(to, ledgers.frames(site.site), frames, page,
               fmt::format("  {:>10} {:>12} {:>10} at the end  ", human_bytes(site.peak_bytes),
                           counted(site.calls, "call"), human_bytes(site.end_bytes)));
  }
  if (facts.sites.size() > sites) {
    put(to, "  {}\n",
        page.style.dim(fmt::format("… and {}", counted(facts.sites.size() - sites, "other site"))));
  }
}

Json mappings_json(Ledgers& ledgers) {
  const MappingFacts& facts = ledgers.analysis().mappings;
  Json json;
  json["mmap_calls"] = facts.map_calls;
  json["munmap_calls"] = facts.unmap_calls;
  json["mremap_calls"] = facts.remap_calls;
  json["brk_calls"] = facts.break_calls;
  json["mapped_bytes"] = facts.mapped_bytes;
  json["unmapped_bytes"] = facts.unmapped_bytes;
  json["peak_bytes"] = facts.peak_bytes;
  json["peak_time_ns"] = facts.peak_time_ns;
  json["end_bytes"] = facts.end_bytes;
  json["sites"] = Json::array();
  for (const MappedSite& site : facts.sites) {
    Json one;
    one["calls"] = site.calls;
    one["bytes"] = site.bytes;
    one["peak_bytes"] = site.peak_bytes;
    one["end_bytes"] = site.end_bytes;
    one["frames"] = frames_json(ledgers.frames(site.site));
    json["sites"].push_back(std::move(one));
  }
  return json;
}

}  // namespace heapledger::cli::report
