#include "cli/top/site_names.h"

#include <unordered_map>

#include "analyzer/naming.h"
#include "analyzer/query/stack_names.h"
#include "analyzer/site_catalog.h"
#include "symbols/shorten.h"

namespace heapledger::cli::top {
namespace {

// The sites of a heap as the analyzer has them, with all frames outside of them.
class Entering {
 public:
  explicit Entering(const cores::LiveHeap& heap) : heap_(heap), entered_(heap.sites.size()) {
    modules_.push_back(SiteCatalog::kNoModule);
    for (size_t i = 1; i < heap.modules.size(); ++i) {
      modules_.push_back(catalog_.module(heap.modules[i].path, heap.modules[i].build_id));
    }
  }

  uint32_t enter(uint32_t site) {
    std::vector<uint32_t> inwards;
    // Parents have lower numbers: whoever says otherwise would lead us in circles.
    for (uint32_t at = site, before = UINT32_MAX; at != 0 && at < before && entered_[at] == 0;
         before = at, at = heap_.sites[at].parent) {
      inwards.push_back(at);
    }
    while (!inwards.empty()) {
      uint32_t at = inwards.back();
      inwards.pop_back();
      const cores::LiveSite& frame = heap_.sites[at];
      uint32_t parent = frame.parent < at ? entered_[frame.parent] : SiteCatalog::kRoot;
      uint32_t module = frame.module < modules_.size() ? frame.module : 0;
      entered_[at] = catalog_.site(parent, modules_[module], heap_.modules[module].bias, frame.pc);
    }
    return entered_[site];
  }

  const SiteCatalog& catalog() const { return catalog_; }

 private:
  const cores::LiveHeap& heap_;
  SiteCatalog catalog_;
  std::vector<uint32_t> modules_;  // of the heap -> of the catalog
  std::vector<uint32_t> entered_;  // sites; kRoot: not yet
};

}  // namespace

void SiteNames::learn(const cores::LiveHeap& heap, std::span<const uint32_t> sites) {
  std::vector<uint32_t> fresh;
  for (uint32_t site : sites) {
    bool known = site < names_.size() && names_[site] != nullptr;
    if (!known && site != 0 && site < heap.sites.size()) fresh.push_back(site);
  }
  if (fresh.empty()) return;
  Entering entering(heap);
  for (uint32_t site : fresh) entering.enter(site);
  ResolveOptions resolving;
  resolving.debug_folders = options_.debug_folders;
  resolving.debuginfod = options_.debuginfod;
  SymbolTable symbols = name_sites(entering.catalog(), {}, resolving);
  StackNames::Rename rename;
  if (!options_.raw_names) rename = [](std::string_view name) { return shorten(name); };
  StackNames names(entering.catalog(), &symbols, rename);
  std::unordered_map<uint32_t, const NamedFrame*> kept;
  names_.resize(std::max(names_.size(), heap.sites.size()));
  std::vector<uint32_t> stack;
  for (uint32_t site : fresh) {
    names.stack(entering.enter(site), stack);
    SiteName& name = kept_.emplace_back();
    for (uint32_t number : stack) {
      const NamedFrame*& frame = kept[number];
      if (frame == nullptr) frame = &frames_.emplace_back(names.named(number));
      name.frames.push_back(frame);
    }
    if (!stack.empty()) name.blamed = name.frames[names.first_interesting(stack)];
    names_[site] = &name;
  }
}

}  // namespace heapledger::cli::top
