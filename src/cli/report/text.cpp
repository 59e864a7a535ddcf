#include "cli/report/text.h"

#include "cli/report/views.h"

namespace heapledger::cli::report {
namespace {

std::string view_text(Ledgers& ledgers, const Asked& asked, const Page& page) {
  switch (asked.view) {
    case ReportView::kTable:
      return table_text(ledgers, asked, page);
    case ReportView::kTree:
      return tree_text(ledgers, asked, page);
    case ReportView::kBlocks:
      return blocks_text(ledgers, asked, page);
    case ReportView::kWhereRss:
      return where_rss_text(ledgers, asked, page);
    case ReportView::kOverview:
      break;
  }
  return overview_text(ledgers, asked, page);
}

}  // namespace

std::string report_text(Ledgers& ledgers, const Asked& asked, const Page& page) {
  Page drawn = page;
  drawn.unicode = true;  // until it is clipped
  std::string text = view_text(ledgers, asked, drawn);
  Buffer to;
  to.append(page.cut ? clipped(text, page.width) : text);
  return page.finished(to);
}

}  // namespace heapledger::cli::report
