// Finds the unwind information (CIE and FDE of .eh_frame) for an address in one module.
#pragma once

#include <cstdint>

#include "runtime/unwind/byte_cursor.h"

namespace heapledger::runtime {

// Where a module's unwind information is. All of it lies inside [start, end).
struct CfiModule {
  uint64_t start;
  uint64_t end;
  uint64_t header;      // address of .eh_frame_hdr; 0: there is none
  uint64_t frames = 0;  // then: address of .eh_frame
};

// One function's unwind program.
struct CfiFunction {
  uint64_t begin;  // addresses it covers
  uint64_t end;
  ByteCursor initial;  // instructions of the CIE
  ByteCursor program;  // instructions of the FDE
  uint64_t code_factor;
  int64_t data_factor;
  uint8_t pointer_encoding;
  bool signal_frame;
  bool augmented;  // its FDEs carry extra data
};

// Goes through .eh_frame record by record; `function` is filled in for kFunction.
enum class CfiRecord : uint8_t {
  kCommon,    // a CIE that is whole
  kFunction,  // an FDE that is whole
  kEnd,       // the terminator
  kDamaged,
};
CfiRecord next_cfi_record(ByteCursor& cursor, const CfiModule& module, CfiFunction& function);

// False: nothing covers `pc`, or the information is damaged.
bool find_cfi(const CfiModule& module, uint64_t pc, CfiFunction& function);

// Reads a pointer in one of the DW_EH_PE encodings. Indirect ones are followed inside the module.
uint64_t read_encoded(ByteCursor& cursor, uint8_t encoding, const CfiModule& module);

}  // namespace heapledger::runtime
