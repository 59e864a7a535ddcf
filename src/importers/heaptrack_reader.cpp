#include "importers/heaptrack_reader.h"

#include <algorithm>
#include <utility>

#include "analyzer/error.h"
#include "format/entry.h"
#include "text/text.h"

namespace heapledger {
namespace {

constexpr uint64_t kNewestVersion = 3;       // of the format
constexpr uint64_t kFirstVersion = 0x10200;  // of heaptrack; it did not write one of the format
constexpr uint64_t kMostBytes = uint64_t{1} << 56;         // of a block
constexpr uint64_t kMostMilliseconds = uint64_t{1} << 42;  // more than a hundred years
constexpr uint64_t kMostTextBytes = uint64_t{1} << 30;     // of all names together
constexpr size_t kMostInlined = 1000;
constexpr uint64_t kLinesForProgress = 4096;

}  // namespace

bool HeaptrackReader::is_first_line(std::string_view line) {
  if (!line.starts_with("v ")) return false;
  HeaptrackLine first(line);
  uint64_t value = 0;
  return first.number(value) && (first.at_end() || (first.number(value) && first.at_end()));
}

Imported HeaptrackReader::read(std::string_view first, uint64_t ended_ns,
                               const ImportProgress& progress) {
  HeaptrackLine opening(first);
  version(opening);
  std::string_view text;
  while (lines_.next(text)) {
    HeaptrackLine line(text);
    use(line);
    if (progress && lines_.number() % kLinesForProgress == 0) {
      progress(lines_.bytes_read(), lines_.bytes_in_all());
    }
  }
  if (form_ == Form::kInterpreted) imported_.symbols = symbols_.encode();
  imported_.cut_short = lines_.cut_short();
  ledger_.info(format::InfoKey::kExecutable, executable_);
  ledger_.info(format::InfoKey::kRuntime, "imported from " + imported_.what);
  ledger_.finish(page_bytes_, ended_ns);
  return std::move(imported_);
}

void HeaptrackReader::fail(const std::string& what) const {
  throw Error(lines_.name() + ": line " + std::to_string(lines_.number()) + ": " + what,
              ErrorKind::kData);
}

uint64_t HeaptrackReader::number(HeaptrackLine& line) const {
  uint64_t value = 0;
  if (!line.number(value)) fail("a hexadecimal number is missing");
  return value;
}

void HeaptrackReader::expect(Form form) {
  if (form_ == Form::kUnknown) form_ = form;
  if (form_ != form) fail("lines of raw and of interpreted recordings in one file");
}

void HeaptrackReader::use(HeaptrackLine& line) {
  switch (line.kind()) {
    case '+':
      return allocation(line);
    case '-':
      return end(line);
    case 't':
      return trace(line);
    case 'a':
      return info(line);
    case 'i':
      return address(line);
    case 's':
      return text(line);
    case 'm':
      return module(line);
    case 'c':
      return ledger_.at(std::min(number(line), kMostMilliseconds) * 1'000'000);
    case 'R':
      return resident(number(line));
    case 'I':
      page_bytes_ = static_cast<uint32_t>(std::clamp<uint64_t>(number(line), 1, 1u << 24));
      return;
    case 'x': {
      expect(Form::kRaw);
      std::string_view path;
      if (!line.text(path, sized_texts_, true)) fail("a text is missing");
      executable_ = path;
      return;
    }
    case 'X':
      return command(line.rest());
    case '#':  // a remark, or nothing at all
    case 'A':  // it was attached to a running process
    case 'S':  // a suppression
      return;
    default:
      fail("what it begins with is not known");
  }
}

void HeaptrackReader::version(HeaptrackLine& line) {
  uint64_t writer = number(line);
  uint64_t format = writer == kFirstVersion ? 1 : 0;
  if (!line.at_end()) format = number(line);
  if (format == 0 || format > kNewestVersion) {
    throw Error(lines_.name() + ": is a heaptrack recording of version " + std::to_string(format) +
                    "; versions 1 to 3 can be read",
                ErrorKind::kData);
  }
  sized_texts_ = format >= 3;
  imported_.what = "heaptrack " + std::to_string(writer >> 16) + '.' +
                   std::to_string(writer >> 8 & 0xFF) + '.' + std::to_string(writer & 0xFF);
}

void HeaptrackReader::command(std::string_view text) {
  if (executable_.empty()) executable_ = text.substr(0, text.find(' '));
  std::string words(text);
  std::replace(words.begin(), words.end(), ' ', '\0');
  ledger_.info(format::InfoKey::kCommand, words + '\0');
}

void HeaptrackReader::resident(uint64_t pages) {
  ledger_.memory(std::min(pages, kMostBytes / page_bytes_) * page_bytes_);
}

void HeaptrackReader::text(HeaptrackLine& line) {
  expect(Form::kInterpreted);
  std::string_view text;
  if (!line.text(text, sized_texts_, true)) fail("a text is missing");
  text_bytes_ += text.size();
  if (text_bytes_ > kMostTextBytes) fail("more names than there can be");
  texts_.emplace_back(text);
}

const std::string& HeaptrackReader::text_at(uint64_t number) const {
  if (number >= texts_.size()) fail("a text that is not there yet");
  return texts_[number];
}

uint32_t HeaptrackReader::new_module(uint64_t start, uint64_t end, uint64_t bias,
                                     std::string_view path) {
  ledger_.module(++modules_, start, end, bias, path);
  return modules_;
}

// Of interpreted recordings, which do not say where it was: every address is its own.
uint32_t HeaptrackReader::module_for(const std::string& path) {
  auto [place, is_new] = module_ids_.try_emplace(path, 0);
  if (is_new) place->second = new_module(0, UINT64_MAX, 0, path);
  return place->second;
}

void HeaptrackReader::address(HeaptrackLine& line) {
  expect(Form::kInterpreted);
  Address address;
  address.pc = std::max(number(line), format::kFirstCode);
  const std::string& module = text_at(number(line));
  std::vector<SymbolFrame> frames;
  uint64_t function = 0;
  while (line.number(function)) {
    uint64_t file = 0;
    uint64_t number_of_line = 0;
    (void)(line.number(file) && line.number(number_of_line));
    if (frames.size() == kMostInlined) fail("more inlined functions than there can be");
    SymbolFrame& frame = frames.emplace_back();
    frame.function = symbols_.intern(text_at(function));
    frame.file = symbols_.intern(text_at(file));
    frame.line = static_cast<uint32_t>(std::min<uint64_t>(number_of_line, UINT32_MAX));
    frame.inlined = true;
  }
  if (!frames.empty()) frames.back().inlined = false;
  if (!module.empty() || !frames.empty()) {
    // Names belong to modules; a place without one is not to be looked up later, by chance.
    if (frames.empty()) frames.emplace_back();
    const std::string path = module.empty() ? "[unknown]" : module;
    address.module = module_for(path);
    uint32_t known = symbols_.module(path, "");
    symbols_.set(known, address.pc - 1, frames);
    symbols_.set_source(known, SymbolSource::kDebugInfo, "");
  }
  addresses_.push_back(address);
}

void HeaptrackReader::trace(HeaptrackLine& line) {
  uint64_t pointer = number(line);
  uint64_t parent = number(line);
  if (parent > traces_ || traces_ == UINT32_MAX - 1) fail("a trace that is not there yet");
  Address address;
  if (form_ == Form::kInterpreted) {
    if (pointer >= addresses_.size()) fail("an address that is not there yet");
    address = addresses_[pointer];
  } else {
    expect(Form::kRaw);
    address.pc = std::max(pointer, format::kFirstCode);
    auto place = places_.upper_bound(pointer);
    if (place != places_.begin() && pointer <= (--place)->second.end) {
      address.module = place->second.id;
    }
  }
  ledger_.site(++traces_, static_cast<uint32_t>(parent), address.module,
               std::max(address.pc, format::kFirstCode));
}

void HeaptrackReader::info(HeaptrackLine& line) {
  expect(Form::kInterpreted);
  uint64_t size = number(line);
  uint64_t trace = number(line);
  if (size > kMostBytes || trace > traces_) fail("a size or a trace that makes no sense");
  auto [place, is_new] = alike_places_.try_emplace({size, trace}, alike_.size());
  if (is_new) alike_.push_back({size, static_cast<uint32_t>(trace), {}});
  infos_.push_back(place->second);
}

void HeaptrackReader::allocation(HeaptrackLine& line) {
  ++imported_.calls;
  uint64_t first = number(line);
  if (form_ == Form::kInterpreted) {
    if (first >= infos_.size()) fail("a size and trace that are not there yet");
    Alike& alike = alike_[infos_[first]];
    uint64_t address = made_up_.take(alike.size);
    if (address == 0) fail("more memory than there can be");
    alike.live.push_back(address);
    ledger_.malloc(address, alike.size, alike.trace);
    last_birth_ = first;
    return;
  }
  expect(Form::kRaw);
  uint64_t trace = number(line);
  uint64_t pointer = number(line);
  if (first > kMostBytes || trace > traces_) fail("a size or a trace that makes no sense");
  blocks_.insert(pointer);
  ledger_.malloc(pointer, first, static_cast<uint32_t>(trace));
}

// The one allocated last; but when a block was allocated just now, and this one has another number,
// it is not that one: then it would be temporary, and for heaptrack it is not.
bool HeaptrackReader::end_interpreted(uint64_t info) {
  if (info >= infos_.size()) fail("a size and trace that are not there yet");
  Alike& alike = alike_[infos_[info]];
  if (alike.live.empty()) return false;
  bool another = last_birth_ < infos_.size() && last_birth_ != info &&
                 infos_[last_birth_] == infos_[info] && alike.live.size() > 1;
  if (another) std::swap(alike.live.back(), alike.live[alike.live.size() - 2]);
  uint64_t address = alike.live.back();
  alike.live.pop_back();
  made_up_.give_back(address, alike.size);
  ledger_.free(address);
  last_birth_ = UINT64_MAX;
  return true;
}

void HeaptrackReader::end(HeaptrackLine& line) {
  uint64_t which = number(line);
  bool known = false;
  if (form_ == Form::kInterpreted) {
    known = end_interpreted(which);
  } else {
    known = blocks_.erase(which) > 0;
    if (known) ledger_.free(which);
  }
  // The others were allocated before heaptrack was there.
  ++(known ? imported_.frees : imported_.unmatched);
}

// `m - ` begins the list of all modules anew; `m PATH START (OFFSET SIZE)…` is one of them.
void HeaptrackReader::module(HeaptrackLine& line) {
  expect(Form::kRaw);
  std::string_view name;
  if (!line.text(name, sized_texts_, false)) fail("a text is missing");
  if (name == "-") {
    for (const auto& [start, place] : places_) ledger_.unload(place.id);
    places_.clear();
    return;
  }
  std::string path = name == "x" ? executable_ : std::string(name);
  uint64_t bias = number(line);
  uint64_t offset = 0;
  uint64_t size = 0;
  while (line.number(offset) && line.number(size)) {
    uint64_t start = bias + offset;
    if (size > kMostBytes || start + size < start) fail("a module that cannot be there");
    places_[start] = {start + size, new_module(start, start + size, bias, path)};
  }
}

}  // namespace heapledger
