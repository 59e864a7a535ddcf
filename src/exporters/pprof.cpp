// pprof's profile.proto, compressed: for every site what it allocated in all and what of it was in
// use at the moment. Sampled ledgers give their estimates, which must not be scaled again.
#include <heapledger.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "exporters/formats.h"
#include "exporters/pprof_drop.h"
#include "exporters/pprof_tables.h"
#include "exporters/stacks.h"
#include "text/text.h"

namespace heapledger {
namespace pprof {
namespace {

void write_type(Profile field, std::string_view type, std::string_view unit, Tables& tables,
                ProfileWriter& writer) {
  int64_t type_text = tables.text(type);
  int64_t unit_text = tables.text(unit);
  Builder<ValueType> value_type(writer.fields(), field);
  value_type.add_int64(ValueType::kType, type_text);
  value_type.add_int64(ValueType::kUnit, unit_text);
}

// The order of the values of every sample, that of Go's heap profiles.
void write_types(Tables& tables, ProfileWriter& writer) {
  write_type(Profile::kSampleType, "alloc_objects", "count", tables, writer);
  write_type(Profile::kSampleType, "alloc_space", "bytes", tables, writer);
  write_type(Profile::kSampleType, "inuse_objects", "count", tables, writer);
  write_type(Profile::kSampleType, "inuse_space", "bytes", tables, writer);
  writer.fields().add_int64(Profile::kDefaultSampleType, tables.text("inuse_space"));
}

std::array<int64_t, 4> values_of(const Figures& figures) {
  return {static_cast<int64_t>(figures.calls), static_cast<int64_t>(figures.bytes),
          static_cast<int64_t>(figures.live_blocks), static_cast<int64_t>(figures.live_bytes)};
}

void write_samples(const std::vector<Row>& rows, Ledgers& ledgers, Tables& tables,
                   ProfileWriter& writer) {
  std::vector<uint64_t> locations;
  DroppedFrames dropped;
  for (const Row& row : rows) {
    std::array<int64_t, 4> values = values_of(row.all);
    if (std::count(values.begin(), values.end(), 0) == 4) continue;
    tables.locations_of(row.site, locations);
    std::vector<NamedFrame> frames = ledgers.frames(row.site);
    dropped.add(frames, owner_place(ledgers, row.site, frames));
    Builder<Sample> sample(writer.fields(), Profile::kSample);
    sample.add_packed_uint64(Sample::kLocations, locations.begin(), locations.end());
    sample.add_packed_int64(Sample::kValues, values.begin(), values.end());
  }
  writer.fields().add_int64(Profile::kDropFrames, tables.text(dropped.pattern()));
}

// How far apart samples are. Readers show it and must not use it: the values are whole.
uint64_t period_of(const std::vector<LedgerFacts>& ledgers) {
  for (const LedgerFacts& facts : ledgers) {
    if (facts.sampled && facts.sample_bytes > 0) return facts.sample_bytes;
  }
  return 1;
}

void write_times(const ExportRequest& request, const Answer& answer, ProfileWriter& writer) {
  uint64_t start = UINT64_MAX;
  for (const LedgerFacts& facts : request.ledgers.facts()) {
    start = std::min(start, facts.start_wall_ns);
  }
  uint64_t duration = request.ledgers.duration_ns();
  if (request.question.between) {
    start += answer.begin_ns;
    duration = answer.end_ns - answer.begin_ns;
  }
  writer.fields().add_int64(Profile::kTime, static_cast<int64_t>(start));
  writer.fields().add_int64(Profile::kDuration, static_cast<int64_t>(duration));
}

void write_comments(const ExportRequest& request, Tables& tables, ProfileWriter& writer) {
  const std::vector<LedgerFacts>& ledgers = request.ledgers.facts();
  std::string command = shell_words(ledgers.front().command);
  if (ledgers.size() > 1) {
    command += " (and " + counted(ledgers.size() - 1, "more process") + ")";
  }
  std::string made_by = "heapledger " HEAPLEDGER_VERSION ", inuse: ";
  for (const std::string& comment :
       {printable(command), made_by + printable(describe(Metric{}, request.question))}) {
    writer.fields().add_int64(Profile::kComment, tables.text(comment));
  }
}

}  // namespace
}  // namespace pprof

void write_pprof(ExportRequest& request, Output& output) {
  output.pack(Packing::kGzip);  // pprof takes it whatever the file is called
  Answer answer = ask_by_site(request);
  pprof::ProfileWriter writer(output);
  pprof::Tables tables(request.ledgers, writer);
  pprof::write_types(tables, writer);
  pprof::write_times(request, answer, writer);
  pprof::write_comments(request, tables, writer);
  pprof::write_type(pprof::Profile::kPeriodType, "space", "bytes", tables, writer);
  writer.fields().add_int64(pprof::Profile::kPeriod,
                            static_cast<int64_t>(pprof::period_of(request.ledgers.facts())));
  pprof::write_samples(answer.rows, request.ledgers, tables, writer);
  tables.write_texts();
  writer.flush();
}

}  // namespace heapledger
