#include "cli/report_text.h"

#include "cli/report_views.h"

namespace heapledger {

std::string report_text(Ledgers& ledgers, const Asked& asked, const Page& page) {
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

}  // namespace heapledger
