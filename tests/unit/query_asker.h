// Random questions, what the model says the answers are, and how the two are compared.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "query_bytes.h"
#include "query_world.h"

namespace heapledger::test {

inline constexpr GroupBy kAllGroups[] = {
    GroupBy::kNothing, GroupBy::kSite,      GroupBy::kFunction,      GroupBy::kFile,
    GroupBy::kLine,    GroupBy::kModule,    GroupBy::kOwner,         GroupBy::kThread,
    GroupBy::kSize,    GroupBy::kSizeClass, GroupBy::kLifetimeClass, GroupBy::kLedger};

inline bool overlaps(GroupBy by) {
  return by == GroupBy::kFunction || by == GroupBy::kFile || by == GroupBy::kLine ||
         by == GroupBy::kModule;
}

inline void expect_same(const Figures& is, const Sums& should, const std::string& where) {
  SCOPED_TRACE(where);
  EXPECT_EQ(is.calls, should.calls);
  EXPECT_EQ(is.bytes, should.bytes);
  EXPECT_EQ(is.live_blocks, should.live_blocks);
  EXPECT_EQ(is.live_bytes, should.live_bytes);
  EXPECT_EQ(is.frees, should.frees);
  EXPECT_EQ(is.ended_blocks, should.ended_blocks);
  EXPECT_EQ(is.ended_bytes, should.ended_bytes);
  EXPECT_EQ(is.temporary_calls, should.temporary);
  EXPECT_EQ(is.resizes, should.resizes);
  EXPECT_EQ(is.moved_blocks, should.moved_blocks);
  EXPECT_EQ(is.moved_bytes, should.moved_bytes);
  EXPECT_EQ(is.smallest, should.smallest);
  EXPECT_EQ(is.largest, should.largest);
  if (is.has_peak) {
    EXPECT_EQ(is.peak_bytes, should.peak_bytes);
    EXPECT_EQ(is.peak_blocks, should.peak_blocks);
    EXPECT_EQ(is.peak_time_ns, should.peak_time);
  }
  if (is.has_lifetimes) {
    const std::vector<uint64_t>& lives = should.lifetimes;
    uint64_t sum = 0;
    for (uint64_t life : lives) sum += life;
    ASSERT_EQ(is.lifetimes.count(), lives.size());
    EXPECT_EQ(is.lifetimes.sum(), sum);
    if (!lives.empty()) {
      EXPECT_EQ(is.lifetimes.smallest(), lives.front());
      EXPECT_EQ(is.lifetimes.largest(), lives.back());
      auto exact = static_cast<double>(lives[(lives.size() + 1) / 2 - 1]);
      EXPECT_NEAR(static_cast<double>(is.lifetimes.median()), exact, exact / 16);
    }
  }
  if (is.has_threads) {
    using Threads = std::set<std::pair<uint32_t, uint32_t>>;
    auto as_set = [](const auto& list) { return Threads(list.begin(), list.end()); };
    EXPECT_EQ(as_set(is.allocating_threads), should.allocating);
    EXPECT_EQ(as_set(is.freeing_threads), should.freeing);
  }
  if (is.has_sizes) {
    for (const CommonSize& common : is.common_sizes) {
      auto found = should.sizes.find(common.size);
      uint64_t exact = found == should.sizes.end() ? 0 : found->second;
      EXPECT_GE(common.calls, exact);
      EXPECT_LE(common.calls - common.over, exact);
    }
  }
}

struct Asked {
  Question question;
  World::Choose choose = [](const Block&) { return true; };
  Cut begin;
  Cut end;
  std::string text;
};

class Asker {
 public:
  Asker(World& world, Ledgers& ledgers, uint64_t seed)
      : random_(seed), world_(world), ledgers_(ledgers) {}

  Asked make() {
    Asked asked;
    if (random_() % 3 == 0) {
      Cut a, b;
      MomentSpec first = moment(a);
      MomentSpec second = moment(b);
      if (a.order > b.order || a.time > b.time) {
        std::swap(a, b);
        std::swap(first, second);
      }
      // Two moments between the same events can be told apart by their times alone.
      if (a.order <= b.order && a.time <= b.time) {
        asked.question.between = {first, second};
        asked.begin = a;
        asked.end = b;
        asked.text = "between " + to_text(first) + " and " + to_text(second);
      }
    }
    if (!asked.question.between) {
      asked.question.at = moment(asked.end);
      asked.text = "at " + to_text(asked.question.at);
    }
    filter(asked);
    asked.question.wanted.own_peaks = random_() % 2 == 0;
    asked.question.wanted.lifetimes = random_() % 2 == 0;
    asked.question.wanted.sizes = random_() % 2 == 0;
    asked.question.wanted.threads = random_() % 2 == 0;
    return asked;
  }

  Sums expected(const Asked& asked, const World::Choose& choose) const {
    auto both = [&](const Block& block) { return asked.choose(block) && choose(block); };
    if (asked.question.between) return world_.between(asked.begin, asked.end, both);
    return world_.at(asked.end, both);
  }

 private:
  MomentSpec moment(Cut& cut) {
    switch (random_() % 7) {
      case 0:
        cut = world_.peak();
        return parse_moment("peak");
      case 1:
        cut = world_.rss_peak();
        return parse_moment("rss-peak");
      case 2:
        cut = test::kEnd;
        return parse_moment("end");
      case 3:
        cut = {0, 0};
        return parse_moment("start");
      case 4:
        if (!ledgers_.overview().markers.empty()) {
          const auto& markers = ledgers_.overview().markers;
          const std::string& name = markers[random_() % markers.size()].text;
          cut = world_.marker(name);
          return parse_moment("marker:" + name);
        }
        [[fallthrough]];
      default: {
        uint64_t time = random_() % (world_.last_time() + 100);
        cut = world_.at_time(time);
        return parse_moment(std::to_string(time) + "ns");
      }
    }
  }

  void filter(Asked& asked) {
    std::string text;
    std::vector<World::Choose> all;
    auto add = [&](const std::string& condition, World::Choose choose) {
      text += (text.empty() ? "" : ",") + condition;
      all.push_back(std::move(choose));
    };
    if (random_() % 4 == 0) {
      uint64_t bound = random_() % 300;
      add("size>=" + std::to_string(bound), [bound](const Block& b) { return b.size >= bound; });
    }
    if (random_() % 5 == 0) {
      add("size<1k", [](const Block& b) { return b.size < 1024; });
    }
    if (random_() % 4 == 0) {
      add("lifetime<2us", [](const Block& b) { return b.lifetime() < 2000; });
    } else if (random_() % 4 == 0) {
      add("lifetime>=500ns", [](const Block& b) { return b.lifetime() >= 500; });
    }
    if (random_() % 5 == 0) {
      uint64_t from = random_() % world_.last_time();
      uint64_t to = from + random_() % 20'000;
      add("time=" + std::to_string(from) + "ns.." + std::to_string(to) + "ns",
          [=](const Block& b) { return b.birth_time >= from && b.birth_time <= to; });
    }
    if (random_() % 5 == 0) {
      add("thread=worker*", [](const Block& b) { return b.thread != 0; });
    } else if (random_() % 5 == 0) {
      add("thread=!main", [](const Block& b) { return b.thread != 0; });
    }
    if (random_() % 5 == 0) {
      add("function=parse",
          [this](const Block& b) { return has_function(b, "parse(char const*)"); });
    } else if (random_() % 5 == 0) {
      add("function=!render*", [this](const Block& b) { return !has_function(b, "render(int)"); });
    }
    if (random_() % 6 == 0) {
      add("module=libwork*", [this](const Block& b) {
        return has(b, [](const Place& p) { return p.module == "/usr/lib/libwork.so.1"; });
      });
    }
    asked.text += " filter '" + text + "'";
    asked.question.filter = parse_filter(text);
    asked.choose = [all](const Block& block) {
      return std::all_of(all.begin(), all.end(), [&](const auto& one) { return one(block); });
    };
  }

  template <typename Test>
  bool has(const Block& block, Test&& test) const {
    const std::vector<Place>& stack = world_.stack(block.site);
    return std::any_of(stack.begin(), stack.end(), test);
  }
  bool has_function(const Block& block, const std::string& name) const {
    return has(block, [&](const Place& place) { return place.function == name; });
  }

  std::mt19937_64 random_;
  World& world_;
  Ledgers& ledgers_;
};

// Of those that the manual lists.
inline uint64_t round_time_below(uint64_t ns) {
  constexpr uint64_t kS = 1'000'000'000;
  uint64_t found = 0;
  for (uint64_t bound : {kS / 1'000'000, kS / 100'000, kS / 10'000, kS / 1'000, kS / 100, kS / 10,
                         kS, 10 * kS, 60 * kS, 600 * kS, 3600 * kS}) {
    if (bound <= ns) found = bound;
  }
  return found;
}

inline uint64_t power_of_two_below(uint64_t value) {
  return value == 0 ? 0 : std::bit_floor(value);
}

// What a place is called in groups of one kind.
inline std::string group_name(GroupBy by, const Place& place) {
  switch (by) {
    case GroupBy::kFile:
      return place.file;
    case GroupBy::kLine:
      return place.file + ":" + std::to_string(place.line);
    case GroupBy::kModule:
      return place.module;
    case GroupBy::kOwner:
      return place.function + " " + place.file + ":" + std::to_string(place.line);
    default:
      return place.function;
  }
}

inline std::string identity_of(const std::vector<NamedFrame>& frames) {
  std::string identity;
  for (const NamedFrame& frame : frames) {
    if (!frame.inlined) identity += frame.module + "+" + std::to_string(frame.offset) + ";";
  }
  return identity;
}

// Which blocks are in the group of a row.
inline World::Choose blocks_of(GroupBy by, const Row& row, World& world, Ledgers& ledgers,
                               bool self) {
  switch (by) {
    case GroupBy::kSite: {
      std::string identity = identity_of(ledgers.frames(row.site));
      return [&world, identity](const Block& b) { return world.identity(b.site) == identity; };
    }
    case GroupBy::kThread:
      return [&row](const Block& b) {
        return b.ledger == row.ledger && 100 * (b.ledger + 1) + b.thread == row.key;
      };
    case GroupBy::kSize:
      return [&row](const Block& b) { return b.size == row.key; };
    case GroupBy::kSizeClass:
      return [&row](const Block& b) { return power_of_two_below(b.size) == row.key; };
    case GroupBy::kLifetimeClass:
      return [&row](const Block& b) {
        return (b.death == UINT64_MAX ? kNeverFreed : round_time_below(b.lifetime())) == row.key;
      };
    case GroupBy::kLedger:
      return [&row](const Block& b) { return b.ledger == row.ledger; };
    default:
      break;
  }
  return [by, self, &row, &world](const Block& b) {
    const std::vector<Place>& stack = world.stack(b.site);
    if (self || by == GroupBy::kOwner)
      return group_name(by, stack[world.first_interesting(b.site)]) == row.name;
    return std::any_of(stack.begin(), stack.end(),
                       [&](const Place& place) { return group_name(by, place) == row.name; });
  };
}

struct Added {
  uint64_t calls = 0, bytes = 0, live_blocks = 0, live_bytes = 0, frees = 0, ended = 0;
  uint64_t temporary = 0, resizes = 0, moved = 0, lives = 0;

  void add(const Figures& f) {
    calls += f.calls;
    bytes += f.bytes;
    live_blocks += f.live_blocks;
    live_bytes += f.live_bytes;
    frees += f.frees;
    ended += f.ended_bytes;
    temporary += f.temporary_calls;
    resizes += f.resizes;
    moved += f.moved_bytes;
    lives += f.lifetimes.count();
  }
  friend bool operator==(const Added&, const Added&) = default;
};

inline Added added(const Figures& figures) {
  Added sum;
  sum.add(figures);
  return sum;
}

}  // namespace heapledger::test
