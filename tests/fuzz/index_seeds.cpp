// Writes the seeds of index_fuzzer into a folder: cubes as they are kept, each after a byte that
// says how many accounts there are.
//
//   index_seeds FOLDER
#include <algorithm>
#include <cstdint>
#include <string>

#include "analyzer/index/cube_store.h"
#include "seed_folder.h"

using namespace heapledger;

namespace {

constexpr uint32_t kAccounts = 20;

Cube cube_of(uint32_t edges, uint32_t rows) {
  Cube cube;
  cube.edges = cube.change_edges = {uint64_t{1024} * edges, edges};
  std::vector<Stay> stays;
  for (uint32_t i = 0; i < rows; ++i) {
    const auto birth = static_cast<uint16_t>(i * edges / rows);
    const auto death = static_cast<uint16_t>((birth + edges) / 2);
    stays.push_back({i % kAccounts, birth,
                     static_cast<uint16_t>(death | (i % 3 == 0 ? Stay::kLeft : 0)), i, i * 100});
    cube.changes.push_back(
        {i % kAccounts, birth, i, i / 2, i / 2, i % 5, i * 100, i * 50, 16, 4096});
    cube.rare_changes.push_back({{0, i, i / 4, i * 20}, i % kAccounts, birth});
  }
  auto sort = [](auto& list) {
    std::sort(list.begin(), list.end(),
              [](const auto& a, const auto& b) { return a.place() < b.place(); });
  };
  Lives& lives = cube.lives;
  std::vector<Life> told;
  lives.edges = cube.edges;
  lives.threads = {{0, 0}, {0, 1}, {1, 0}};
  for (const Stay& stay : stays) {
    const LifeKey key{stay.birth, stay.death, stay.account, stay.account % 3, 5, 3};
    const auto blocks = static_cast<uint32_t>(stay.blocks);
    told.push_back({key, blocks, blocks / 2, blocks / 3, stay.bytes, 16, 31});
    lives.resizes.push_back({key, {0, stay.blocks, 1, 16}});
    lives.spreads.push_back({key, 1.5, 100.25, 1000});
    cube.spreads.push_back({{stay.birth, stay.death, stay.account}, 1.5, 100.25, 1000});
  }
  sort(told);
  lives.lives = told;
  sort(lives.resizes);
  sort(lives.spreads);
  sort(cube.spreads);
  sort(stays);
  cube.stays = stays;
  sort(cube.changes);
  sort(cube.rare_changes);
  return cube;
}

}  // namespace

int main(int argc, char** argv) {
  const heapledger::fuzz::SeedFolder seeds(argc, argv);
  const std::string accounts(1, static_cast<char>(kAccounts));
  seeds.write("empty", accounts + pack_cube(cube_of(1, 0)));
  seeds.write("few", accounts + pack_cube(cube_of(8, 5)));
  seeds.write("many", accounts + pack_cube(cube_of(500, 300)));
  return 0;
}
