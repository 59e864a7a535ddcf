// Hostile indexes that somebody has put into the user's cache folder: whatever the bytes, what is
// read back is a cube whose rows can be added up, or nothing. The first byte is how many accounts
// there are.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "analyzer/index/cube_store.h"

using namespace heapledger;

namespace {

constexpr size_t kMostRows = 4096;

void demand(bool truth) {
  if (!truth) abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const uint32_t accounts = data[0];
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::optional<Cube> cube = unpack_cube(bytes, accounts, kMostRows);
  if (!cube) return 0;
  Paged<Cell> cells;
  cells.grow_to(accounts);
  cube->add_live(cube->edges.count / 2, cells);
  const std::optional<uint32_t> half = cube->edges.count / 2, third = cube->edges.count / 3;
  if (cube->has_changes({}, half)) cube->add_range({}, half, cells);
  if (cube->has_changes(third, {})) cube->add_range(third, {}, cells);
  demand(cube->timeline({}).live_bytes.size() == cube->edges.count);
  for (const Lives* lives : {&cube->lives, &cube->all_lives}) {
    demand(lives->timeline({}).live_bytes.size() == lives->edges.count);
    Paged<Cell> by_thread;
    by_thread.grow_to(static_cast<uint32_t>(lives->threads.size()));
    const LifeWindow window{1, lives->edges.count / 2, lives->edges.count / 2};
    lives->count(
        window, {}, [](const LifeKey& key) { return key.thread; }, by_thread);
  }
  const std::optional<Cube> again = unpack_cube(pack_cube(*cube), accounts, kMostRows);
  demand(again && *again == *cube);
  return 0;
}
