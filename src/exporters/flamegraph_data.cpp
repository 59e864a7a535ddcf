// What the script reads (flamegraph_views.js):
//
//   metrics  for each: name, unit, what (the line below the heading)
//   names    for each function: its name, colour, shade, and where it is
//   nodes    of the tree from the outermost functions inwards, each before what it calls: the
//   number
//            of its name, and how many levels up from the node before it belongs
//   stacks   the node it ends with, as a difference to the stack before; how many functions lie
//            between the one to blame and malloc; a value for each metric
//   least    the share that a frame must have to be drawn
//   cut      how many stacks are not here, because there are too many; what they have is in totals
//   totals   of each metric
#include "exporters/flamegraph_data.h"

#include <tsl/robin_map.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "exporters/accounts.h"
#include "exporters/packed_text.h"
#include "exporters/stacks.h"
#include "text/json_text.h"
#include "text/text.h"

namespace heapledger {
namespace {

// The script takes a second for as many, and the file a few megabytes.
constexpr size_t kMostDataFrames = 8'000'000;

// The one that is asked for, and those that are asked for most.
std::vector<Metric> metrics_of(const ExportRequest& request) {
  std::vector<Metric> metrics = {request.metric};
  for (Measure measure :
       {Measure::kLiveBytes, Measure::kBytes, Measure::kCalls, Measure::kTemporaryCalls}) {
    if (measure != request.metric.measure) metrics.push_back({measure});
  }
  const Question& question = request.question;
  if (!question.between && question.at.kind != MomentSpec::Kind::kEnd) {
    metrics.push_back(kNeverFreedMetric);
  }
  const std::vector<LedgerFacts>& facts = request.ledgers.facts();
  bool timed =
      std::any_of(facts.begin(), facts.end(), [](const LedgerFacts& one) { return one.has_time; });
  if (timed && request.metric.measure != Measure::kTime) metrics.push_back({Measure::kTime});
  return metrics;
}

struct DataStack {
  std::vector<uint32_t> names;  // the outermost first
  size_t inside = 0;
  std::vector<uint64_t> values;
};

class FlameData {
 public:
  FlameData(ExportRequest& request, const FlameLayout& layout)
      : request_(request),
        layout_(layout),
        metrics_(metrics_of(request)),
        unfreed_(request, request.suppressions) {
    totals_.resize(metrics_.size());
    // All of them, whatever the picture is of: the others are for the other metrics.
    ExportRequest all = request_;
    all.metric.when = Metric::When::kAsked;
    for (const Row& row : ask_by_site(all).rows) add(row);
    std::sort(stacks_.begin(), stacks_.end(),
              [](const DataStack& a, const DataStack& b) { return a.names < b.names; });
  }

  std::string text(const FlamegraphRequest& wanted) const {
    Json json = {{"least", wanted.least_share}, {"cut", cut_}, {"totals", totals_}};
    Json metrics = Json::array();
    for (size_t i = 0; i < metrics_.size(); ++i) {
      ExportRequest one = request_;
      one.metric = metrics_[i];
      metrics.push_back({{"name", describe(metrics_[i], request_.question)},
                         {"unit", unit_of(metrics_[i])},
                         {"what", heading_of(one, wanted.picture, totals_[i]).what}});
    }
    json["metrics"] = std::move(metrics);
    json["names"] = names_;
    std::string text = json_line(json);
    text.pop_back();  // the object goes on
    return text + nodes_and_stacks() + "}";
  }

 private:
  void add(const Row& row) {
    DataStack stack;
    bool has_any = false;
    for (size_t i = 0; i < metrics_.size(); ++i) {
      const bool at_end = metrics_[i].when == Metric::When::kEnd;
      uint64_t value = at_end ? unfreed_.of(row.site)->bytes : value_of(row.all, metrics_[i]);
      totals_[i] += value;
      has_any = has_any || value > 0;
      stack.values.push_back(value);
    }
    if (!has_any) return;
    if (frames_ > kMostDataFrames) {
      ++cut_;
      return;
    }
    std::vector<NamedFrame> frames = frames_of(request_.ledgers, row.site);
    for (size_t i = frames.size(); i-- > 0;) stack.names.push_back(number_of(frames[i]));
    stack.inside = owner_place(request_.ledgers, row.site, frames);
    frames_ += frames.size();
    stacks_.push_back(std::move(stack));
  }

  uint32_t number_of(const NamedFrame& frame) {
    auto [place, is_new] = numbers_.try_emplace(frame.name, static_cast<uint32_t>(numbers_.size()));
    if (is_new) {
      std::string name = shown_name(frame.name);
      names_.push_back(Json::array({name, layout_.colour_of(frame.module), shade_of(name),
                                    place_text(frame.module, frame.file, frame.line)}));
    }
    return place->second;
  }

  std::string nodes_and_stacks() const {
    std::string nodes;
    std::string stacks;
    auto put = [](std::string& to, uint64_t value) {
      to += (to.empty() ? "" : ",") + std::to_string(value);
    };
    const std::vector<uint32_t> none;
    const std::vector<uint32_t>* before = &none;
    uint64_t last = 0;  // the node of a stack is the last one written: the root is 0
    uint64_t node = 0;
    for (const DataStack& stack : stacks_) {
      auto differ =
          std::mismatch(before->begin(), before->end(), stack.names.begin(), stack.names.end());
      auto up = static_cast<uint64_t>(before->end() - differ.first);
      for (auto name = differ.second; name != stack.names.end(); ++name) {
        put(nodes, *name);
        put(nodes, std::exchange(up, 0));
        ++node;
      }
      put(stacks, node - last);
      last = node;
      put(stacks, stack.inside);
      for (uint64_t value : stack.values) put(stacks, value);
      before = &stack.names;
    }
    return ",\"nodes\":[" + nodes + "],\"stacks\":[" + stacks + "]";
  }

  ExportRequest& request_;
  const FlameLayout& layout_;
  std::vector<Metric> metrics_;
  UnfreedBySite unfreed_;
  std::vector<uint64_t> totals_;
  std::vector<DataStack> stacks_;
  size_t frames_ = 0;
  uint64_t cut_ = 0;
  tsl::robin_map<std::string, uint32_t> numbers_;
  Json names_ = Json::array();
};

}  // namespace

std::string flame_data(ExportRequest& request, const FlamegraphRequest& wanted,
                       const FlameLayout& layout) {
  return packed_text(FlameData(request, layout).text(wanted));
}

}  // namespace heapledger
