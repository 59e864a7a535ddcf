#include "exporters/table_writer.h"

#include <array>

#include "text/json_text.h"
#include "text/text.h"
#include "text/utf8.h"

namespace heapledger {
namespace {

void append_hex_byte(unsigned char byte, std::string& cell) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  cell += "\\x";
  cell += kDigits[byte >> 4];
  cell += kDigits[byte & 15];
}

// Unescaping gives back the very bytes. A quotation mark at the beginning is escaped because some
// readers of tab-separated values would look for its partner.
std::string tsv_cell(std::string_view text) {
  std::string cell;
  for (const Utf8Piece& piece : Utf8Pieces(text)) {
    if (piece.bytes == "\t") {
      cell += "\\t";
    } else if (piece.bytes == "\n") {
      cell += "\\n";
    } else if (piece.bytes == "\r") {
      cell += "\\r";
    } else if (piece.bytes == "\\") {
      cell += "\\\\";
    } else if (!piece.valid || piece.point < 0x20 || piece.point == 0x7F ||
               (piece.point == '"' && cell.empty())) {
      append_hex_byte(static_cast<unsigned char>(piece.bytes[0]), cell);
    } else {
      cell += piece.bytes;
    }
  }
  return cell;
}

// RFC 4180 has no escapes but for quotation marks. Bytes that no reader would take as text, zeros
// and what is no UTF-8, are \xNN, as in JSON.
std::string csv_cell(std::string_view text) {
  std::string cell;
  for (const Utf8Piece& piece : Utf8Pieces(text)) {
    if (!piece.valid || piece.point == 0) {
      append_hex_byte(static_cast<unsigned char>(piece.bytes[0]), cell);
    } else {
      if (piece.bytes == "\"") cell += '"';
      cell += piece.bytes;
    }
  }
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  return '"' + cell + '"';
}

}  // namespace

TableWriter::TableWriter(TableForm form, Output& output, std::span<const std::string_view> columns)
    : form_(form), output_(output), names_(columns.begin(), columns.end()) {
  for (const std::string& name : names_) {
    switch (form) {
      case TableForm::kTsv:
        prefixes_.emplace_back(prefixes_.empty() ? "" : "\t");
        break;
      case TableForm::kCsv:
        prefixes_.emplace_back(prefixes_.empty() ? "" : ",");
        break;
      case TableForm::kJson:
        prefixes_.push_back((prefixes_.empty() ? "{\"" : ",\"") + name + "\":");
    }
  }
  row_end_ = form == TableForm::kTsv ? "\n" : form == TableForm::kCsv ? "\r\n" : "}";
  if (form == TableForm::kJson) row_begin_ = ",\n";
}

void TableWriter::begin(std::string_view about) {
  if (form_ == TableForm::kJson) {
    output_.write("{");
    output_.write(about);
    output_.write(",\n\"rows\":[\n");
    return;
  }
  for (size_t i = 0; i < names_.size(); ++i) {
    output_.write(prefixes_[i]);
    output_.write(names_[i]);
  }
  output_.write(row_end_);
}

void TableWriter::end() {
  if (form_ != TableForm::kJson) return;
  output_.write("\n],\n\"count\":" + std::to_string(rows_) + "}\n");
}

void TableWriter::real(double value) {
  std::array<char, 32> buffer;
  auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  prepared(std::string_view(buffer.data(), static_cast<size_t>(end - buffer.data())));
}

std::string TableWriter::prepare(std::string_view value) const {
  switch (form_) {
    case TableForm::kTsv:
      return tsv_cell(value);
    case TableForm::kCsv:
      return csv_cell(value);
    case TableForm::kJson:
      break;
  }
  return json_line(as_utf8(value));
}

}  // namespace heapledger
