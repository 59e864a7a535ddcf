// Which part of the ledgers a command is about: the moment or the range, and a filter. The words
// are the same for all commands.
#pragma once

#include <string>
#include <vector>

#include "analyzer/query.h"

namespace heapledger::cli {

class Command;

// The options as they were given; empty: not given.
struct SelectionWords {
  std::string at;
  std::vector<std::string> between;
  std::vector<std::string> filters;
};

// Adds --at and --between, and --filter.
void add_moment_options(Command& command, SelectionWords& words);
void add_filter_option(Command& command, SelectionWords& words);

// --heap, of commands whose figures are all of one heap. Empty: malloc's.
void add_heap_option(Command& command, std::string& heap, const std::string& help);
void look_at_heap(Ledgers& ledgers, const std::string& heap);

// Puts them into the question. Returns the filters as one text. Throws Error that
// names the nearest right word.
std::string understand_selection(const SelectionWords& words, Question& question);

// Throws Error: the message, and which of `words` was probably meant by `word`.
[[noreturn]] void refuse_word(const std::string& message, std::string_view word,
                              const std::vector<std::string>& words);

// Makes the heaps of the question those that all figures are of. Throws Error when a moment of the
// question is none of these ledgers.
void check_moments(Ledgers& ledgers, const Question& question);

// Throws Error when the ledgers have nothing but counts: there are no sites, blocks and moments.
void expect_more_than_counts(Ledgers& ledgers);

}  // namespace heapledger::cli
