// Answers as columns: a list for each thing that rows have, instead of an object for each row, with
// the texts in one table and files by number. Columns are called what answer_json.h calls them, and
// figures come from the catalogue. A column in which there is nothing but 0 and empty texts is left
// out; what is not known of one row while it is of others is null.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/query/answer.h"
#include "analyzer/query/frames.h"
#include "server/files.h"
#include "text/json_text.h"

namespace heapledger::server {

// The tables that come with an answer: texts by place, the empty one first, and the files whose
// numbers are in it.
class TextTable {
 public:
  explicit TextTable(FileNumbers& numbers) : numbers_(numbers) { place_of(""); }

  uint32_t place_of(std::string_view text);
  uint32_t file_of(std::string_view path);
  void put_into(Json& json) const;

 private:
  FileNumbers& numbers_;
  std::unordered_map<std::string, uint32_t> places_;
  std::vector<Json> texts_;
  std::map<uint32_t, std::string> files_;
};

// Puts a column into an object, unless there is nothing in it.
void put_column(Json& json, std::string_view name, std::vector<Json> values);
// The same of what `value` makes of each element.
template <typename Elements, typename Value>
void put_column_of(Json& json, std::string_view name, const Elements& elements, Value&& value) {
  std::vector<Json> values;
  values.reserve(elements.size());
  for (const auto& element : elements) values.emplace_back(value(element));
  put_column(json, name, std::move(values));
}

// Of each of them its figures: every one of the catalogue that some of them know.
Json figure_columns(const std::vector<const Figures*>& figures, bool only_live);

// What is asked of who knows the threads: the number of one in a ledger.
using ThreadNumber = std::function<Json(uint32_t ledger, uint64_t tid)>;

Json answer_columns(const Answer& answer, FileNumbers& numbers, const ThreadNumber& thread = {});
Json frame_columns(const std::vector<NamedFrame>& frames, TextTable& table);

}  // namespace heapledger::server
