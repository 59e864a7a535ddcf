// Begins the recording of this process: reads the configuration, makes the ledger, introduces the
// process in it; and does so again in a forked child.
#pragma once

namespace heapledger::runtime {

// HEAPLEDGER out of the environment, into settings_in_force. False: it holds a word that we do not
// know, and that has been said.
bool read_settings();

// allocator=PATH: takes the real heap from there. False: that was not possible, and has been said.
bool load_allocator();

// For a fresh image. False: no ledger; one line on stderr has said why, unless that was asked for.
bool begin_recording();

}  // namespace heapledger::runtime
