#include "exporters/sqlite_sites.h"

#include <algorithm>
#include <utility>

#include "exporters/stacks.h"
#include "text/text.h"

namespace heapledger {
namespace {

// All that tells one frame from another.
std::string frame_key(const NamedFrame& frame) {
  std::string key;
  auto add = [&key](const auto& value) {
    key.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  add(frame.pc);
  add(frame.offset);
  add(frame.line);
  add(frame.inlined);
  for (const std::string* text : {&frame.name, &frame.file, &frame.module}) {
    add(text->size());
    key += *text;
  }
  return key;
}

}  // namespace

namespace {

int columns_of_accounts() {
  int columns = 6;  // the site, what is never freed, errors
  for (const FigureRow& row : figure_catalog()) columns += row.key.empty() ? 0 : 1;
  return columns;
}

}  // namespace

SqliteSites::SqliteSites(SqliteDatabase& database, ExportRequest& request,
                         const UnfreedBySite& unfreed)
    : request_(request),
      unfreed_(unfreed),
      modules_(database, "modules", 3),
      functions_(database, "functions", 2),
      frames_(database, "frames", 9),
      sites_(database, "sites", 3),
      stacks_(database, "stack", 3),
      accounts_(database, "accounts", columns_of_accounts()) {}

Figures SqliteSites::write() {
  write_modules();
  Question question = request_.question;
  question.by = GroupBy::kSite;
  question.tree = TreeShape::kNone;
  Answer answer = request_.ledgers.ask(question);
  // Tables grow only at their ends then.
  std::sort(answer.rows.begin(), answer.rows.end(),
            [](const Row& a, const Row& b) { return a.site < b.site; });
  for (const Row& row : answer.rows) {
    write_site(row.site);
    write_account(row.site, row.all);
  }
  return std::move(answer.totals);
}

void SqliteSites::write_account(uint32_t site, const Figures& figures) {
  const Unfreed* unfreed = unfreed_.of(site);
  accounts_.number(site);
  for (const FigureRow& row : figure_catalog()) {
    if (row.key.empty()) continue;
    accounts_.number_or_none(is_known(figures, row.measure), value_of(figures, row.measure));
  }
  accounts_.number(unfreed->bytes).number(unfreed->blocks);
  accounts_.real(figures.calls_error).real(figures.bytes_error).real(figures.live_error).add();
}

void SqliteSites::write_modules() {
  const SiteCatalog& catalog = request_.ledgers.sites();
  for (uint32_t i = SiteCatalog::kNoModule + 1; i < catalog.module_count(); ++i) {
    const SiteModule& module = catalog.module_at(i);
    modules_.number(i).text(module.path).text_or_none(hex_digits(module.build_id)).add();
    module_numbers_.try_emplace(module.path, i);
  }
}

void SqliteSites::write_site(uint32_t site) {
  const std::vector<NamedFrame> frames = frames_of(request_.ledgers, site);
  uint64_t depth = 0;
  for (const NamedFrame& frame : frames) {
    stacks_.number(site).number(depth++).number(frame_number(frame)).add();
  }
  NamedFrame blamed = request_.ledgers.first_interesting_frame(site);
  uint64_t frame = frame_number(blamed.name.empty() ? frames.front() : blamed);
  sites_.number(site).number(frame).number(depth).add();
}

uint64_t SqliteSites::frame_number(const NamedFrame& frame) {
  auto [found, is_new] = frame_numbers_.try_emplace(frame_key(frame), frame_numbers_.size() + 1);
  uint64_t number = found->second;
  if (!is_new) return number;
  uint64_t function = function_number(frame.name);
  frames_.number(number).number(function).text_or_none(frame.file);
  frames_.number_or_none(frame.line != 0, frame.line);
  auto module = module_numbers_.find(frame.module);
  bool has_module = !frame.module.empty() && module != module_numbers_.end();
  frames_.number_or_none(has_module, has_module ? module->second : 0);
  frames_.bits(frame.offset).bits(frame.pc).number(frame.inlined).number(frame.wrapper).add();
  return number;
}

uint64_t SqliteSites::function_number(const std::string& name) {
  auto [found, is_new] = function_numbers_.try_emplace(name, function_numbers_.size() + 1);
  uint64_t number = found->second;
  if (is_new) functions_.number(number).text(name).add();
  return number;
}

}  // namespace heapledger
