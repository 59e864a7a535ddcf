// Ledgers: what is kept for the next command, the first pass and the index.
#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include "analyzer/index/cube_store.h"
#include "analyzer/query.h"
#include "analyzer/query/kept_pass.h"
#include "analyzer/query/ledgers_parts.h"
#include "analyzer/seal/seal_file.h"
#include "format/checksum.h"
#include "symbols/kept_files.h"

namespace heapledger {
namespace {

constexpr uint64_t kMostOfAllPasses = uint64_t{512} << 20;
constexpr uint64_t kMostOfOnePass = uint64_t{64} << 20;
constexpr uint64_t kBytesOfEntry = 4;  // a little less than a raw one takes

KeptFiles kept_passes(const Options::Keeping& keeping) {
  return {keeping.folder, kMostOfAllPasses, kMostOfOnePass};
}

uint64_t sum_of(const std::string& bytes) {
  return format::checksum(bytes.data(), bytes.size());
}

std::string name_of_pass(const Options::Keeping& keeping) {
  std::string paths;
  for (const std::string& path : keeping.paths) paths += path + '\0';
  const uint64_t sum = sum_of(paths);
  return hexadecimal({reinterpret_cast<const char*>(&sum), sizeof sum});
}

std::string name_of_index(const Options::Keeping& keeping) {
  return name_of_pass(keeping) + "-index";
}

}  // namespace

bool Ledgers::Parts::can_keep() const {
  const Options::Keeping& keeping = set.options().keeping;
  return !keeping.folder.empty() && keeping.paths.size() == set.size();
}

void Ledgers::Parts::keep() {
  const Options::Keeping& keeping = set.options().keeping;
  uint64_t entries = 0;
  for (const LedgerFacts& facts : views.front()->overview.processes) entries += facts.entries;
  if (!can_keep() || entries < keeping.least_entries) return;
  try {
    for (const std::string& path : keeping.paths) {
      if (!LedgerFile(open_file(path), true).sealed()) return;
    }
    const std::optional<std::string> packed = pack_pass(*views.front(), set);
    if (!packed) return;
    kept_passes(keeping).store(name_of_pass(keeping), sign_of_files(keeping.paths), *packed);
    kept_pass_sum = sum_of(*packed);
  } catch (const std::exception&) {
    // Then it is made again.
  }
}

bool Ledgers::Parts::take_kept(HeapView& first) {
  const Options::Keeping& keeping = set.options().keeping;
  if (!can_keep()) return false;
  if (set.options().checkpoints) return false;  // which only a pass leaves
  const std::optional<std::string> packed =
      kept_passes(keeping).find(name_of_pass(keeping), sign_of_files(keeping.paths));
  if (!packed || !read_briefs() || !unpack_pass(*packed, set, briefs, first)) return false;
  list_sites();
  named = {};
  kept_pass_sum = sum_of(*packed);
  return true;
}

// It speaks of accounts by their numbers, which are those of one kept pass.
void Ledgers::Parts::keep_index() {
  const std::shared_ptr<const IndexReader> made = index_reader();
  if (kept_pass_sum == 0 || made == nullptr) return;
  const Options::Keeping& keeping = set.options().keeping;
  try {
    std::string content(reinterpret_cast<const char*>(&kept_pass_sum), sizeof kept_pass_sum);
    content += pack_cube(made->cube());
    kept_passes(keeping).store(name_of_index(keeping), sign_of_files(keeping.paths), content);
  } catch (const std::exception&) {
    // Likewise.
  }
}

bool Ledgers::Parts::keeps_index() const {
  const Options& options = set.options();
  if (!options.with_index || !can_keep()) return options.with_index;
  if (set.work_bytes() / kBytesOfEntry < options.keeping.least_entries) return false;
  const std::vector<std::string>& paths = options.keeping.paths;
  if (options.checkpoints) return true;  // they are about to be sealed
  try {
    return std::all_of(paths.begin(), paths.end(), seal::is_sealed_file);
  } catch (const std::exception&) {
    return false;
  }
}

// Reading it takes a moment, too.
bool Ledgers::Parts::can_be_in_index(const Question& question) const {
  const Edges edges = edges_of_series();
  auto is_edge = [&](const MomentSpec& moment) {
    const Watch watch = resolve(moment);
    return watch.what != Watch::What::kTime || edges.at(watch.time_ns);
  };
  if (!question.between) return is_edge(question.at);
  return question.wanted.no_range_peaks && is_edge(question.between->first) &&
         is_edge(question.between->second);
}

// Once.
void Ledgers::Parts::look_for_kept_index() {
  if (!set.options().with_index || std::exchange(kept_index_tried, true)) return;
  if (index_reader() == nullptr) take_kept_index();
}

bool Ledgers::Parts::take_kept_index() {
  if (kept_pass_sum == 0) return false;
  const Options::Keeping& keeping = set.options().keeping;
  const std::optional<std::string> content =
      kept_passes(keeping).find(name_of_index(keeping), sign_of_files(keeping.paths));
  uint64_t of = 0;
  if (!content || content->size() < sizeof of) return false;
  std::memcpy(&of, content->data(), sizeof of);
  if (of != kept_pass_sum) return false;
  std::optional<Cube> cube =
      unpack_cube(std::string_view(*content).substr(sizeof of), static_cast<uint32_t>(sites.size()),
                  set.options().index_rows);
  if (cube) index_is_made(std::make_shared<const Cube>(*std::move(cube)));
  return index_reader() != nullptr;
}

void Ledgers::keep_first_pass() {
  Turn turn(*this);
  if (!parts_->is_read()) return;
  parts_->keep();
  parts_->keep_index();
}

}  // namespace heapledger
