// A cube comes back from its bytes as it was, and other bytes give none.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "analyzer/index/cube_store.h"

namespace heapledger {
namespace {

constexpr uint32_t kAccounts = 50;
constexpr size_t kManyRows = 10'000;

template <typename Row>
void sort_rows(std::vector<Row>& rows) {
  std::sort(rows.begin(), rows.end(),
            [](const Row& a, const Row& b) { return a.place() < b.place(); });
}

Lives random_lives(std::mt19937_64& random, uint32_t accounts) {
  auto below = [&random](uint64_t bound) { return random() % bound; };
  auto any = [&random] { return random() >> (random() % 64); };
  Lives lives;
  if (below(4) == 0) return lives;
  lives.edges = {4096, static_cast<uint32_t>(1 + below(500))};
  for (uint64_t i = 0, threads = 1 + below(5); i < threads; ++i) {
    lives.threads.emplace_back(static_cast<uint32_t>(i % 2), static_cast<uint32_t>(i));
  }
  auto key = [&](bool any_lifetime) {
    LifeKey made;
    made.birth = static_cast<uint16_t>(below(lives.edges.count));
    made.death = static_cast<uint16_t>(made.birth + below(lives.edges.count - made.birth));
    if (below(3) == 0) made.death |= kLeftBit;
    made.account = static_cast<uint32_t>(below(accounts));
    made.thread = static_cast<uint32_t>(below(lives.threads.size()));
    made.size_class = static_cast<uint8_t>(below(65));
    made.lifetime_class = static_cast<uint8_t>(below(13));
    if (any_lifetime && below(2) == 0) made.lifetime_class = LifeKey::kAnyLifetime;
    return made;
  };
  std::vector<Life> rows_of_lives;
  for (uint64_t i = 0, rows = below(200); i < rows; ++i) {
    rows_of_lives.push_back({key(false), static_cast<uint32_t>(any()), static_cast<uint32_t>(any()),
                             static_cast<uint32_t>(any()), any(), any(), any()});
    lives.resizes.push_back({key(true), {any(), any(), any(), any()}});
    lives.spreads.push_back(
        {key(true), static_cast<double>(any()) / 3, static_cast<double>(any()) / 7, any()});
  }
  sort_rows(rows_of_lives);
  lives.lives = rows_of_lives;
  sort_rows(lives.resizes);
  sort_rows(lives.spreads);
  return lives;
}

Cube random_cube(uint64_t seed) {
  std::mt19937_64 random(seed);
  auto below = [&random](uint64_t bound) { return random() % bound; };
  auto any = [&random] { return random() >> (random() % 64); };
  Cube cube;
  cube.edges = cube.change_edges = {1024u << below(10), static_cast<uint32_t>(1 + below(1000))};
  Edges& halved = below(2) == 0 ? cube.edges : cube.change_edges;
  for (uint64_t i = below(4); i > 0; --i) halved = {2 * halved.width_ns, (halved.count + 1) / 2};
  const bool has_changes = below(4) != 0;
  if (!has_changes) cube.change_edges = {};
  std::vector<Stay> stays;
  const size_t rows = below(300);
  for (size_t i = 0; i < rows; ++i) {
    Stay stay;
    stay.account = static_cast<uint32_t>(below(kAccounts));
    stay.birth = static_cast<uint16_t>(below(cube.edges.count));
    stay.death = static_cast<uint16_t>(stay.birth + below(cube.edges.count - stay.birth));
    if (below(2) == 0) stay.death = static_cast<uint16_t>(stay.death | Stay::kLeft);
    stay.blocks = any();
    stay.bytes = any();
    stays.push_back(stay);
    if (!has_changes) continue;
    Change change;
    change.account = static_cast<uint32_t>(below(kAccounts));
    change.bucket = static_cast<uint32_t>(below(cube.change_edges.count));
    change.calls = static_cast<uint32_t>(any());
    change.temporary_calls = static_cast<uint32_t>(any());
    change.ended_bytes = any();
    change.smallest = below(2) == 0 ? UINT64_MAX : any();
    cube.changes.push_back(change);
    cube.rare_changes.push_back({{any(), any(), any(), any()}, change.account, change.bucket});
  }
  sort_rows(stays);
  cube.stays = stays;
  sort_rows(cube.changes);
  sort_rows(cube.rare_changes);
  for (const Stay& stay : stays) {
    if (below(3) == 0)
      cube.spreads.push_back({{stay.birth, stay.death, stay.account}, 1.5, 0.1, 7});
  }
  sort_rows(cube.spreads);
  cube.has_counted_lives = below(2) == 0;
  cube.lives = random_lives(random, kAccounts);
  cube.all_lives = random_lives(random, 1);
  return cube;
}

TEST(CubeStore, GivesBackWhatWasStored) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const Cube cube = random_cube(seed);
    const std::optional<Cube> read = unpack_cube(pack_cube(cube), kAccounts, kManyRows);
    ASSERT_TRUE(read) << seed;
    EXPECT_TRUE(*read == cube) << seed;
  }
}

TEST(CubeStore, RefusesWhatIsCutOffOrTooLong) {
  const std::string bytes = pack_cube(random_cube(3));
  for (size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(unpack_cube(bytes.substr(0, length), kAccounts, kManyRows)) << length;
  }
  EXPECT_FALSE(unpack_cube(bytes + "x", kAccounts, kManyRows));
}

TEST(CubeStore, RefusesWhatDoesNotFit) {
  Cube cube;
  cube.edges = cube.change_edges = {1024, 10};
  std::vector<Stay> stays = {{5, 2, 4, 1, 1}, {9, 2, 4, 1, 1}};
  cube.stays = stays;
  EXPECT_TRUE(unpack_cube(pack_cube(cube), 10, 2));
  EXPECT_FALSE(unpack_cube(pack_cube(cube), 9, 2));
  EXPECT_FALSE(unpack_cube(pack_cube(cube), 10, 1));
  cube.edges.count = cube.change_edges.count = 4;
  EXPECT_FALSE(unpack_cube(pack_cube(cube), 10, 2));
  cube.edges.count = cube.change_edges.count = 10;
  for (const Edges& wrong : {Edges{1024, 9}, Edges{2048, 10}, Edges{1536, 10}, Edges{0, 3}}) {
    cube.change_edges = wrong;
    EXPECT_FALSE(unpack_cube(pack_cube(cube), 10, 2)) << wrong.width_ns;
  }
  cube.change_edges = {4096, 3};
  EXPECT_TRUE(unpack_cube(pack_cube(cube), 10, 2));
  cube.change_edges = {};  // which leaves room for more of the others
  EXPECT_TRUE(unpack_cube(pack_cube(cube), 10, 1));
  stays[1].death = 1;  // before its birth
  cube.stays = stays;
  EXPECT_FALSE(unpack_cube(pack_cube(cube), 10, 2));
}

// Whatever is read has rows in order, of accounts and buckets that there are.
TEST(CubeStore, ReadsChangedBytesAsASoundCubeOrNone) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 3000; ++i) {
    std::string bytes = pack_cube(random_cube(random() % 20));
    for (int change = 0; change < 3; ++change) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    const std::optional<Cube> read = unpack_cube(bytes, kAccounts, kManyRows);
    if (!read) continue;
    for (const Stay& stay : read->stays.unpacked()) {
      ASSERT_LT(stay.account, kAccounts);
      ASSERT_LE(stay.birth, stay.last());
      ASSERT_LT(stay.last(), read->edges.count);
    }
    for (const Change& row : read->changes) {
      ASSERT_LT(row.account, kAccounts);
      ASSERT_LT(row.bucket, read->change_edges.count);
    }
    EXPECT_EQ(read->timeline({}).live_bytes.size(), read->edges.count);
    for (const Lives* lives : {&read->lives, &read->all_lives}) {
      EXPECT_EQ(lives->timeline({}).calls.size(), lives->edges.count);
      for (const Life& life : lives->lives.unpacked()) {
        ASSERT_LT(life.account, kAccounts);
        ASSERT_LT(life.thread, lives->threads.size());
        ASSERT_LE(life.birth, life.last());
        ASSERT_LT(life.last(), lives->edges.count);
        ASSERT_LE(life.lifetime_class, 12);
      }
    }
  }
}

}  // namespace
}  // namespace heapledger
