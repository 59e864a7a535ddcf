// DHAT's data file, version 2: a program point for every stack, with all that was allocated there,
// how long it lived, the most at once, and what was live at the peak and at the end.
#include <tsl/robin_map.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "exporters/formats.h"
#include "exporters/stacks.h"
#include "exporters/valgrind_text.h"
#include "text/json_text.h"

namespace heapledger {
namespace {

constexpr uint64_t kNsPerUs = 1000;
constexpr uint64_t kShortLivedUs = 10;  // blocks that live no longer are called short-lived

// What a point has besides its figures at the peak.
struct More {
  uint64_t end_bytes = 0;
  uint64_t end_blocks = 0;
  uint64_t lifetimes_ns = 0;  // of all blocks; of one that is left, up to the end of its process
};
using MoreBySite = tsl::robin_map<uint32_t, More>;

MoreBySite more_by_site(const ExportRequest& request) {
  MoreBySite more;
  Question question = request.question;
  question.at = {MomentSpec::Kind::kEnd, 0, 0, {}};
  question.by = GroupBy::kSite;
  for (const Row& row : request.ledgers.ask(question).rows) {
    more[row.site].end_bytes += row.all.live_bytes;
    more[row.site].end_blocks += row.all.live_blocks;
  }
  request.ledgers.block_events(question, [&more](const BlockEvent& event) {
    if (event.what == BlockEvent::What::kBorn) return;
    more[event.site].lifetimes_ns += (event.time_ns - event.birth_ns) * event.calls;
  });
  return more;
}

// The frames of all points. Readers refuse two points with the same frames, so a frame is known by
// its place in the program, not by its text.
class Frames {
 public:
  Frames() { texts_.push_back("[root]"); }

  std::vector<size_t> numbers_of(const std::vector<NamedFrame>& frames) {
    std::vector<size_t> numbers;
    for (size_t i = 0; i < frames.size(); ++i) {
      const NamedFrame& frame = frames[i];
      std::string key = frame.module + '\0' + std::to_string(frame.pc) + '\0' + frame.name + '\0' +
                        frame.file + '\0' + std::to_string(frame.line);
      numbers.push_back(number_of(std::move(key), frame));
    }
    if (stacks_.try_emplace(numbers, true).second) return numbers;
    // Stacks that are too deep to tell them apart.
    numbers.push_back(texts_.size());
    texts_.push_back("[another stack]");
    return numbers;
  }

  const Json& texts() const { return texts_; }

 private:
  size_t number_of(std::string key, const NamedFrame& frame) {
    auto [place, is_new] = numbers_.try_emplace(std::move(key), texts_.size());
    if (is_new) texts_.push_back(valgrind_frame(frame));
    return place->second;
  }

  Json texts_ = Json::array();
  tsl::robin_map<std::string, size_t> numbers_;
  std::map<std::vector<size_t>, bool> stacks_;
};

Json point_json(const ExportedStack& stack, const More& more, Frames& frames) {
  Json point;
  point["tb"] = stack.figures.bytes;
  point["tbk"] = stack.figures.calls;
  point["tl"] = more.lifetimes_ns / kNsPerUs;
  point["mb"] = stack.figures.peak_bytes;
  point["mbk"] = stack.figures.peak_blocks;
  point["gb"] = stack.figures.live_bytes;
  point["gbk"] = stack.figures.live_blocks;
  point["eb"] = more.end_bytes;
  point["ebk"] = more.end_blocks;
  point["fs"] = frames.numbers_of(stack.frames);
  return point;
}

Json heading_json(ExportRequest& request) {
  const Overview& overview = request.ledgers.overview();
  Json json;
  json["dhatFileVersion"] = 2;
  json["mode"] = "heap";
  json["verb"] = "Allocated";
  json["bklt"] = true;
  json["bkacc"] = false;
  json["bu"] = "byte";
  json["bsu"] = "bytes";
  json["bksu"] = "blocks";
  json["tu"] = "µs";
  json["Mtu"] = "s";
  json["tuth"] = kShortLivedUs;
  json["cmd"] = valgrind_command(request.ledgers);
  json["pid"] = request.ledgers.facts().front().pid;
  json["tg"] = overview.peak_time_ns / kNsPerUs;
  json["te"] = overview.duration_ns / kNsPerUs;
  return json;
}

}  // namespace

void write_dhat(ExportRequest& request, Output& output) {
  std::string heading = json_line(heading_json(request));
  heading.pop_back();  // goes on with the points
  MoreBySite more = more_by_site(request);
  output.write(heading);
  output.write(",\n\"pps\":[");
  Frames frames;
  const char* before = "\n";
  for_each_stack(request, [&](const ExportedStack& stack) {
    output.write(std::exchange(before, ",\n"));
    output.write(json_line(point_json(stack, more[stack.site], frames)));
  });
  output.write("],\n\"ftbl\":[");
  before = "\n";
  for (const Json& text : frames.texts()) {
    output.write(std::exchange(before, ",\n"));
    output.write(json_line(text));
  }
  output.write("]}\n");
}

}  // namespace heapledger
