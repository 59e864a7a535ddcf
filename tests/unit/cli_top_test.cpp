// The screen of `heapledger top`: rows chosen and sorted, lines that fit, keys.
#include <gtest/gtest.h>

#include <deque>

#include "change_of.h"
#include "cli/top/json.h"
#include "cli/top/keys.h"
#include "cli/top/screen.h"
#include "cli/top/table.h"
#include "read_json.h"

namespace heapledger::cli::top {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

// Three sites: two of parse(), one of render(), all called by main().
class TopExample : public testing::Test {
 protected:
  TopExample() {
    page_.width = 100;
    frames_.push_back(frame("main", "src/main.c", 5));
    add(frame("parse", "src/parse.c", 10), {6000, 60, 1000, 3000, 30, 3000, {1000, 3000, 6000}});
    add(frame("parse", "src/parse.c", 20), {1000, 1, 0, 0, 0, 0, {1000, 1000, 1000}});
    add(frame("render", "src/draw.c", 7), {3000, 300, -600, -2000, 90, 900, {5000, 3600, 3000}});
    reading_.pid = 4711;
    reading_.program = "app";
    reading_.elapsed_ns = 75 * kSecond;
    reading_.rss_bytes = 1 << 20;
    reading_.threads = 3;
    reading_.interval_ns = 2 * kSecond;
    reading_.has_rates = true;
    for (const WatchedSite& site : reading_.sites) reading_.total.add(site.change);
  }

  static NamedFrame frame(std::string name, std::string file, uint32_t line) {
    NamedFrame made;
    made.name = made.function = std::move(name);
    made.file = std::move(file);
    made.line = line;
    made.module = "/bin/app";
    return made;
  }

  void add(NamedFrame innermost, WrittenChange change) {
    frames_.push_back(std::move(innermost));
    names_.push_back({{&frames_.back(), &frames_.front()}, &frames_.back()});
    auto site = static_cast<uint32_t>(reading_.sites.size() + 1);
    reading_.sites.push_back({change_of(std::move(change)), site, &names_.back()});
  }

  std::vector<TopRow> rows() { return top_rows(reading_, state_.choice); }

  std::string names() {
    std::string all;
    for (const TopRow& row : rows()) {
      all += row.name + (row.line > 0 ? ":" + std::to_string(row.line) : "") + " ";
    }
    return all;
  }

  std::vector<std::string> screen(size_t width, size_t height) {
    std::vector<std::string> lines;
    page_.width = width;
    for (const Line& line : top_screen(reading_, rows(), state_, {width, height}, page_)) {
      EXPECT_LE(line.columns(), width) << line.plain();
      EXPECT_EQ(columns_of(line.plain()) > width, false) << line.plain();
      lines.push_back(line.plain());
    }
    EXPECT_EQ(lines.size(), height);
    return lines;
  }

  KeyEffect press(std::string bytes) {
    Key key;
    KeyEffect effect = KeyEffect::kNothing;
    while (take_key(bytes, true, key)) effect = apply_key(key, rows(), 10, state_);
    return effect;
  }

  Page page_;
  TopReading reading_;
  TopState state_;
  std::deque<NamedFrame> frames_;
  std::deque<SiteName> names_;
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(TopExample, SortsByEveryMeasure) {
  EXPECT_EQ(names(), "parse:10 render:7 parse:20 ");
  state_.choice.sort = TopSort::kGrowth;
  EXPECT_EQ(names(), "parse:10 parse:20 render:7 ");
  state_.choice.sort = TopSort::kRate;
  EXPECT_EQ(names(), "parse:10 render:7 parse:20 ");
  state_.choice.sort = TopSort::kBlocks;
  EXPECT_EQ(names(), "render:7 parse:10 parse:20 ");
  state_.choice.sort = TopSort::kName;
  EXPECT_EQ(names(), "parse:10 parse:20 render:7 ");
  state_.choice.reverse = true;
  EXPECT_EQ(names(), "render:7 parse:20 parse:10 ");
}

TEST_F(TopExample, FiltersByAnyFrameInAnyCase) {
  state_.choice.filter = "DRAW.c:7";
  EXPECT_EQ(names(), "render:7 ");
  state_.choice.filter = "main";
  EXPECT_EQ(rows().size(), 3u);
  state_.choice.filter = "nothing of that";
  EXPECT_EQ(rows().size(), 0u);
}

TEST_F(TopExample, FunctionsAreTheSumsOfTheirSites) {
  state_.choice.by = TopBy::kFunction;
  std::vector<TopRow> all = rows();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "parse");
  EXPECT_EQ(all[0].sites, 2u);
  EXPECT_EQ(all[0].change.live_bytes, 7000u);
  EXPECT_EQ(all[0].change.live_blocks, 61u);
  EXPECT_EQ(all[0].change.history, (std::vector<uint64_t>{2000, 4000, 7000}));
  EXPECT_EQ(all[0].stack->blamed->line, 10u) << "the stack of the largest";
}

TEST_F(TopExample, ShowsTheFiguresOfTheHeap) {
  std::vector<std::string> lines = screen(120, 20);
  EXPECT_TRUE(has(lines[0], "app (4711)  up 1 min 15 s  3 threads  RSS 1.0 MiB")) << lines[0];
  EXPECT_TRUE(has(lines[0], "every 1 s")) << lines[0];
  EXPECT_EQ(lines[1],
            "live 9.8 KiB in 361 blocks  ▲+200 B/s  allocating 1.9 KiB/s, 60 calls/s  "
            "▲+1000 B since top");
  // The whole heap, from the least of what is known to the most.
  EXPECT_EQ(lines[2], "heap ▁▂█  6.8 KiB to 9.8 KiB in 3 readings");
  EXPECT_EQ(lines[3], "3 sites by live bytes");
}

TEST_F(TopExample, ShowsTheFiguresOfEachSite) {
  std::vector<std::string> lines = screen(100, 20);
  EXPECT_EQ(lines[4],
            "        LIVE  SHARE    BLOCKS       GROWTH    SINCE TOP    ALLOC/S HISTORY     WHERE");
  EXPECT_EQ(lines[5],
            "     5.9 KiB  60.0%        60     ▲+1000 B    ▲+2.9 KiB    1.5 KiB        ▁▄█  parse  "
            "parse.c:10");
  EXPECT_EQ(
      lines[6],
      "     2.9 KiB  30.0%       300      ▼-600 B    ▼-2.0 KiB      450 B        █▃▁  render  "
      "src/draw.c:7");
  EXPECT_EQ(lines[7],
            "      1000 B  10.0%         1          0 B          0 B        0 B        ███  parse  "
            "parse.c:20");
  EXPECT_TRUE(lines[8].empty());
  EXPECT_TRUE(has(screen(130, 20)[5], "1.5 KiB        15        ▁▄█  parse  src/parse.c:10"))
      << screen(130, 20)[5];
}

TEST_F(TopExample, BeforeTheSecondReadingNothingIsSaidAboutChanges) {
  reading_.interval_ns = 0;
  reading_.has_rates = false;
  std::vector<std::string> lines = screen(110, 20);
  EXPECT_EQ(lines[1], "live 9.8 KiB in 361 blocks");
  EXPECT_TRUE(has(lines[5], "        60            -            -          -")) << lines[5];
}

TEST_F(TopExample, EveryLineFitsOnEveryScreen) {
  add(frame("namespace_of_many_words::Class<std::pair<int, long>>::method(int, char const*)",
            "a/very/long/path/to/some/file_with_a_name.cpp", 12345),
      {uint64_t{1} << 60, 123'456'789'012, INT64_MIN, INT64_MAX, 9, 9, {1, 2}});
  add(frame("名前の空間::関数の名前はとても長いです", "漢字/漢字.cpp", 1), {77, 1, 0, 0, 0, 0, {}});
  add(frame("bad\x1b[31m\xff name\n", "", 0), {76, 1, 0, 0, 0, 0, {}});
  reading_.took_ns = 3 * kSecond;
  state_.chosen = "1";
  for (bool unicode : {true, false}) {
    page_.unicode = unicode;
    for (bool stack : {false, true}) {
      state_.stack = stack;
      for (size_t width : {20u, 40u, 41u, 57u, 80u, 100u, 133u, 150u, 237u}) {
        for (size_t height : {6u, 10u, 24u, 50u}) screen(width, height);
      }
    }
  }
}

TEST_F(TopExample, ANarrowScreenKeepsLiveGrowthAndNames) {
  std::vector<std::string> lines = screen(40, 10);
  EXPECT_EQ(lines[4], "        LIVE       GROWTH  WHERE");
  EXPECT_EQ(lines[5], "     5.9 KiB     ▲+1000 B  parse");
  EXPECT_EQ(lines[6], "     2.9 KiB      ▼-600 B  render");
}

TEST_F(TopExample, PlainTerminalsGetPlainSigns) {
  page_.unicode = false;
  for (const std::string& line : screen(110, 20)) {
    for (char c : line) EXPECT_GE(c, ' ') << line;
  }
  EXPECT_TRUE(has(screen(100, 20)[6], "v-600 B    v-2.0 KiB      450 B        #:.  render"))
      << screen(100, 20)[6];
}

TEST_F(TopExample, TheChosenRowHasItsStackBelow) {
  press("\x1b[B\x1b[B");  // the first, then the second
  std::vector<std::string> lines = screen(100, 20);
  EXPECT_EQ(lines[6].substr(0, 2), "> ");
  EXPECT_TRUE(has(lines[16], "2.9 KiB in 300 blocks")) << lines[16];
  EXPECT_EQ(lines[17], "   0  render  src/draw.c:7");
  EXPECT_EQ(lines[18], "   1  main  src/main.c:5");
  press("\r");
  EXPECT_TRUE(screen(100, 20)[17].empty());
  press("\r");
  EXPECT_FALSE(screen(100, 20)[17].empty());
}

TEST_F(TopExample, TheChosenRowIsFollowedWhenTheOrderChanges) {
  press("\x1b[B");
  press("s");  // by growth since top began …
  press("r");  // … the least first
  EXPECT_EQ(screen(100, 20)[7].substr(0, 2), "> ");
}

TEST_F(TopExample, LongStacksAreTurnedLikePages) {
  for (int i = 0; i < 30; ++i) {
    frames_.push_back(frame("f" + std::to_string(i), "", 0));
    names_.front().frames.push_back(&frames_.back());
  }
  press("\x1b[B");
  EXPECT_TRUE(has(screen(80, 14)[10], "   0  parse")) << screen(80, 14)[9];
  for (int i = 0; i < 20; ++i) press("\x1b[6~");
  EXPECT_EQ(screen(80, 14)[12].substr(0, 9), "  31  f29") << screen(80, 14)[12];
  for (int i = 0; i < 20; ++i) press("\x1b[5~");
  EXPECT_TRUE(has(screen(80, 14)[10], "   0  parse")) << screen(80, 14)[9];
}

TEST_F(TopExample, AFilterIsTypedAtTheBottom) {
  press("/rendex\x7f");
  EXPECT_TRUE(has(screen(80, 10)[9], "only with: rende_")) << screen(80, 10)[9];
  press("r\r");
  EXPECT_FALSE(state_.typing);
  EXPECT_EQ(names(), "render:7 ");
  EXPECT_TRUE(has(screen(80, 10)[3], "only with 'render'")) << screen(80, 10)[3];
  press("\x1b");
  EXPECT_EQ(rows().size(), 3u);
}

TEST_F(TopExample, KeysChangeWhatIsShown) {
  EXPECT_EQ(press("q"), KeyEffect::kQuit);
  EXPECT_EQ(press("x"), KeyEffect::kNothing);
  press(">");
  EXPECT_EQ(state_.choice.sort, TopSort::kGrowth);
  press("<<");
  EXPECT_EQ(state_.choice.sort, TopSort::kName);
  press("g");
  EXPECT_EQ(state_.choice.by, TopBy::kFunction);
  press(" ");
  EXPECT_TRUE(state_.paused);
  press("p");
  EXPECT_FALSE(state_.paused);
  press("+");
  EXPECT_EQ(state_.interval_ns, 2 * kSecond);
  press("---------");
  EXPECT_EQ(state_.interval_ns, kSecond / 10);
  press("?");
  EXPECT_TRUE(has(screen(80, 10)[0], "quit"));
  press("h");
  EXPECT_FALSE(state_.help);
}

TEST(TopKeys, ArePutTogetherFromTheirBytes) {
  std::string bytes = "\x1b[";
  Key key;
  EXPECT_FALSE(take_key(bytes, false, key)) << "the rest is on its way";
  bytes += "Aq";
  EXPECT_TRUE(take_key(bytes, false, key));
  EXPECT_EQ(key.kind, KeyKind::kUp);
  EXPECT_TRUE(take_key(bytes, false, key));
  EXPECT_EQ(key.text, "q");
  bytes = "\xc3";
  EXPECT_FALSE(take_key(bytes, false, key));
  bytes += "\xa4";
  EXPECT_TRUE(take_key(bytes, false, key));
  EXPECT_EQ(key.text, "ä");
  bytes = "\x1b";
  EXPECT_FALSE(take_key(bytes, false, key));
  EXPECT_TRUE(take_key(bytes, true, key));
  EXPECT_EQ(key.kind, KeyKind::kEscape);
  bytes = "\x1bg";  // one soon after the other
  EXPECT_TRUE(take_key(bytes, false, key));
  EXPECT_EQ(key.kind, KeyKind::kEscape);
  EXPECT_TRUE(take_key(bytes, false, key));
  EXPECT_EQ(key.text, "g");
  bytes = "\x1b[200~";  // of no key that we know
  EXPECT_TRUE(take_key(bytes, false, key));
  EXPECT_EQ(key.kind, KeyKind::kUnknown);
  EXPECT_TRUE(bytes.empty());
}

TEST(TopTable, SparklinesAreRelativeToTheirMost) {
  EXPECT_EQ(sparkline(std::vector<uint64_t>{0, 1, 2, 3, 4, 5, 6, 7}, 8), " ▂▃▄▅▆▇█");
  EXPECT_EQ(sparkline(std::vector<uint64_t>{1000, 1, 1000}, 5), "  █▁█");
  EXPECT_EQ(sparkline(std::vector<uint64_t>{9, 9, 5, 10}, 2), "▁█");
  // What is large and changes shows how; what hardly changes stays flat.
  EXPECT_EQ(sparkline(std::vector<uint64_t>{800, 900, 1000}, 3), "▁▅█");
  EXPECT_EQ(sparkline(std::vector<uint64_t>{1000, 999, 1000}, 3), "███");
  EXPECT_EQ(sparkline(std::vector<uint64_t>{0, 0}, 2), "  ");
}

TEST(TopTable, WideCharactersTakeTwoColumns) {
  EXPECT_EQ(columns_of("abc"), 3u);
  EXPECT_EQ(columns_of("漢字"), 4u);
  EXPECT_EQ(columns_of("e\u0301"), 1u);
  EXPECT_EQ(cut_columns("漢字漢字", 6), "漢字…");
  EXPECT_EQ(cut_columns("漢字漢字", 8), "漢字漢字");
}

TEST(TopReaders, ReadingsTakeNoMoreThanAQuarterOfTheTime) {
  EXPECT_EQ(interval_for(kSecond, kSecond / 10), kSecond);
  EXPECT_EQ(interval_for(kSecond, kSecond), 4 * kSecond);
}

TEST_F(TopExample, JsonHasTheSameFigures) {
  const ReadJson json = read_json(top_json(reading_, rows(), state_.choice, 2));
  EXPECT_EQ(json["schema"], "heapledger.top/1");
  EXPECT_EQ(json["total"]["live_bytes"], 10000);
  EXPECT_EQ(json["total"]["growth_bytes"], 400);
  EXPECT_EQ(json["total"]["bytes_per_second"], 1950.0);
  EXPECT_EQ(json["groups"], 3);
  ASSERT_EQ(json["rows"].size(), 2u);
  EXPECT_EQ(json["rows"][1]["name"], "render");
  EXPECT_EQ(json["rows"][1]["growth_since_first_bytes"], -2000);
  EXPECT_EQ(json["rows"][1]["frames"][1]["function"], "main");
}

}  // namespace
}  // namespace heapledger::cli::top
