#include "cli/view/one_file.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "exporters/packed_text.h"
#include "server/columns.h"
#include "server/recording.h"
#include "viewer/assets.h"

namespace heapledger::cli::view {
namespace {

constexpr uint32_t kEdges = 24;

// Of stacks, which need no pass at edges of the index; and of blocks, which do.
constexpr std::array<GroupBy, 6> kByStacks = {GroupBy::kOwner, GroupBy::kPart, GroupBy::kFunction,
                                              GroupBy::kLine,  GroupBy::kFile, GroupBy::kModule};
constexpr std::array<GroupBy, 4> kByBlocks = {GroupBy::kThread, GroupBy::kSizeClass,
                                              GroupBy::kLifetimeClass, GroupBy::kLedger};

// How much of every answer is taken.
struct Detail {
  size_t rows = 400;
  size_t nodes = 4'000;
};

struct Moment {
  std::string word;
  bool is_named;  // and not one of many
};

std::vector<Moment> moments_of(Ledgers& ledgers) {
  const Overview& overview = ledgers.overview();
  std::vector<Moment> moments;
  if (!overview.is_live()) moments.push_back({"peak", true});
  if (overview.rss_peak_bytes > 0 && !overview.is_live()) moments.push_back({"rss-peak", true});
  moments.push_back({"end", true});
  const Edges edges = ledgers.edges();
  uint32_t last = UINT32_MAX;
  for (uint32_t i = 1; i <= kEdges && edges.count > 0; ++i) {
    const auto edge = static_cast<uint32_t>(uint64_t{edges.count} * i / (kEdges + 1));
    if (edge == last || edge >= edges.count) continue;
    last = edge;
    moments.push_back({std::to_string(edges.time_of(edge)) + "ns", false});
  }
  return moments;
}

class Answers {
 public:
  Answers(const server::Shown& shown, Detail detail)
      : ledgers_(*shown.ledgers), threads_(shown.ledgers->facts()), detail_(detail) {}

  // All that is asked at one moment.
  Json at(const MomentSpec& moment, Measure sort, bool with_blocks) {
    Json answers = Json::object();
    Question question;
    question.at = moment;
    question.sort = sort;
    question.top = detail_.rows;
    question.most_nodes = detail_.nodes;
    for (const GroupBy by : kByStacks) put(answers, question, by);
    if (with_blocks) {
      for (const GroupBy by : kByBlocks) put(answers, question, by);
    }
    question.tree = TreeShape::kTopDown;
    answers["tree"] = columns(question);
    question.tree = TreeShape::kBottomUp;
    answers["bottom-up"] = columns(question);
    return answers;
  }

 private:
  void put(Json& answers, Question& question, GroupBy by) {
    question.by = by;
    answers[name_of(by)] = columns(question);
  }

  Json columns(const Question& question) {
    return server::answer_columns(
        ledgers_.ask(question), files_,
        [this](uint32_t ledger, uint64_t tid) { return threads_.of_tid(ledger, tid); });
  }

  Ledgers& ledgers_;
  server::ThreadNumbers threads_;
  server::FileNumbers files_;
  Detail detail_;
};

std::string_view asset(std::string_view path) {
  for (const viewer::Asset& one : viewer::assets()) {
    if (one.path == path) return one.bytes;
  }
  throw std::logic_error("the page has no " + std::string(path));
}

void replace_in_page(std::string& page, std::string_view old, const std::string& by) {
  const size_t place = page.find(old);
  if (place == std::string::npos) throw std::logic_error("the page has no " + std::string(old));
  page.replace(place, old.size(), by);
}

std::string page_with(const std::string& data) {
  std::string page(asset("/"));
  replace_in_page(page, "<link rel=\"icon\" href=\"/icon.svg\" type=\"image/svg+xml\">\n", "");
  replace_in_page(page, "<link rel=\"stylesheet\" href=\"/page.css\">",
                  "<style>" + std::string(asset("/page.css")) + "</style>");
  replace_in_page(page, "<script src=\"/page.js\"></script>",
                  "<script type=\"application/json\" id=\"recording\">" + data +
                      "</script>\n<script>" + std::string(asset("/page.js")) + "</script>");
  return page;
}

OneFile file_with(const server::Shown& shown, Detail detail,
                  const std::function<void(uint64_t, uint64_t)>& told) {
  Ledgers& ledgers = *shown.ledgers;
  Answers answers(shown, detail);
  Json json = Json::object();
  json["recording"] = server::recording_json(shown);
  const std::vector<Moment> moments = moments_of(ledgers);
  json["moments"] = Json::array();
  for (size_t i = 0; i < moments.size(); ++i) {
    told(i, moments.size() + 1);
    const MomentSpec spec = parse_moment(moments[i].word);
    json["moments"].push_back(
        {{"at", moments[i].word},
         {"ns", ledgers.time_of(spec)},
         {"answers", answers.at(spec, Measure::kLiveBytes, moments[i].is_named)}});
  }
  told(moments.size(), moments.size() + 1);
  json["whole"] = answers.at(parse_moment("end"), Measure::kBytes, true);
  return {page_with(packed_text(json_line(json))), moments.size(), detail.rows};
}

}  // namespace

OneFile one_file(const server::Shown& shown, size_t most_bytes,
                 const std::function<void(uint64_t, uint64_t)>& told) {
  shown.ledgers->make_index(false);
  Detail detail;
  while (true) {
    OneFile file = file_with(shown, detail, told);
    if (file.page.size() <= most_bytes || detail.rows <= 25) return file;
    // What is packed is about as large as what goes in.
    const size_t fits = detail.rows * most_bytes / file.page.size();
    detail.rows = std::max<size_t>(25, fits * 9 / 10);
    detail.nodes = detail.rows * 10;
  }
}

}  // namespace heapledger::cli::view
