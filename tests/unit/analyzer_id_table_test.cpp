// Numbers in order, far apart, and both: the table holds what a map would hold.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "analyzer/id_table.h"

namespace heapledger {
namespace {

TEST(IdTable, HoldsWhatAMapHolds) {
  std::mt19937 random(1);
  IdTable table;
  std::map<uint32_t, uint32_t> model;
  auto set = [&](uint32_t id) {
    const auto value = static_cast<uint32_t>(random());
    table.set(id, value);
    model[id] = value;
  };
  // Some far beyond, which the array reaches only later: it is to take them over then.
  for (uint32_t id : {5u, 1'500'000u, 3'000'000u, 2'999'999u, 0u, UINT32_MAX}) set(id);
  for (uint32_t id = 0; id < 4'000'000; id += 1 + static_cast<uint32_t>(random()) % 4) set(id);
  for (int i = 0; i < 1000; ++i) set(static_cast<uint32_t>(random()));
  for (const auto& [id, value] : model) ASSERT_EQ(table.find(id), value) << id;
  for (int i = 0; i < 100'000; ++i) {
    const auto id = static_cast<uint32_t>(random());
    ASSERT_EQ(table.find(id), model.contains(id) ? model[id] : IdTable::kNone) << id;
  }
}

}  // namespace
}  // namespace heapledger
