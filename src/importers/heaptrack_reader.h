// Recordings of heaptrack, raw ones (what the recorded program wrote) and interpreted ones (with
// names, which is what heaptrack leaves behind). Raw ones have addresses of blocks and the places
// of modules; interpreted ones have names, and for each block only its size and trace: which of
// several blocks like it ends is not known, and the one allocated last is taken, as heaptrack does.
//
// Memory grows with traces and names, and with the blocks that are live.
#pragma once

#include <tsl/robin_set.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "importers/heaptrack_line.h"
#include "importers/importer.h"
#include "importers/line_source.h"
#include "importers/made_up_addresses.h"
#include "symbols/symbol_table.h"
#include "writer/ledger_writer.h"

namespace heapledger {

class HeaptrackReader {
 public:
  HeaptrackReader(LineSource& lines, LedgerWriter& ledger) : lines_(lines), ledger_(ledger) {}

  // `first` is the first line, which has been read already.
  Imported read(std::string_view first, uint64_t ended_ns, const ImportProgress& progress);

  static bool is_first_line(std::string_view line);

 private:
  enum class Form { kUnknown, kRaw, kInterpreted };

  struct Address {  // an instruction pointer of an interpreted file
    uint64_t pc = 0;
    uint32_t module = 0;
  };
  struct Alike {  // blocks of one size from one trace
    uint64_t size = 0;
    uint32_t trace = 0;
    std::vector<uint64_t> live;  // addresses
  };
  struct RawModule {
    uint64_t end = 0;
    uint32_t id = 0;
  };

  [[noreturn]] void fail(const std::string& what) const;
  uint64_t number(HeaptrackLine& line) const;
  void expect(Form form);
  void use(HeaptrackLine& line);

  void version(HeaptrackLine& line);
  void text(HeaptrackLine& line);
  void address(HeaptrackLine& line);
  void trace(HeaptrackLine& line);
  void info(HeaptrackLine& line);
  void allocation(HeaptrackLine& line);
  void end(HeaptrackLine& line);
  bool end_interpreted(uint64_t info);
  void module(HeaptrackLine& line);
  void command(std::string_view text);
  void resident(uint64_t pages);

  const std::string& text_at(uint64_t number) const;
  uint32_t module_for(const std::string& path);
  uint32_t new_module(uint64_t start, uint64_t end, uint64_t bias, std::string_view path);

  LineSource& lines_;
  LedgerWriter& ledger_;
  Imported imported_;
  Form form_ = Form::kUnknown;
  bool sized_texts_ = false;
  uint32_t page_bytes_ = 4096;
  std::string executable_;

  uint32_t traces_ = 0;  // so many; a trace is a site of the same number
  uint32_t modules_ = 0;

  // Interpreted.
  std::vector<std::string> texts_ = {""};
  uint64_t text_bytes_ = 0;
  std::vector<Address> addresses_ = {{}};
  std::vector<size_t> infos_;                                     // places in `alike_`
  std::map<std::pair<uint64_t, uint64_t>, size_t> alike_places_;  // by size and trace
  std::vector<Alike> alike_;
  uint64_t last_birth_ = UINT64_MAX;  // what it said, if that was the last thing to happen
  std::map<std::string, uint32_t> module_ids_;
  SymbolTable symbols_;
  MadeUpAddresses made_up_;

  // Raw.
  std::map<uint64_t, RawModule> places_;         // by where they begin
  tsl::robin_set<uint64_t, SpreadHash> blocks_;  // addresses of live ones
};

}  // namespace heapledger
