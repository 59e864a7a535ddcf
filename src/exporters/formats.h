// The functions behind the table of formats, each in the file of its name.
#pragma once

namespace heapledger {

class Output;
struct ExportRequest;

void write_collapsed(ExportRequest& request, Output& output);

}  // namespace heapledger
