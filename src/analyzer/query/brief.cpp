#include "analyzer/query/brief.h"

#include <algorithm>
#include <unordered_map>

#include "analyzer/process_notes.h"
#include "analyzer/process_scan.h"
#include "analyzer/query/overview.h"
#include "format/modes.h"

namespace heapledger {
namespace {

using format::Entry;
using format::Kind;

// One note; notes of several windows are put in the order of a scan.
struct Ordered {
  uint64_t time;
  uint32_t window;  // its place among the windows
  Kind kind;
  uint32_t thread;  // that speaks
  uint32_t id;      // of a site
  uint32_t parent;
  uint32_t module;
  uint64_t pc;  // or, for others, where their text is
};

class Collector {
 public:
  explicit Collector(const ExtentIndex& index) {
    uint32_t place = 0;
    for (WindowExtents blocks : index.windows()) windows_[blocks.front().window].place = place++;
  }

  void add(uint32_t window, uint32_t extent_thread, const Entry& entry) {
    Window& from = windows_[window];
    if (from.extent_thread != extent_thread) {
      from.extent_thread = from.thread = extent_thread;
      add_text(from, {entry.time, from.place, Kind::kFork, extent_thread, 0, 0, 0, 0}, {});
    }
    format::FieldReader fields(entry.fields);
    uint64_t id, parent, module, pc;
    switch (entry.kind) {
      case Kind::kSite:
        if (fields.number(id) && fields.number(parent) && fields.number(module) &&
            fields.number(pc) && std::max({id, parent, module}) <= UINT32_MAX) {
          all_.push_back({entry.time, from.place, entry.kind, 0, static_cast<uint32_t>(id),
                          static_cast<uint32_t>(parent), static_cast<uint32_t>(module), pc});
        }
        break;
      case Kind::kThread:
        if (fields.number(id)) from.thread = static_cast<uint32_t>(id);
        [[fallthrough]];
      case Kind::kThreadName:
      case Kind::kModule:
      case Kind::kUnload:
      case Kind::kInfo:
      case Kind::kMarker:
      case Kind::kFrame:
      case Kind::kCode:
      case Kind::kChain:
        add_text(from, {entry.time, from.place, entry.kind, from.thread, 0, 0, 0, 0}, entry.fields);
        break;
      default:
        break;
    }
  }

  void tell(LedgerSites& sites, uint32_t number, Brief& brief) {
    std::stable_sort(all_.begin(), all_.end(), [](const Ordered& a, const Ordered& b) {
      return a.time != b.time ? a.time < b.time : a.window < b.window;
    });
    ProcessNotes notes;
    for (const Ordered& note : all_) {
      switch (note.kind) {
        case Kind::kSite:
          sites.define_site(note.id, note.parent, note.module, note.pc, {note.time, number});
          break;
        case Kind::kModule:
          if (ModuleNote module; read_module(texts_[note.pc], module)) {
            notes.add_module(module);
            sites.define_module(module.id, module.bias, module.path, module.build_id);
          }
          break;
        case Kind::kCode:
          sites.define_code(texts_[note.pc]);
          break;
        case Kind::kChain:
          sites.define_chain(texts_[note.pc], {note.time, number});
          break;
        case Kind::kFrame:
          sites.define_frame(texts_[note.pc], {note.time, number});
          break;
        case Kind::kUnload:
          notes.unload_module(texts_[note.pc]);
          break;
        case Kind::kInfo:
          notes.add_info(texts_[note.pc]);
          break;
        case Kind::kThread:
          notes.introduce_thread(texts_[note.pc]);
          break;
        case Kind::kThreadName:
          notes.rename_thread(notes.thread(note.thread), texts_[note.pc]);
          break;
        case Kind::kMarker:
          brief.markers.push_back({note.time, texts_[note.pc].substr(0, kMaxMarkerText)});
          break;
        default:
          notes.thread(note.thread);  // a filling of that thread
      }
    }
    sites.finish({0, number});
    notes.tell(brief.facts);
  }

 private:
  struct Window {
    uint32_t place = 0;
    uint32_t extent_thread = UINT32_MAX;
    uint32_t thread = 0;
  };

  void add_text(const Window&, Ordered note, std::string_view text) {
    note.pc = texts_.size();
    texts_.emplace_back(text);
    all_.push_back(note);
  }

  std::unordered_map<uint32_t, Window> windows_;
  std::vector<Ordered> all_;
  std::vector<std::string> texts_;
};

}  // namespace

uint32_t Brief::thread(uint32_t index) {
  uint32_t place = thread_places.find(index);
  if (place != IdTable::kNone) return place;
  place = static_cast<uint32_t>(facts.threads.size());
  facts.threads.push_back({index, 0, {}});
  thread_places.set(index, place);
  return place;
}

bool read_brief(std::unique_ptr<LedgerFile> file, LedgerSites& sites, Sampling& sampling,
                uint32_t number, Brief& brief) {
  if (!file->sealed()) return false;
  Collector collector(file->index());
  bool changed = false;
  auto use = [&](uint32_t window, uint32_t thread, const Entry& entry) {
    collector.add(window, thread, entry);
    if (entry.kind == Kind::kMode) sampling.change(entry.time, entry.fields);
    changed |= entry.kind == Kind::kMode;
  };
  if (!file->for_each_note(UINT64_MAX, use)) return false;
  collector.tell(sites, number, brief);
  if (!brief.facts.bypassed.empty()) return false;  // only the entries say what has come of that
  for (uint32_t i = 0; i < brief.facts.threads.size(); ++i) {
    brief.thread_places.set(brief.facts.threads[i].index, i);
  }
  brief.end_time = end_time_of(*file, file->last_time());
  tell_file(*file, brief.end_time, changed ? format::kModeTrace : file->header().mode, brief.facts);
  brief.file = std::move(file);
  return true;
}

}  // namespace heapledger
