#include "exporters/firefox_stacks.h"

#include <utility>

#include "exporters/stacks.h"
#include "text/json_text.h"
#include "text/text.h"

namespace heapledger {
namespace {

std::string number_or(int64_t value, const char* otherwise) {
  return value < 0 ? otherwise : std::to_string(value);
}

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// The place of a key in its table, which gets a new row for a new one.
template <typename Keys, typename Rows, typename Row>
uint32_t place_of(Keys& keys, std::string key, Rows& rows, Row&& row) {
  auto [place, is_new] = keys.try_emplace(std::move(key), static_cast<uint32_t>(rows.size()));
  if (is_new) rows.push_back(std::forward<Row>(row));
  return place->second;
}

std::string key_of(int64_t a, int64_t b, int64_t c = 0, int64_t d = 0) {
  return std::to_string(a) + ' ' + std::to_string(b) + ' ' + std::to_string(c) + ' ' +
         std::to_string(d);
}

}  // namespace

uint32_t FirefoxStacks::text(std::string_view bytes) {
  std::string json = json_line(as_utf8(bytes));
  return place_of(texts_, json, text_list_, json);
}

uint32_t FirefoxStacks::library(const std::string& path) {
  return place_of(libraries_, path, library_list_, path);
}

uint32_t FirefoxStacks::source(const std::string& file) {
  return place_of(sources_, file, source_list_, text(file));
}

uint32_t FirefoxStacks::function(const NamedFrame& frame) {
  Function function;
  function.name = text(frame.name);
  if (!frame.module.empty()) function.resource = library(frame.module);
  if (!frame.file.empty()) function.source = source(frame.file);
  return place_of(functions_, key_of(function.name, function.resource, function.source),
                  function_list_, function);
}

uint32_t FirefoxStacks::frame(const NamedFrame& named, uint32_t depth) {
  FrameRow row;
  row.function = function(named);
  // The profiler has 32 bits for it.
  if (!named.module.empty() && named.offset <= UINT32_MAX) {
    row.address = static_cast<int64_t>(named.offset);
  }
  row.depth = depth;
  row.line = named.line;
  return place_of(frames_, key_of(row.function, row.address, row.depth, row.line), frame_list_,
                  row);
}

uint32_t FirefoxStacks::stack(uint32_t frame, int64_t prefix) {
  return place_of(stacks_, key_of(frame, prefix), stack_list_, StackRow{frame, prefix});
}

uint32_t FirefoxStacks::stack_of(uint32_t site) {
  auto [place, is_new] = by_site_.try_emplace(site, 0);
  if (!is_new) return place->second;
  std::vector<NamedFrame> frames = frames_of(ledgers_, site);
  int64_t prefix = -1;
  uint32_t depth = 0;
  for (size_t i = frames.size(); i-- > 0;) {
    depth = frames[i].inlined ? depth + 1 : 0;
    prefix = stack(frame(frames[i], depth), prefix);
  }
  place.value() = static_cast<uint32_t>(prefix);
  return place->second;
}

void FirefoxStacks::write_frames(Output& output) const {
  output.write("\"stackTable\":{");
  write_column(output, "frame", stack_list_,
               [](const StackRow& row) { return std::to_string(row.frame); });
  write_column(output, "prefix", stack_list_,
               [](const StackRow& row) { return number_or(row.prefix, "null"); });
  output.write("\"length\":" + std::to_string(stack_list_.size()) + "},\"frameTable\":{");
  write_column(output, "address", frame_list_,
               [](const FrameRow& row) { return std::to_string(row.address); });
  write_column(output, "inlineDepth", frame_list_,
               [](const FrameRow& row) { return std::to_string(row.depth); });
  write_column(output, "func", frame_list_,
               [](const FrameRow& row) { return std::to_string(row.function); });
  write_column(output, "line", frame_list_, [](const FrameRow& row) {
    return row.line == 0 ? "null" : std::to_string(row.line);
  });
  for (const char* name : {"category", "subcategory"}) {
    write_column(output, name, frame_list_, [](const FrameRow&) { return "0"; });
  }
  for (const char* name : {"nativeSymbol", "innerWindowID", "column"}) {
    write_column(output, name, frame_list_, [](const FrameRow&) { return "null"; });
  }
  output.write("\"length\":" + std::to_string(frame_list_.size()) + "},");
}

void FirefoxStacks::write_functions(Output& output) const {
  output.write("\"funcTable\":{");
  write_column(output, "name", function_list_,
               [](const Function& row) { return std::to_string(row.name); });
  write_column(output, "resource", function_list_,
               [](const Function& row) { return std::to_string(row.resource); });
  write_column(output, "source", function_list_,
               [](const Function& row) { return number_or(row.source, "null"); });
  for (const char* name : {"isJS", "relevantForJS"}) {
    write_column(output, name, function_list_, [](const Function&) { return "false"; });
  }
  for (const char* name : {"lineNumber", "columnNumber"}) {
    write_column(output, name, function_list_, [](const Function&) { return "null"; });
  }
  output.write("\"length\":" + std::to_string(function_list_.size()) + "},\"sources\":{");
  write_column(output, "id", source_list_, [](uint32_t) { return "null"; });
  write_column(output, "filename", source_list_,
               [](uint32_t name) { return std::to_string(name); });
  output.write("\"length\":" + std::to_string(source_list_.size()) + "},");
}

void FirefoxStacks::write(Output& output) const {
  // The texts of libraries are the only ones that come last.
  std::vector<std::string> texts = text_list_;
  size_t first_library = texts.size();
  for (const std::string& path : library_list_) {
    texts.push_back(json_line(as_utf8(file_name(path))));
  }
  output.write("\"shared\":{");
  write_column(output, "stringArray", texts, [](const std::string& json) { return json; });
  write_frames(output);
  write_functions(output);
  output.write("\"resourceTable\":{");
  size_t number = 0;
  write_column(output, "lib", library_list_,
               [&number](const std::string&) { return std::to_string(number++); });
  write_column(output, "name", library_list_,
               [&first_library](const std::string&) { return std::to_string(first_library++); });
  write_column(output, "host", library_list_, [](const std::string&) { return "null"; });
  write_column(output, "type", library_list_, [](const std::string&) { return "1"; });
  output.write("\"length\":" + std::to_string(library_list_.size()) + "},");
  output.write(R"("nativeSymbols":{"libIndex":[],"address":[],"name":[],"functionSize":[],)");
  output.write(R"("length":0}},)");
  write_column(output, "libs", library_list_, [](const std::string& path) {
    return json_line(Json{{"arch", nullptr},
                          {"name", as_utf8(file_name(path))},
                          {"path", as_utf8(path)},
                          {"debugName", as_utf8(file_name(path))},
                          {"debugPath", as_utf8(path)},
                          {"breakpadId", ""},
                          {"codeId", nullptr}});
  });
}

}  // namespace heapledger
