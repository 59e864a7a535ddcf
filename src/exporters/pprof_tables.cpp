#include "exporters/pprof_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "exporters/stacks.h"
#include "format/entry.h"
#include "text/text.h"

namespace heapledger::pprof {
namespace {

// What is in no module: code made at run time, and marks where a stack ends early. pprof takes
// names in brackets for no file.
constexpr std::string_view kNoFile = "[no module]";

std::string as_hex(std::string_view bytes) {
  std::string digits;
  for (char byte : bytes) digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return digits;
}

// How many of the frames, from the first, are at its address: functions inlined there, and the one
// that they are inlined into.
size_t frames_at_first_address(const std::vector<NamedFrame>& frames) {
  size_t count = 1;
  while (count < frames.size() && frames[count - 1].inlined && frames[count].pc == frames[0].pc) {
    ++count;
  }
  return count;
}

}  // namespace

Tables::Tables(Ledgers& ledgers, ProfileWriter& writer) : ledgers_(ledgers), writer_(writer) {
  text("");
  place_modules();
  const SiteCatalog& catalog = ledgers_.sites();
  const std::string& program = ledgers_.facts().front().executable;
  for (uint32_t module = 1; module < catalog.module_count(); ++module) {
    if (catalog.module_at(module).path == program) {
      mapping_of(module);
      return;
    }
  }
  add_mapping({}, text(escaped(program)), "");
}

void Tables::place_modules() {
  const SiteCatalog& catalog = ledgers_.sites();
  tsl::robin_map<std::string, Placement> known;
  for (const LedgerFacts& facts : ledgers_.facts()) {
    for (const ModuleFacts& module : facts.modules) {
      known.try_emplace(module.path + '\0' + module.build_id,
                        Placement{module.start, module.end, module.bias});
    }
  }
  placements_.resize(catalog.module_count());
  mappings_.resize(catalog.module_count());
  for (uint32_t module = 1; module < catalog.module_count(); ++module) {
    const SiteModule& named = catalog.module_at(module);
    auto found = known.find(named.path + '\0' + named.build_id);
    if (found != known.end()) placements_[module] = found->second;
  }
}

int64_t Tables::text(std::string_view text) {
  auto found = text_numbers_.find(text);
  if (found != text_numbers_.end()) return found->second;
  auto number = static_cast<int64_t>(texts_.size());
  text_numbers_.emplace(texts_.emplace_back(text), number);
  return number;
}

void Tables::write_texts() {
  for (const std::string& text : texts_) {
    writer_.fields().add_string(Profile::kString, text);
    writer_.flush_if_large();
  }
}

uint64_t Tables::add_mapping(const Placement& placement, int64_t file, std::string_view build_id) {
  int64_t id_text = text(as_hex(build_id));
  Builder<Mapping> mapping(writer_.fields(), Profile::kMapping);
  mapping.add_uint64(Mapping::kId, ++mapping_count_);
  mapping.add_uint64(Mapping::kStart, placement.start);
  mapping.add_uint64(Mapping::kLimit, placement.end);
  mapping.add_int64(Mapping::kFile, file);
  mapping.add_int64(Mapping::kBuildId, id_text);
  // All names that can be had are here: pprof need not look for the files.
  for (Mapping has :
       {Mapping::kHasFunctions, Mapping::kHasFiles, Mapping::kHasLines, Mapping::kHasInlined}) {
    mapping.add_bool(has, true);
  }
  return mapping_count_;
}

uint64_t Tables::mapping_of(uint32_t module) {
  if (mappings_[module] != 0) return mappings_[module];
  const SiteModule& named = ledgers_.sites().module_at(module);
  int64_t file = text(module == SiteCatalog::kNoModule ? kNoFile : escaped(named.path));
  return mappings_[module] = add_mapping(placements_[module], file, named.build_id);
}

uint64_t Tables::function_of(const NamedFrame& frame) {
  int64_t name = text(escaped(frame.name));
  int64_t file = text(escaped(frame.file));
  Key key{static_cast<uint64_t>(name), static_cast<uint64_t>(file)};
  auto [place, is_new] = functions_.try_emplace(key, functions_.size() + 1);
  if (is_new) {
    // No system_name: where it is the same as the name, pprof takes the name for one to shorten.
    Builder<Function> function(writer_.fields(), Profile::kFunction);
    function.add_uint64(Function::kId, place->second);
    function.add_int64(Function::kName, name);
    function.add_int64(Function::kFile, file);
  }
  return place->second;
}

uint64_t Tables::add_location(uint32_t module, uint64_t address,
                              std::span<const NamedFrame> frames) {
  uint64_t mapping = mapping_of(module);
  std::vector<uint64_t> functions;
  for (const NamedFrame& frame : frames) functions.push_back(function_of(frame));
  Builder<Location> location(writer_.fields(), Profile::kLocation);
  location.add_uint64(Location::kId, ++location_count_);
  location.add_uint64(Location::kMapping, mapping);
  location.add_uint64(Location::kAddress, address);
  for (size_t i = 0; i < frames.size(); ++i) {
    Builder<Line> line(location, Location::kLine);
    line.add_uint64(Line::kFunction, functions[i]);
    line.add_int64(Line::kLine, frames[i].line);
  }
  return location_count_;
}

uint64_t Tables::location_of(uint32_t node) {
  const SiteCatalog& catalog = ledgers_.sites();
  uint32_t module = catalog.module_of(node);
  auto [place, is_new] = locations_.try_emplace(Key{catalog.address_of(node), module}, 0);
  if (!is_new) return place->second;
  uint64_t address = catalog.address_of(node) + placements_[module].bias;
  bool is_mark = catalog.named_call_of(node) != nullptr ||
                 (module == SiteCatalog::kNoModule && address < format::kFirstCode);
  // The stack from there on; what is at this address comes first.
  std::vector<NamedFrame> frames = ledgers_.frames(node);
  uint64_t location = add_location(module, is_mark ? 0 : address - 1,
                                   std::span(frames).first(frames_at_first_address(frames)));
  return place.value() = location;
}

uint64_t Tables::location_without_stack() {
  if (without_stack_ == 0) {
    std::vector<NamedFrame> frames = frames_of(ledgers_, SiteCatalog::kRoot);
    without_stack_ = add_location(SiteCatalog::kNoModule, 0, frames);
  }
  return without_stack_;
}

void Tables::locations_of(uint32_t site, std::vector<uint64_t>& locations) {
  const SiteCatalog& catalog = ledgers_.sites();
  locations.clear();
  size_t depth = catalog.frames(site).size();
  for (uint32_t node = site; locations.size() < depth; node = catalog.parent_of(node)) {
    locations.push_back(location_of(node));
  }
  if (locations.empty()) locations.push_back(location_without_stack());
  writer_.flush_if_large();
}

}  // namespace heapledger::pprof
