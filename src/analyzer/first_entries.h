// A look at the entries at the beginning of a ledger's windows, ahead of reading it in order: where
// the facts about the process are, and clock pairs. Bounded, whatever the size of the ledger.
#pragma once

#include <cstddef>

#include "analyzer/ledger_file.h"
#include "format/entry_decoder.h"

namespace heapledger {

// Calls `use` with every entry of the first filling of the first windows.
template <typename Use>
void for_first_entries(LedgerFile& file, Use&& use) {
  constexpr size_t kWindows = 16;
  size_t left = kWindows;
  for (WindowExtents blocks : file.index().windows()) {
    if (left-- == 0) return;
    size_t places = 1;
    while (places < blocks.size() && blocks[places].seq == blocks[0].seq) ++places;
    Payload payload;
    if (!file.load_quietly(blocks.first(places), payload)) continue;
    format::EntryDecoder decoder(payload.bytes.data(), payload.bytes.data() + payload.bytes.size(),
                                 payload.base_time);
    for (format::Entry entry; decoder.next(entry);) use(entry);
  }
}

}  // namespace heapledger
