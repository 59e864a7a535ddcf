// Ledgers: what is kept for the next command, the first pass and the index.
#include <cstring>
#include <exception>

#include "analyzer/index/cube_store.h"
#include "analyzer/query.h"
#include "analyzer/query/kept_pass.h"
#include "analyzer/query/ledgers_parts.h"
#include "format/checksum.h"
#include "symbols/kept_files.h"

namespace heapledger {
namespace {

constexpr uint64_t kMostOfAllPasses = uint64_t{512} << 20;
constexpr uint64_t kMostOfOnePass = uint64_t{64} << 20;

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
