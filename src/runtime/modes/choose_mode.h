// Which functions serve the hooks: the table from a mode's name to its functions, and the change
// from one to another while the program runs.
//
// A change is one store: a thread that is inside a function of the old mode ends its call there.
// The ledger has an entry for each (format::Kind::kMode), made before the change, or after it when
// sampling begins: better that a sample is taken for a single call than the other way round. Where
// none can be made at once, in a handler that interrupted a hook, it follows with the next call.
#pragma once

#include "format/layout.h"
#include "runtime/modes/mode.h"
#include "runtime/modes/note.h"
#include "settings/settings.h"

namespace heapledger::runtime {

// Never null.
const Mode* functions_of(settings::Mode mode);

settings::Mode mode_in_force();

// From now on calls are treated as `wanted` says. Of it only the words that can change while a
// program runs count: mode, sample, sample-calls, weigh, stacks-for, log.
format::ControlResult change_mode(const settings::Settings& wanted, OpenWindow open = {});

// The same, by words as in HEAPLEDGER="…"; the first may be a mode's bare name: "sample
// sample=64K".
format::ControlResult change_mode(const char* words, OpenWindow open = {});

// To off; and back to the mode before that (trace, if there was none).
format::ControlResult pause_recording(OpenWindow open = {});
format::ControlResult resume_recording(OpenWindow open = {});

// Statistics (modes/statistics.h) are kept from now on, whatever the settings said.
void keep_statistics();

// From now on only sizes in this range get a stack.
void change_stacks_for(uint64_t at_least, uint64_t at_most);

// Takes the calling thread out of the recording, or back in, with an entry that says so.
void pause_thread(bool pause);

// Enters changes that could not be entered when they were made.
void announce_changes(OpenWindow open);

// In a forked child: its ledger begins with the mode that is in force.
void forget_changes();

}  // namespace heapledger::runtime
