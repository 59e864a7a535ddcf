#include "symbols/line_program.h"

#include <dwarf.h>

#include <algorithm>

#include "symbols/abbrevs.h"
#include "symbols/byte_reader.h"
#include "symbols/source_path.h"
#include "symbols/unit_functions.h"

namespace heapledger {

LineProgram::LineProgram(const DwarfSections& sections, uint64_t offset, std::string_view folder)
    : sections_(sections), folder_(folder) {
  ByteReader from(sections.line, offset);
  uint64_t length = from.fixed<uint32_t>();
  if (length == 0xFFFF'FFFF) {
    offset_size_ = 8;
    length = from.fixed<uint64_t>();
  }
  if (from.bad() || length > from.left()) return;
  const uint64_t end = from.offset() + length;
  version_ = from.fixed<uint16_t>();
  if (version_ < 2 || version_ > 5) return;
  if (version_ >= 5) from.skip(2);  // sizes of addresses, which say so themselves, and of selectors
  const uint64_t header = from.number(offset_size_);
  const uint64_t start = from.offset() + header;
  if (from.bad() || start < header || start > end) return;
  program_ = sections.line.substr(start, end - start);
  step_ = from.fixed<uint8_t>();
  if (version_ >= 4) from.skip(1);  // operations per instruction: 1 but on VLIW machines
  from.skip(1);                     // whether rows are statements by default: all count here
  line_base_ = from.fixed<int8_t>();
  line_range_ = from.fixed<uint8_t>();
  opcode_base_ = from.fixed<uint8_t>();
  for (unsigned i = 1; i < opcode_base_; ++i) operands_.push_back(from.fixed<uint8_t>());
  if (from.bad() || line_range_ == 0 || opcode_base_ == 0) return;
  ByteReader tables(sections.line.substr(0, start), from.offset());
  from_ = &tables;
  version_ >= 5 ? read_tables_of_new() : read_tables_of_old();
  from_ = nullptr;
  sound_ = true;
}

void LineProgram::read_tables_of_old() {
  folders_.push_back(folder_);
  for (std::string_view name = from_->text(); !name.empty(); name = from_->text()) {
    folders_.push_back(name);
  }
  files_.push_back({{}, 0});  // counted from 1
  for (std::string_view name = from_->text(); !name.empty(); name = from_->text()) {
    const uint64_t folder = from_->uleb();
    from_->skip_leb();  // time
    from_->skip_leb();  // size
    files_.push_back({name, folder});
  }
}

std::vector<LineProgram::Form> LineProgram::read_forms() {
  std::vector<Form> forms(from_->fixed<uint8_t>());
  for (Form& form : forms) {
    form.content = from_->uleb();
    form.form = from_->uleb();
  }
  return forms;
}

std::string_view LineProgram::read_text(uint64_t form) {
  if (form == DW_FORM_string) return from_->text();
  if (form == DW_FORM_line_strp || form == DW_FORM_strp) {
    const uint64_t at = from_->number(offset_size_);
    return ByteReader(form == DW_FORM_strp ? sections_.str : sections_.line_str, at).text();
  }
  skip_form(*from_, static_cast<unsigned>(form),
            {.version = version_, .offset_size = offset_size_});
  return {};
}

template <typename Add>
void LineProgram::read_table(Add add) {
  const std::vector<Form> forms = read_forms();
  for (uint64_t left = from_->uleb(); left > 0 && !from_->bad(); --left) {
    const uint64_t before = from_->left();
    File file{{}, 0};
    for (const Form& form : forms) {
      if (form.content == DW_LNCT_path) {
        file.name = read_text(form.form);
      } else if (form.content == DW_LNCT_directory_index && form.form == DW_FORM_udata) {
        file.folder = from_->uleb();
      } else if (form.content == DW_LNCT_directory_index &&
                 (form.form == DW_FORM_data1 || form.form == DW_FORM_data2)) {
        file.folder = from_->number(form.form == DW_FORM_data1 ? 1 : 2);
      } else {
        skip_form(*from_, static_cast<unsigned>(form.form),
                  {.version = version_, .offset_size = offset_size_});
      }
    }
    if (from_->left() == before) return;  // entries of nothing, as many as one likes
    add(file);
  }
}

void LineProgram::read_tables_of_new() {
  read_table([this](const File& folder) { folders_.push_back(folder.name); });
  read_table([this](const File& file) { files_.push_back(file); });
}

std::string LineProgram::file(uint64_t number) const {
  if (number >= files_.size() || files_[number].name.empty()) return {};
  const File& file = files_[number];
  std::string folder;
  if (file.folder < folders_.size()) {
    // The first folder is the unit's own, said twice.
    folder = folders_[0] == folder_ ? folder_ : join_path(folder_, folders_[0]);
    if (file.folder != 0) folder = join_path(folder, folders_[file.folder]);
  }
  return normal_path(join_path(folder, file.name));
}

namespace {

// Every address has one line. A program that gives each thousands is hostile, and not believed.
constexpr uint64_t kMostHits = 1000;

}  // namespace

// The registers of the line program, and the row before the current one.
class LineMachine {
 public:
  LineMachine(const LineProgram& program, std::span<const uint64_t> addresses,
              std::span<const AddressRange> code)
      : program_(program),
        addresses_(addresses),
        code_(code),
        lines_(addresses.size()),
        budget_(kMostHits * (addresses.size() + 1)) {}

  std::vector<SourceLine> run() {
    ByteReader from(program_.program_, 0);
    while (!from.at_end()) step(from);
    return std::move(lines_);
  }

 private:
  void step(ByteReader& from) {
    const auto opcode = from.fixed<uint8_t>();
    if (opcode >= program_.opcode_base_) {
      const unsigned adjusted = static_cast<unsigned>(opcode - program_.opcode_base_);
      address_ += uint64_t{adjusted / program_.line_range_} * program_.step_;
      const auto advance = program_.line_base_ + static_cast<int>(adjusted % program_.line_range_);
      line_ += static_cast<uint32_t>(advance);
      return row();
    }
    switch (opcode) {
      case 0:
        return extended(from);
      case DW_LNS_copy:
        return row();
      case DW_LNS_advance_pc:
        address_ += from.uleb() * program_.step_;
        return;
      case DW_LNS_advance_line:
        line_ += static_cast<uint32_t>(from.sleb());
        return;
      case DW_LNS_set_file:
        file_ = static_cast<uint32_t>(from.uleb());
        return;
      case DW_LNS_const_add_pc: {
        const unsigned most = 255u - program_.opcode_base_;
        address_ += uint64_t{most / program_.line_range_} * program_.step_;
        return;
      }
      case DW_LNS_fixed_advance_pc:
        address_ += from.fixed<uint16_t>();
        return;
      default:  // columns, statements, blocks, prologues: no matter here
        for (unsigned i = program_.operands_[opcode - 1u]; i > 0; --i) from.skip_leb();
    }
  }

  void extended(ByteReader& from) {
    const uint64_t length = from.uleb();
    if (length == 0 || length > from.left()) return from.fail();
    const uint64_t end = from.offset() + length;
    const auto opcode = from.fixed<uint8_t>();
    if (opcode == DW_LNE_end_sequence) {
      row();
      start_sequence();
    } else if (opcode == DW_LNE_set_address && length - 1 <= 8) {
      address_ = from.number(static_cast<unsigned>(length - 1));
    }
    if (from.offset() < end) from.skip(end - from.offset());
  }

  void start_sequence() {
    address_ = 0;
    file_ = 1;
    line_ = 1;
    started_ = false;
  }

  // A row holds up to the next one.
  void row() {
    if (!started_) {
      started_ = true;
      wanted_ = holds(code_, address_);
      const auto first = std::lower_bound(addresses_.begin(), addresses_.end(), address_);
      next_ = static_cast<size_t>(first - addresses_.begin());
    } else if (wanted_) {
      for (; next_ < addresses_.size() && addresses_[next_] < address_; ++next_) {
        if (budget_ == 0) return;
        --budget_;
        SourceLine& line = lines_[next_];
        if (line.file == SourceLine::kNoFile) line = {row_file_, row_line_};
      }
    }
    row_file_ = file_;
    row_line_ = line_;
  }

  const LineProgram& program_;
  const std::span<const uint64_t> addresses_;
  const std::span<const AddressRange> code_;
  std::vector<SourceLine> lines_;
  uint64_t address_ = 0;
  uint32_t file_ = 1;
  uint32_t line_ = 1;
  uint32_t row_file_ = 1;
  uint32_t row_line_ = 1;
  bool started_ = false;
  bool wanted_ = false;
  size_t next_ = 0;
  uint64_t budget_;
};

std::vector<SourceLine> LineProgram::lines(std::span<const uint64_t> addresses,
                                           std::span<const AddressRange> code) const {
  if (!sound_) return std::vector<SourceLine>(addresses.size());
  return LineMachine(*this, addresses, code).run();
}

}  // namespace heapledger
