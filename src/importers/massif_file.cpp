#include "importers/massif_file.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "analyzer/error.h"

namespace heapledger {
namespace {

constexpr uint64_t kMostHeapBytes = uint64_t{1} << 56;
constexpr uint64_t kMostTimeNs = uint64_t{1} << 62;  // more than a hundred years
constexpr size_t kMostSnapshots = 1'000'000;
constexpr size_t kDeepestTree = 10'000;
constexpr std::string_view kEndOfStack = "0x0: [the stack ends here]";  // of our own exports
constexpr const char* kBelowThreshold = "[below massif's threshold]";

bool take_number(std::string_view& text, uint64_t& number) {
  auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(at - text.data()));
  return true;
}

// "in 3 places, all below massif's threshold (1.00%)": how many there are changes all the time.
bool is_below_threshold(std::string_view label) {
  return label.starts_with("in ") && label.find("below massif's threshold") != label.npos;
}

// A stack may appear twice in a tree, when what told its parts apart is not shown.
void merge_same(std::vector<std::pair<uint32_t, uint64_t>>& stacks) {
  std::map<uint32_t, uint64_t> sums;
  for (const auto& [site, bytes] : stacks) sums[site] += bytes;
  stacks.assign(sums.begin(), sums.end());
}

}  // namespace

void MassifFile::fail(const std::string& what) const {
  throw Error(lines_.name() + ": line " + std::to_string(lines_.number()) + ": " + what,
              ErrorKind::kData);
}

// Comments are left out.
bool MassifFile::next(std::string_view& line) {
  while (lines_.next(line)) {
    if (!line.starts_with('#')) return true;
  }
  if (lines_.cut_short()) fail("the file ends in the middle");
  return false;
}

std::string_view MassifFile::value_of(std::string_view key) {
  std::string_view line;
  if (!next(line)) fail("the file ends in the middle");
  if (!line.starts_with(key)) fail("\"" + std::string(key) + "\" is missing");
  return line.substr(key.size());
}

uint64_t MassifFile::number_of(std::string_view key) {
  std::string_view text = value_of(key);
  uint64_t number = 0;
  if (!take_number(text, number) || !text.empty()) fail("a number is missing");
  return number;
}

void MassifFile::heading() {
  (void)value_of("desc: ");
  command_ = value_of("cmd: ");
  std::string_view unit = value_of("time_unit: ");
  // Instructions and bytes are no times; they are taken for microseconds.
  if (unit == "ms") {
    unit_ns_ = 1'000'000;
  } else if (unit == "i" || unit == "B") {
    unit_ns_ = 1000;
  } else {
    fail("a unit of time that massif does not have");
  }
}

std::vector<MassifSnapshot> MassifFile::read() {
  heading();
  std::vector<MassifSnapshot> snapshots;
  std::string_view line;
  while (next(line)) {
    if (!line.starts_with("snapshot=")) fail("here a snapshot should begin");
    if (snapshots.size() == kMostSnapshots) fail("more snapshots than there can be");
    MassifSnapshot one = snapshot();
    if (!snapshots.empty() && one.time_ns < snapshots.back().time_ns) {
      fail("a snapshot that is earlier than the one before");
    }
    snapshots.push_back(std::move(one));
  }
  if (snapshots.empty()) fail("the file has no snapshot");
  return snapshots;
}

MassifSnapshot MassifFile::snapshot() {
  MassifSnapshot snapshot;
  snapshot.time_ns = std::min(number_of("time="), kMostTimeNs / unit_ns_) * unit_ns_;
  snapshot.bytes = number_of("mem_heap_B=");
  if (snapshot.bytes > kMostHeapBytes) fail("more memory than there can be");
  (void)number_of("mem_heap_extra_B=");
  (void)number_of("mem_stacks_B=");
  std::string_view kind = value_of("heap_tree=");
  if (kind == "detailed" || kind == "peak") {
    tree(snapshot);
  } else if (kind != "empty") {
    fail("a kind of tree that massif does not have");
  }
  return snapshot;
}

void MassifFile::tree(MassifSnapshot& snapshot) {
  snapshot.has_stacks = true;
  nodes_.clear();
  frames_.clear();
  // What the snapshot has more than its tree is of no stack.
  nodes_.push_back({1, snapshot.bytes, lines_.number(), false});
  std::string_view line;
  while (!nodes_.empty()) {
    if (!next(line)) fail("the file ends in the middle of a tree");
    tree_line(line);
    close_nodes(snapshot);
  }
  merge_same(snapshot.stacks);
}

// "  n2: 100 label", with a space for each line that it is below.
void MassifFile::tree_line(std::string_view line) {
  const size_t depth = nodes_.size() - 1;
  std::string_view rest = line;
  Node node;
  bool good = rest.find_first_not_of(' ') == depth && rest[depth] == 'n';
  if (good) rest.remove_prefix(depth + 1);
  good = good && take_number(rest, node.below) && rest.starts_with(": ");
  if (good) rest.remove_prefix(2);
  good = good && take_number(rest, node.bytes) && rest.starts_with(' ');
  if (!good) fail("a line of a tree is missing, with " + std::to_string(depth) + " spaces");
  rest.remove_prefix(1);
  if (depth >= kDeepestTree) fail("a tree deeper than there can be");
  Node& parent = nodes_.back();
  if (node.bytes > parent.bytes) {
    fail("more bytes than line " + std::to_string(parent.line) + " has left for it");
  }
  parent.bytes -= node.bytes;
  --parent.below;
  node.line = lines_.number();
  node.is_frame = depth > 0 && rest != kEndOfStack;  // the root is all functions that allocate
  if (node.is_frame) {
    frames_.push_back(sites_.frame(is_below_threshold(rest) ? kBelowThreshold : rest));
  }
  nodes_.push_back(node);
}

// What the lines below a line do not have is its own.
void MassifFile::close_nodes(MassifSnapshot& snapshot) {
  while (!nodes_.empty() && nodes_.back().below == 0) {
    const Node& node = nodes_.back();
    if (node.bytes > 0) snapshot.stacks.emplace_back(sites_.site(frames_), node.bytes);
    if (node.is_frame) frames_.pop_back();
    nodes_.pop_back();
  }
}

}  // namespace heapledger
