#include "exporters/picture_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/text.h"

namespace heapledger {
namespace {

constexpr size_t kLongestName = 1000;

std::string program_of(Ledgers& ledgers) {
  const std::vector<LedgerFacts>& facts = ledgers.facts();
  if (facts.empty()) return "no ledger";
  const LedgerFacts& first = facts.front();
  std::string name(base_name(first.executable));
  if (name.empty() && !first.command.empty()) name = base_name(first.command.front());
  if (name.empty()) name = "program";
  if (facts.size() > 1) name += fmt::format(" and {}", counted(facts.size() - 1, "other process"));
  return name;
}

bool is_sampled(Ledgers& ledgers) {
  const std::vector<LedgerFacts>& facts = ledgers.facts();
  return std::any_of(facts.begin(), facts.end(),
                     [](const LedgerFacts& one) { return one.sampled; });
}

}  // namespace

PictureHeading heading_of(ExportRequest& request, const PictureRequest& picture, uint64_t total) {
  PictureHeading heading;
  heading.title = shown_name(picture.title.empty() ? program_of(request.ledgers) : picture.title);
  bool counts = row_of(request.metric.measure).unit == FigureUnit::kCount;
  heading.what = fmt::format("{}: {}", describe(request.metric, request.question),
                             counts ? with_commas(total) : exact_text(total, request.metric));
  if (is_sampled(request.ledgers)) heading.what += ", estimated from samples";
  if (!picture.filter.empty()) heading.what += "; only " + picture.filter;
  heading.what = shown_name(heading.what);
  return heading;
}

std::string value_text(uint64_t value, Metric metric) {
  std::string_view unit = unit_of(metric);
  if (unit == "bytes") return human_bytes(value);
  if (unit == "nanoseconds") return human_duration(value);
  return counted(value, unit == "blocks" ? "block" : "call");
}

std::string exact_text(uint64_t value, Metric metric) {
  std::string text = value_text(value, metric);
  if (unit_of(metric) != "bytes" || value < 1024) return text;
  return fmt::format("{} ({} bytes)", text, with_commas(value));
}

std::string share_text(double share) {
  return fmt::format("{:.4g}%", share * 100);
}

std::string shown_name(std::string_view name) {
  return cut_text(printable(name), kLongestName);
}

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace heapledger
