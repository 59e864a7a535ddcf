#include "analyzer/query/difference_stacks.h"

namespace heapledger {
namespace {

constexpr size_t kMostNodes = 4097;

// So that no name can be mistaken for two.
std::string joined(const std::string& first, const std::string& second) {
  return std::to_string(first.size()) + ":" + first + second;
}

bool is_mark(const NamedFrame& frame) {
  return frame.module.empty() && frame.function.empty() && frame.name.starts_with('[');
}

}  // namespace

DifferenceStacks::DifferenceStacks(Ledgers& before, Ledgers& after, DifferenceBuilds& builds,
                                   GroupBy by)
    : builds_(builds), by_(by) {
  sides_[0].ledgers = &before;
  sides_[1].ledgers = &after;
  for (size_t i : {0u, 1u}) {
    sides_[i].code = &codes_[builds.same_ledgers() ? 0 : i];
    sides_[i].code->stacks.resize(sides_[i].ledgers->sites().size());
  }
}

DifferenceStacks::Frame DifferenceStacks::frame_keys(size_t side, const NamedFrame& frame) {
  Frame keys;
  const bool named = !frame.function.empty();
  const std::string name = named ? frame.function : builds_.unnamed(side, frame.name, frame.module);
  const std::string whole = joined(name, named ? base_name_of(frame.file) : "");
  keys.whole = numbers_.text("whole " + whole);
  keys.lined = numbers_.text("lined " + joined(whole, std::to_string(frame.line)));
  keys.name = numbers_.text("name " + name);
  keys.plain = numbers_.text("plain " + (named ? plain_function(name) : name));
  keys.line = frame.line;
  keys.own = !frame.wrapper && !is_mark(frame);
  keys.code = named || !frame.module.empty();
  keys.moved = !builds_.agree(frame.module);
  return keys;
}

// What is at one address, the innermost first: those inlined there, and the function itself.
const std::vector<DifferenceStacks::Frame>& DifferenceStacks::frames_at(size_t number,
                                                                        uint32_t site) {
  Side& side = sides_[number];
  const SiteCatalog& catalog = side.ledgers->sites();
  const CodePlace place{catalog.address_of(site), catalog.module_of(site)};
  auto [found, is_new] = side.code->places.try_emplace(place);
  if (!is_new) return found->second;
  for (const NamedFrame& frame : side.ledgers->frames(site)) {
    found->second.push_back(frame_keys(number, frame));
    if (!frame.inlined) break;
  }
  return found->second;
}

// Callers are shared by many sites, so every frame of the tree is looked at once. Frame by frame:
// whether one is inlined into the next may differ from build to build.
DifferenceStacks::Keys DifferenceStacks::keys_of(size_t number, uint32_t site) {
  const SiteCatalog& catalog = sides_[number].ledgers->sites();
  std::vector<Keys>& stacks = sides_[number].code->stacks;
  std::vector<uint32_t> open;
  Keys keys;
  for (uint32_t at = site; catalog.has_frame(at) && open.size() < kMostNodes;) {
    if (stacks[at].known) {
      keys = stacks[at];
      break;
    }
    open.push_back(at);
    at = catalog.parent_of(at);
  }
  for (size_t i = open.size(); i-- > 0;) {
    const std::vector<Frame>& frames = frames_at(number, open[i]);
    for (size_t f = frames.size(); f-- > 0;) add_frame(frames[f], keys);
    keys.known = true;
    stacks[open[i]] = keys;
  }
  return keys;
}

void DifferenceStacks::add_frame(const Frame& frame, Keys& keys) {
  keys.whole = numbers_.pair(keys.whole, frame.whole);
  keys.moved = keys.moved || frame.moved;
  if (!frame.own) return;
  keys.lined = numbers_.pair(keys.lined, frame.lined);
  if (builds_.same_ledgers()) return;
  keys.names = numbers_.pair(keys.names, frame.name);
  keys.plain = numbers_.pair(keys.plain, frame.plain);
}

// The owner, as in Frame::lined, where that alone says which row a stack is in: by owner, in the
// same ledgers, and the first of the program's own frames is the one to blame. 0: it does not.
uint32_t DifferenceStacks::owner_at(size_t number, uint32_t site) {
  if (by_ != GroupBy::kOwner || !builds_.same_ledgers()) return 0;
  const SiteCatalog& catalog = sides_[number].ledgers->sites();
  for (size_t depth = 0; catalog.has_frame(site) && depth < kMostNodes; ++depth) {
    for (const Frame& frame : frames_at(number, site)) {
      if (!frame.code) return 0;
      if (frame.own) return frame.lined;
    }
    site = catalog.parent_of(site);
  }
  return 0;
}

uint32_t DifferenceStacks::unit_of(size_t number, const Row& row) {
  Side& side = sides_[number];
  Keys keys;
  if (by_ == GroupBy::kLine) {
    keys.whole = numbers_.text("line " + row.name);
  } else if (keys.lined = owner_at(number, row.site); keys.lined == 0) {
    keys = keys_of(number, row.site);
    if (keys.whole == 0) keys.whole = numbers_.text("no stack");
  }
  const uint64_t unit = uint64_t{keys.whole} << 32 | keys.lined;
  auto [found, is_new] = side.units.try_emplace(unit, static_cast<uint32_t>(units_.size()));
  if (is_new) units_.push_back(make_unit(number, row, keys));
  return found->second;
}

DifferenceStacks::Frame DifferenceStacks::blamed_keys(size_t number, const Row& row) {
  NamedFrame blamed;
  blamed.name = row.name;
  blamed.function = row.function;
  blamed.file = row.file;
  blamed.line = row.line;
  blamed.module = row.module;
  return frame_keys(number, blamed);
}

MatchUnit DifferenceStacks::make_unit(size_t number, const Row& row, const Keys& keys) {
  MatchUnit unit;
  unit.side = static_cast<uint8_t>(number);
  unit.line = row.line;
  if (by_ == GroupBy::kSite) {
    unit.moved = keys.moved;
    unit.owner = keys.whole;
    if (!unit.moved) {
      unit.keys[0] = keys.whole;
      return unit;
    }
    read_stack(number, row.site, unit);
    unit.keys = {0,
                 keys.whole,
                 numbers_.pair(keys.names, unit.entry),
                 numbers_.pair(keys.plain, unit.entry),
                 keys.names,
                 keys.plain};
    return unit;
  }
  const Frame frame = blamed_keys(number, row);
  unit.moved = frame.moved;
  if (by_ == GroupBy::kLine) {
    unit.owner = keys.whole;
    unit.keys = {unit.moved ? 0 : keys.whole, frame.whole, frame.name, frame.plain, frame.name, 0};
    return unit;
  }
  unit.owner = frame.lined;
  if (!unit.moved) {
    unit.keys[0] = frame.lined;
    return unit;
  }
  read_stack(number, row.site, unit);
  unit.keys = {0,
               numbers_.pair(frame.whole, unit.entry),
               numbers_.pair(frame.name, unit.entry),
               numbers_.pair(frame.plain, unit.entry),
               frame.name,
               frame.plain};
  return unit;
}

void DifferenceStacks::read_stack(size_t number, uint32_t site, MatchUnit& unit) {
  const SiteCatalog& catalog = sides_[number].ledgers->sites();
  for (size_t depth = 0; catalog.has_frame(site) && depth < kMostNodes; ++depth) {
    for (const Frame& frame : frames_at(number, site)) {
      if (frame.own) unit.chain.push_back({frame.name, frame.line});
      if (unit.chain.empty()) unit.entry = frame.plain;
    }
    site = catalog.parent_of(site);
  }
}

}  // namespace heapledger
