// The functions behind the table of formats, each in the file of its name.
#pragma once

namespace heapledger {

class Output;
struct ExportRequest;

void write_collapsed(ExportRequest& request, Output& output);
void write_pprof(ExportRequest& request, Output& output);
void write_speedscope(ExportRequest& request, Output& output);
void write_tsv(ExportRequest& request, Output& output);
void write_csv(ExportRequest& request, Output& output);
void write_json(ExportRequest& request, Output& output);
void write_sqlite(ExportRequest& request, Output& output);
void write_parquet(ExportRequest& request, Output& output);
void write_heaptrack(ExportRequest& request, Output& output);
void write_firefox(ExportRequest& request, Output& output);
void write_massif(ExportRequest& request, Output& output);
void write_callgrind(ExportRequest& request, Output& output);
void write_dhat(ExportRequest& request, Output& output);
void write_dot(ExportRequest& request, Output& output);
void write_svg(ExportRequest& request, Output& output);
void write_pdf(ExportRequest& request, Output& output);
void write_ps(ExportRequest& request, Output& output);

}  // namespace heapledger
