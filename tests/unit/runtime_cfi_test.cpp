// The unwind information interpreter, on hand-made CIEs and FDEs. Expected values follow from the
// DWARF standard, sections 6.4.2 (call frame instructions) and 2.5 (expressions).
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "runtime/unwind/cfi_expression.h"
#include "runtime/unwind/cfi_find.h"
#include "runtime/unwind/cfi_rules.h"
#include "runtime/unwind/rows.h"
#include "runtime/unwind/walker.h"

namespace heapledger::runtime {
namespace {

using Bytes = std::vector<uint8_t>;

// A module in memory: .eh_frame_hdr, then .eh_frame with one CIE and FDEs as asked for. Functions
// are placed in the same memory, where nobody looks at their code.
class FakeModule {
 public:
  static constexpr uint32_t kCode = 2048;  // where the first function begins

  FakeModule(const Bytes& initial, const char* letters = "zR", bool with_table = true)
      : memory_(4096), with_table_(with_table) {
    cie_ = kFrames;
    Bytes cie = {0, 0, 0, 0, 1};  // id, version
    for (const char* letter = letters; *letter != '\0'; ++letter) cie.push_back(uint8_t(*letter));
    cie.insert(cie.end(), {0, 1, 0x78, 16});  // end of letters, code 1, data -8, return 16
    cie.insert(cie.end(), {1, 0x1B});         // augmentation: pc-relative, four bytes
    cie.insert(cie.end(), initial.begin(), initial.end());
    at_ = record(kFrames, cie);
  }

  void add_function(uint32_t begin, uint32_t length, const Bytes& program) {
    Bytes fde(4);
    uint32_t id_at = at_ + 4;
    put(fde, 0, id_at - cie_);
    Bytes begin_field(4);
    put(begin_field, 0, begin - (id_at + 4));
    fde.insert(fde.end(), begin_field.begin(), begin_field.end());
    Bytes length_field(4);
    put(length_field, 0, length);
    fde.insert(fde.end(), length_field.begin(), length_field.end());
    fde.push_back(0);  // no augmentation data
    fde.insert(fde.end(), program.begin(), program.end());
    table_.push_back({begin, at_});
    at_ = record(at_, fde);
  }

  CfiModule module() {
    Bytes header = {1, 0x1B, uint8_t(with_table_ ? 0x03 : 0xFF),
                    uint8_t(with_table_ ? 0x3B : 0xFF)};
    header.resize(12 + 8 * table_.size());
    put(header, 4, kFrames - 4);
    put(header, 8, uint32_t(table_.size()));
    for (size_t i = 0; i < table_.size(); ++i) {
      put(header, 12 + 8 * i, table_[i].begin);
      put(header, 16 + 8 * i, table_[i].fde);
    }
    memcpy(memory_.data(), header.data(), header.size());
    return {address(0), address(4096), address(0)};
  }

  uint64_t address(uint32_t offset) const {
    return reinterpret_cast<uint64_t>(memory_.data()) + offset;
  }

 private:
  static constexpr uint32_t kFrames = 512;

  struct TableRow {
    uint32_t begin;
    uint32_t fde;
  };

  static void put(Bytes& bytes, size_t at, uint32_t value) { memcpy(bytes.data() + at, &value, 4); }

  uint32_t record(uint32_t at, const Bytes& body) {
    auto length = uint32_t(body.size());
    memcpy(memory_.data() + at, &length, 4);
    memcpy(memory_.data() + at + 4, body.data(), body.size());
    return at + 4 + length;
  }

  Bytes memory_;
  bool with_table_;
  uint32_t cie_;
  uint32_t at_;
  std::vector<TableRow> table_;
};

// def_cfa rsp+8; return address at CFA-8: the usual start on x86-64.
const Bytes kUsual = {0x0C, 7, 8, 0x90, 1};

struct Result {
  bool found = false;
  Rules rules;
  bool signal_frame = false;
  Row row() const { return condense(rules, signal_frame); }
};

Result rules_at(FakeModule& fake, uint32_t offset) {
  static CfiScratch scratch;
  CfiModule module = fake.module();
  CfiFunction function;
  Result result;
  uint64_t pc = fake.address(offset);
  result.found =
      find_cfi(module, pc, function) && run_cfi(function, pc, module, scratch, result.rules);
  if (result.found) result.signal_frame = function.signal_frame;
  return result;
}

constexpr uint32_t kFunction = FakeModule::kCode;

TEST(Cfi, RulesChangeWithTheAddress) {
  // push rbp at +1, mov rsp,rbp at +4, leave at +100.
  FakeModule fake(kUsual);
  fake.add_function(kFunction, 101,
                    {0x41, 0x0E, 16, 0x86, 2,  // advance 1: offset 16, rbp at CFA-16
                     0x43, 0x0D, 6,            // advance 3: CFA register rbp
                     0x02, 96, 0x0C, 7, 8});   // advance 96: def_cfa rsp+8
  Row at_entry = rules_at(fake, kFunction).row();
  EXPECT_EQ(at_entry.kind, RowKind::kStack);
  EXPECT_EQ(at_entry.cfa_offset, 8);
  EXPECT_EQ(at_entry.frame_offset, 0);
  Row pushed = rules_at(fake, kFunction + 1).row();
  EXPECT_EQ(pushed.kind, RowKind::kStack);
  EXPECT_EQ(pushed.cfa_offset, 16);
  EXPECT_EQ(pushed.frame_offset, -16);
  Row body = rules_at(fake, kFunction + 50).row();
  EXPECT_EQ(body.kind, RowKind::kFrame);
  EXPECT_EQ(body.cfa_offset, 16);
  EXPECT_EQ(rules_at(fake, kFunction + 100).row().kind, RowKind::kStack);
}

TEST(Cfi, AddressesOutsideAllFunctionsHaveNone) {
  FakeModule fake(kUsual);
  fake.add_function(kFunction, 10, {});
  fake.add_function(kFunction + 100, 10, {});
  EXPECT_FALSE(rules_at(fake, kFunction - 1).found);
  EXPECT_TRUE(rules_at(fake, kFunction + 9).found);
  EXPECT_FALSE(rules_at(fake, kFunction + 10).found);
  EXPECT_TRUE(rules_at(fake, kFunction + 100).found);
  EXPECT_FALSE(rules_at(fake, kFunction + 110).found);
}

TEST(Cfi, WorksWithoutTheSearchTable) {
  FakeModule fake(kUsual, "zR", false);
  for (uint32_t i = 0; i < 5; ++i)
    fake.add_function(kFunction + i * 16, 16, {0x0E, uint8_t(8 * i)});
  for (uint32_t i = 0; i < 5; ++i) {
    EXPECT_EQ(rules_at(fake, kFunction + i * 16 + 3).row().cfa_offset, int32_t(8 * i));
  }
}

TEST(Cfi, RememberedStatesComeBack) {
  FakeModule fake(kUsual);
  fake.add_function(kFunction, 20,
                    {0x0E, 32, 0x0A, 0x41, 0x0E, 64, 0x41, 0x0B});  // 32, remember, 64, restore
  EXPECT_EQ(rules_at(fake, kFunction).row().cfa_offset, 32);
  EXPECT_EQ(rules_at(fake, kFunction + 1).row().cfa_offset, 64);
  EXPECT_EQ(rules_at(fake, kFunction + 2).row().cfa_offset, 32);
}

TEST(Cfi, RestoreGoesBackToTheInitialRule) {
  FakeModule fake(kUsual);
  fake.add_function(kFunction, 20, {0x86, 2, 0x41, 0xC6});
  EXPECT_EQ(rules_at(fake, kFunction).row().frame_offset, -16);
  EXPECT_EQ(rules_at(fake, kFunction + 1).row().frame_offset, 0);
}

TEST(Cfi, UndefinedReturnAddressIsTheOutermostFrame) {
  FakeModule fake(kUsual);
  fake.add_function(kFunction, 20, {0x07, 16});
  EXPECT_EQ(rules_at(fake, kFunction).row().kind, RowKind::kOutermost);
}

TEST(Cfi, OtherRegistersForTheCfaAreGeneral) {
  FakeModule fake(kUsual);
  fake.add_function(kFunction, 20, {0x0C, 10, 0});  // def_cfa r10+0
  EXPECT_EQ(rules_at(fake, kFunction).row().kind, RowKind::kGeneral);
}

TEST(Cfi, SignalFramesAreGeneral) {
  FakeModule fake(kUsual, "zRS");
  fake.add_function(kFunction, 20, {});
  EXPECT_TRUE(rules_at(fake, kFunction).signal_frame);
  EXPECT_EQ(rules_at(fake, kFunction).row().kind, RowKind::kGeneral);
}

TEST(Cfi, UnknownInstructionsAreRefused) {
  FakeModule fake(kUsual);
  fake.add_function(kFunction, 20, {0x3C, 1});
  EXPECT_FALSE(rules_at(fake, kFunction).found);
}

TEST(Cfi, RowsSurvivePacking) {
  for (Row row : {Row{RowKind::kStack, 8, 0}, Row{RowKind::kFrame, -16, -4096},
                  Row{RowKind::kStack, 8388607, 2147483647}}) {
    Row again = Row::unpack(row.packed());
    EXPECT_EQ(again.kind, row.kind);
    EXPECT_EQ(again.cfa_offset, row.cfa_offset);
    EXPECT_EQ(again.frame_offset, row.frame_offset);
  }
}

// --- expressions ---

struct Evaluated {
  Outcome outcome;
  uint64_t value = 0;
};

Evaluated evaluated(const Bytes& code, const uint64_t* first = nullptr) {
  static CfiScratch scratch;
  alignas(8) static uint64_t words[4] = {0x1122334455667788, 42, 0, 0};
  auto base = reinterpret_cast<uint64_t>(words);
  StackReader stack(base, base + sizeof words, false);
  Registers registers = {};
  registers.value[arch::kStackPointer] = base;
  registers.value[arch::kReturnAddress] = 0x1000B;
  registers.known = 1u << arch::kStackPointer | 1u << arch::kReturnAddress;
  Rule rule = {RuleKind::kValueExpression, uint32_t(code.size()),
               reinterpret_cast<int64_t>(code.data())};
  Evaluated result;
  result.outcome = evaluate(rule, first, registers, stack, scratch, result.value);
  return result;
}

TEST(CfiExpression, Arithmetic) {
  EXPECT_EQ(evaluated({0x35, 0x33, 0x1C}).value, 2u);                  // 5 - 3
  EXPECT_EQ(evaluated({0x35, 0x33, 0x1E}).value, 15u);                 // 5 * 3
  EXPECT_EQ(evaluated({0x11, 0x70, 0x33, 0x1B}).value, uint64_t(-5));  // -16 / 3
  EXPECT_EQ(evaluated({0x34, 0x32, 0x24}).value, 16u);                 // 4 << 2
  EXPECT_EQ(evaluated({0x11, 0x70, 0x32, 0x26}).value, uint64_t(-4));  // -16 >> 2
  EXPECT_EQ(evaluated({0x0A, 0xFF, 0x7F, 0x23, 1}).value, 0x8000u);    // 0x7FFF + 1
}

TEST(CfiExpression, DivisionByZeroFails) {
  EXPECT_EQ(evaluated({0x35, 0x30, 0x1B}).outcome, Outcome::kFailed);
  EXPECT_EQ(evaluated({0x35, 0x30, 0x1D}).outcome, Outcome::kFailed);
}

TEST(CfiExpression, StackOperations) {
  EXPECT_EQ(evaluated({0x31, 0x32, 0x33, 0x17, 0x1C}).value, uint64_t(-1));  // rot: 3 1 2 -> 1 - 2
  EXPECT_EQ(evaluated({0x31, 0x32, 0x16, 0x1C}).value, 1u);                  // swap: 2 - 1
  EXPECT_EQ(evaluated({0x37, 0x32, 0x33, 0x15, 2}).value, 7u);               // pick the third
  EXPECT_EQ(evaluated({0x13}).outcome, Outcome::kFailed);                    // drop of nothing
}

TEST(CfiExpression, MemoryIsReadInsideBoundsOnly) {
  EXPECT_EQ(evaluated({0x77, 8, 0x06}).value, 42u);                    // [rsp + 8]
  EXPECT_EQ(evaluated({0x77, 1, 0x94, 2}).value, 0x6677u);             // two bytes at rsp + 1
  EXPECT_EQ(evaluated({0x77, 32, 0x06}).outcome, Outcome::kFailed);    // one past the end
  EXPECT_EQ(evaluated({0x77, 0x78, 0x06}).outcome, Outcome::kFailed);  // before the start
}

TEST(CfiExpression, ProcedureLinkageTableStub) {
  // What linkers emit: rsp + 8 + ((rip & 15) >= 11 ? 8 : 0), with rip = …0B.
  uint64_t base = evaluated({0x77, 0}).value;
  EXPECT_EQ(evaluated({0x77, 8, 0x80, 0, 0x3F, 0x1A, 0x3B, 0x2A, 0x33, 0x24, 0x22}).value,
            base + 16);
}

TEST(CfiExpression, MissingRegisterIsTold) {
  EXPECT_EQ(evaluated({0x73, 0}).outcome, Outcome::kUnknownRegister);
}

TEST(CfiExpression, LoopsEnd) {
  EXPECT_EQ(evaluated({0x2F, 0xFD, 0xFF}).outcome, Outcome::kFailed);  // skip -3
}

TEST(CfiExpression, FirstOperandIsPushed) {
  uint64_t cfa = 1000;
  EXPECT_EQ(evaluated({0x38, 0x1C}, &cfa).value, 992u);
}

// --- a step by a row, on a recorded stack ---

TEST(Walker, StepsByStackAndFramePointer) {
  alignas(8) uint64_t words[8] = {1, 2, 0xB0B0, 0x401234, 5, 6, 7, 8};
  auto base = reinterpret_cast<uint64_t>(words);
  StackReader stack(base, base + sizeof words, false);
  uint64_t slot = 0;
  FrameState state = {0x400000, base, 0x77};
  EXPECT_EQ(step_by_row({RowKind::kStack, 32, -16}, stack, state, slot), Step::kCaller);
  EXPECT_EQ(state, (FrameState{0x401234, base + 32, 0xB0B0}));
  EXPECT_EQ(slot, base + 16);
  state = {0x400000, base, base + 16};
  EXPECT_EQ(step_by_row({RowKind::kFrame, 16, 0}, stack, state, slot), Step::kCaller);
  EXPECT_EQ(state, (FrameState{0x401234, base + 32, base + 16}));
  EXPECT_EQ(slot, 0u);
}

TEST(Walker, StepsThatDoNotGoOutwardsAreCut) {
  alignas(8) uint64_t words[4] = {1, 2, 3, 4};
  auto base = reinterpret_cast<uint64_t>(words);
  StackReader stack(base, base + sizeof words, false);
  uint64_t slot = 0;
  FrameState state = {0x400000, base + 16, base};
  EXPECT_EQ(step_by_row({RowKind::kFrame, 16, 0}, stack, state, slot), Step::kCut);
  state = {0x400000, base, base};
  EXPECT_EQ(step_by_row({RowKind::kStack, 4096, 0}, stack, state, slot), Step::kCut);
  EXPECT_EQ(step_by_row({RowKind::kStack, 12, 0}, stack, state, slot), Step::kCut);
}

}  // namespace
}  // namespace heapledger::runtime
