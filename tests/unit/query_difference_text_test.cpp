// What a person and a program read about a difference.
#include <gtest/gtest.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/diff/json.h"
#include "cli/diff/signs.h"
#include "cli/diff/text.h"
#include "cli_check_builds.h"

namespace heapledger::cli::diff {
namespace {

using test::expect_golden;
using test::new_build;
using test::old_build;

DiffView view_of(GroupBy by, Compared sort) {
  DiffView view;
  view.question.by = by;
  view.question.sort = sort;
  view.before = "old.ledger  ./app";
  view.after = "new.ledger  ./app";
  return view;
}

std::string text_of(const DiffView& view, const Page& page = {}, bool swapped = false) {
  auto one = old_build();
  auto two = new_build();
  Ledgers before = swapped ? two->open() : one->open();
  Ledgers after = swapped ? one->open() : two->open();
  Difference difference = compare(before, after, view.question);
  return diff_text(difference, view, before, after, page);
}

std::string json_of(const DifferenceQuestion& question) {
  auto one = old_build();
  auto two = new_build();
  Ledgers before = one->open();
  Ledgers after = two->open();
  std::FILE* file = std::tmpfile();
  write_diff_json(file, compare(before, after, question), question,
                  {{"old.ledger"}, {"new.ledger"}, "peak", "peak"}, before, after);
  std::string text(static_cast<size_t>(std::ftell(file)), '\0');
  std::rewind(file);
  EXPECT_EQ(std::fread(text.data(), 1, text.size(), file), text.size());
  std::fclose(file);
  return text;
}

TEST(Golden, DiffText) {
  expect_golden("diff_sites.txt", text_of(view_of(GroupBy::kSite, Compared::kLive)));
  expect_golden("diff_owners.txt", text_of(view_of(GroupBy::kOwner, Compared::kLive)));
  expect_golden("diff_back.txt", text_of(view_of(GroupBy::kSite, Compared::kLive), {}, true));
  expect_golden("diff_functions.txt", text_of(view_of(GroupBy::kFunction, Compared::kBytes)));
  expect_golden("diff_sizes.txt", text_of(view_of(GroupBy::kSizeClass, Compared::kCalls)));
  Page narrow;
  narrow.width = 60;
  narrow.unicode = false;
  DiffView at_end = view_of(GroupBy::kSite, Compared::kUnfreed);
  at_end.question.at = parse_moment("end");
  expect_golden("diff_end_narrow.txt", text_of(at_end, narrow));
}

TEST(Golden, DiffOfMoments) {
  auto build = old_build();
  Ledgers ledgers = build->open();
  DiffView view = view_of(GroupBy::kSite, Compared::kLive);
  view.before = "peak, at 1.0 ms";
  view.after = "end, at 1.0 ms, of old.ledger";
  Difference difference =
      compare_moments(ledgers, parse_moment("peak"), parse_moment("end"), view.question);
  expect_golden("diff_moments.txt", diff_text(difference, view, ledgers, ledgers, {}));
}

TEST(Golden, DiffJson) {
  expect_golden("diff_sites.json", json_of({}));
}

TEST(DiffJson, IsOneObjectWithAllGroups) {
  nlohmann::json json = nlohmann::json::parse(json_of({}));
  EXPECT_EQ(json["schema"], "heapledger.diff/1");
  EXPECT_EQ(json["groups"].size(), 5u);
  EXPECT_EQ(json["counts"]["groups"], 5);
  EXPECT_EQ(json["change"]["peak_bytes"], 1300);
  EXPECT_EQ(json["groups"][0]["before"], nullptr);
  EXPECT_EQ(json["groups"][0]["change"]["live_bytes"], 1000);
  EXPECT_EQ(json["groups"][1]["change"]["peak_bytes"], nullptr);
  DifferenceQuestion functions;
  functions.by = GroupBy::kFunction;
  nlohmann::json other = nlohmann::json::parse(json_of(functions));
  for (const auto& group : other["groups"]) {
    if (group["name"] != "main") continue;
    EXPECT_EQ(group["with_callees"]["change"]["live_bytes"], 1300);
  }
  DifferenceQuestion none;
  none.filter = parse_filter("size>=1G");
  EXPECT_EQ(nlohmann::json::parse(json_of(none))["groups"].size(), 0u);
}

TEST(DiffSigns, EveryChangeHasItsSign) {
  EXPECT_EQ(signed_bytes(1536), "+1.5 KiB");
  EXPECT_EQ(signed_bytes(-7), "-7 B");
  EXPECT_EQ(signed_bytes(0), "0");
  EXPECT_EQ(signed_count(-1234567), "-1,234,567");
  EXPECT_EQ(signed_percent(200, 216), "+8.0%");
  EXPECT_EQ(signed_percent(200, 100), "-50.0%");
  EXPECT_EQ(signed_percent(0, 5), "new");
  EXPECT_EQ(signed_percent(0, 0), "");
  EXPECT_EQ(signed_percent(10, 200), "x20.0");
  EXPECT_EQ(signed_percent(1'000'000, 1'000'001), "+0.0%");
  EXPECT_EQ(signed_percent(1'000'000, 999'999), "-0.0%");
}

}  // namespace
}  // namespace heapledger::cli::diff
