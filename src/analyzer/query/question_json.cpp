#include "analyzer/query/question_json.h"

#include <algorithm>
#include <array>
#include <utility>

#include "analyzer/error.h"

namespace heapledger {
namespace {

constexpr std::array<std::pair<const char*, Bounds Filter::*>, 3> kBounds = {
    {{"size", &Filter::size},
     {"lifetime_ns", &Filter::lifetime_ns},
     {"time_ns", &Filter::time_ns}}};
constexpr std::array<std::pair<const char*, Patterns Filter::*>, 7> kPatterns = {
    {{"thread", &Filter::threads},
     {"module", &Filter::modules},
     {"function", &Filter::functions},
     {"heap", &Filter::heaps},
     {"rank", &Filter::ranks},
     {"host", &Filter::hosts},
     {"job", &Filter::jobs}}};
constexpr std::array<std::pair<const char*, bool Wanted::*>, 5> kWanted = {
    {{"own_peaks", &Wanted::own_peaks},
     {"lifetimes", &Wanted::lifetimes},
     {"sizes", &Wanted::sizes},
     {"threads", &Wanted::threads},
     {"no_range_peaks", &Wanted::no_range_peaks}}};

Json filter_json(const Filter& filter) {
  Json json;
  for (const auto& [name, member] : kBounds) {
    const Bounds& bounds = filter.*member;
    if (bounds.least > 0) json[name]["least"] = bounds.least;
    if (bounds.most < UINT64_MAX) json[name]["most"] = bounds.most;
  }
  for (const auto& [name, member] : kPatterns) {
    for (const std::string& pattern : (filter.*member).in) json[name].push_back(pattern);
    for (const std::string& pattern : (filter.*member).out) json[name].push_back("!" + pattern);
  }
  return json;
}

[[noreturn]] void refuse(std::string_view name, const char* expected) {
  throw Error("the question's '" + std::string(name) + "' is not " + expected,
              ErrorKind::kQuestion);
}

const std::string& text_of(std::string_view name, const Json& json) {
  if (json.text() == nullptr) refuse(name, "a text");
  return *json.text();
}

uint64_t number_of(std::string_view name, const Json& json) {
  if (!json.natural()) refuse(name, "a whole number from 0 on");
  return *json.natural();
}

bool truth_of(std::string_view name, const Json& json) {
  if (json.truth() == nullptr) refuse(name, "true or false");
  return *json.truth();
}

void expect_array(std::string_view name, const Json& json) {
  if (!json.is_array()) refuse(name, "a list");
}

void read_bounds(std::string_view name, const Json& json, Bounds& bounds) {
  if (!json.is_object()) refuse(name, "an object with 'least' and 'most'");
  for (std::string_view end : json.names()) {
    if (end != "least" && end != "most") refuse(end, "a bound: take least and most");
    (end == "least" ? bounds.least : bounds.most) = number_of(end, *json.find(end));
  }
}

void read_patterns(std::string_view name, const Json& json, Patterns& patterns) {
  expect_array(name, json);
  for (const Json& one : json) {
    const std::string& pattern = text_of(name, one);
    if (name == "rank") parse_ranks(std::string_view(pattern).substr(pattern.starts_with('!')));
    if (pattern.starts_with('!')) {
      patterns.out.push_back(pattern.substr(1));
    } else {
      patterns.in.push_back(pattern);
    }
  }
}

Filter filter_from(const Json& json) {
  if (json.text() != nullptr) return parse_filter(*json.text());
  if (!json.is_object()) refuse("filter", "a text or an object");
  Filter filter;
  for (std::string_view name : json.names()) {
    auto is_named = [name](const auto& one) { return one.first == name; };
    const Json& value = *json.find(name);
    if (auto bounds = std::find_if(kBounds.begin(), kBounds.end(), is_named);
        bounds != kBounds.end()) {
      read_bounds(name, value, filter.*bounds->second);
    } else if (auto patterns = std::find_if(kPatterns.begin(), kPatterns.end(), is_named);
               patterns != kPatterns.end()) {
      read_patterns(name, value, filter.*patterns->second);
    } else {
      refuse(name, "a condition of a filter");
    }
  }
  return filter;
}

std::pair<MomentSpec, MomentSpec> range_from(const Json& json) {
  if (!json.is_array() || json.size() != 2) refuse("between", "a list of two moments");
  return {parse_moment(text_of("between", json.begin()[0])),
          parse_moment(text_of("between", json.begin()[1]))};
}

TreeShape tree_from(const std::string& text) {
  for (int i = 0; i <= static_cast<int>(TreeShape::kCalleesOf); ++i) {
    if (name_of(static_cast<TreeShape>(i)) == text) return static_cast<TreeShape>(i);
  }
  refuse("tree", "top-down, bottom-up, callers, callees or none");
}

Wanted wanted_from(const Json& json) {
  expect_array("wanted", json);
  Wanted wanted;
  for (const Json& one : json) {
    const std::string& name = text_of("wanted", one);
    auto found = std::find_if(kWanted.begin(), kWanted.end(),
                              [&name](const auto& known) { return known.first == name; });
    if (found == kWanted.end()) refuse(name, "something that can be wanted");
    wanted.*found->second = true;
  }
  return wanted;
}

}  // namespace

std::string_view name_of(TreeShape shape) {
  static constexpr std::array<std::string_view, 5> kNames = {"none", "top-down", "bottom-up",
                                                             "callers", "callees"};
  return kNames[static_cast<size_t>(shape)];
}

Json to_json(const Question& question) {
  Json json;
  json["at"] = to_text(question.at);
  if (question.between) {
    json["between"] = {to_text(question.between->first), to_text(question.between->second)};
  }
  if (Json filter = filter_json(question.filter); !filter.empty()) json["filter"] = filter;
  if (question.ledger) json["ledger"] = *question.ledger;
  json["by"] = name_of(question.by);
  if (question.tree != TreeShape::kNone) json["tree"] = name_of(question.tree);
  if (!question.function.empty()) json["function"] = question.function;
  if (!question.below.empty()) json["below"] = question.below;
  for (const std::string& name : question.path) json["path"].push_back(name);
  if (!question.skip_wrappers) json["skip_wrappers"] = false;
  if (question.only_live) json["only_live"] = true;
  json["sort"] = name_of(question.sort);
  if (question.top != SIZE_MAX) json["top"] = question.top;
  json["least_share"] = question.least_share;
  if (question.most_nodes != kMaxTreeNodes) json["most_nodes"] = question.most_nodes;
  for (const auto& [name, member] : kWanted) {
    if (question.wanted.*member) json["wanted"].push_back(name);
  }
  return json;
}

Question question_from_json(const Json& json) {
  if (!json.is_object()) throw Error("a question is a JSON object", ErrorKind::kQuestion);
  Question question;
  for (std::string_view name : json.names()) {
    const Json& value = *json.find(name);
    if (name == "at") {
      question.at = parse_moment(text_of(name, value));
    } else if (name == "between") {
      question.between = range_from(value);
    } else if (name == "filter") {
      question.filter = filter_from(value);
    } else if (name == "ledger") {
      question.ledger =
          static_cast<uint32_t>(std::min<uint64_t>(number_of(name, value), UINT32_MAX));
    } else if (name == "by") {
      const std::string& by = text_of(name, value);
      question.by = by == name_of(GroupBy::kNothing) ? GroupBy::kNothing : parse_group_by(by);
    } else if (name == "tree") {
      question.tree = tree_from(text_of(name, value));
    } else if (name == "function") {
      question.function = text_of(name, value);
    } else if (name == "below") {
      question.below = text_of(name, value);
    } else if (name == "path") {
      expect_array(name, value);
      for (const Json& one : value) question.path.push_back(text_of(name, one));
    } else if (name == "skip_wrappers") {
      question.skip_wrappers = truth_of(name, value);
    } else if (name == "only_live") {
      question.only_live = truth_of(name, value);
    } else if (name == "sort") {
      question.sort = parse_measure(text_of(name, value));
    } else if (name == "top") {
      question.top = number_of(name, value);
    } else if (name == "least_share") {
      if (!value.real()) refuse(name, "a number");
      question.least_share = *value.real();
    } else if (name == "most_nodes") {
      question.most_nodes = number_of(name, value);
    } else if (name == "wanted") {
      question.wanted = wanted_from(value);
    } else {
      throw Error("a question has no '" + std::string(name) + "'", ErrorKind::kQuestion);
    }
  }
  return question;
}

}  // namespace heapledger
