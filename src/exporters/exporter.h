// What a foreign format is here: one file with one function that writes it, and one line in the
// table of formats.cpp. An exporter asks the ledgers, as every front end does, and computes no
// figure of its own; names are as hostile as the program that was recorded, and each format makes
// them harmless in its own way.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/query.h"
#include "exporters/metric.h"
#include "exporters/output.h"

namespace heapledger {

struct ExportRequest {
  Ledgers& ledgers;

  // The moment or the range, and the filter. The moment is that of the metric, if it has one.
  Question question;

  Metric metric;
  bool metric_given = false;  // otherwise a format may have a better one, or take several
  std::string separator = ";";
  bool entries = false;  // one row a call instead of one a site

  // Filled by the exporter: what it left out of a file that would be too large for its readers.
  std::vector<std::string> notes = {};

  // What is never freed is without these, as in a report.
  Suppressions suppressions = Suppressions::built_in();

  std::string folder = {};  // where tables go that are several files
};

// Which of the words of `export` mean something to a format; others are refused.
struct Takes {
  bool metric = false;        // one value for each stack, of the user's choice
  bool moment = false;        // a moment, or a range
  bool range = false;         // a range, and no moment
  bool separator = false;     // between the functions of a stack
  bool entries = false;       // a row for each call
  bool suppressions = false;  // has what is never freed, less what is accepted
};

struct Exporter {
  std::string_view name;
  std::string_view extension;  // of the file, when none is named
  std::string_view what;       // for people: what it is, and who reads it
  bool is_text = true;         // can go to a terminal
  bool needs_file = false;     // cannot go to a pipe
  bool makes_folder = false;   // several files, in ExportRequest::folder
  Takes takes;
  void (*write)(ExportRequest& request, Output& output) = nullptr;
};

std::span<const Exporter> exporters();

// Throws Error that names the nearest.
const Exporter& exporter_named(std::string_view name);

}  // namespace heapledger
