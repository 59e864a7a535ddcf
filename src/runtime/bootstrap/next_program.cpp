#include "runtime/bootstrap/next_program.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>

#include "runtime/bootstrap/environment.h"
#include "runtime/ledger/beacon.h"
#include "runtime/ledger/file.h"
#include "runtime/ledger/naming.h"
#include "runtime/ledger/settings_in_force.h"
#include "runtime/os/os.h"
#include "runtime/os/program_file.h"

namespace heapledger::runtime {
namespace {

using format::Unrecorded;

constexpr const char* kPreload = "LD_PRELOAD=";
constexpr const char* kRequest = "HEAPLEDGER=";
constexpr const char* kLibrary = "libheapledger.so";
constexpr const char* kOperators = "libheapledger_new.so";
constexpr const char* kSeparators = ": ";  // of LD_PRELOAD

constinit PathText ledger_folder;
constinit uint32_t first_user = 0;
constinit bool were_preloaded = false;  // what this process starts is to be recorded, too

bool starts(const char* text, const char* start) {
  return strncmp(text, start, strlen(start)) == 0;
}

struct Item {
  const char* text;
  size_t length;

  bool is(const char* wanted) const {
    return strlen(wanted) == length && memcmp(text, wanted, length) == 0;
  }
  Item base() const {
    const void* slash = memrchr(text, '/', length);
    if (slash == nullptr) return *this;
    const char* start = static_cast<const char*>(slash) + 1;
    return {start, length - static_cast<size_t>(start - text)};
  }
};

// Calls `use` for each item of a list, until it returns true.
template <typename Use>
bool any_item(const char* list, const char* separators, Use use) {
  while (*list != '\0') {
    const size_t length = strcspn(list, separators);
    if (length != 0 && use(Item{list, length})) return true;
    list += length;
    list += strspn(list, separators);
  }
  return false;
}

// Whether `heapledger run` has put this there: a variable, or a library to be preloaded.
bool was_added(const Item& item) {
  return any_item(settings_in_force.added.text, ":", [&](const Item& added) {
    return added.length == item.length && memcmp(added.text, item.text, item.length) == 0;
  });
}

bool is_our_library(const Item& item) {
  return item.base().is(kLibrary) || item.base().is(kOperators) || was_added(item);
}

const char* preloads_in(char* const* environment) {
  for (; *environment != nullptr; ++environment) {
    if (starts(*environment, kPreload)) return *environment + strlen(kPreload);
  }
  return "";
}

bool asks_for_us(const char* preloads) {
  return any_item(preloads, kSeparators, [](const Item& item) { return item.base().is(kLibrary); });
}

Unrecorded preloaded_sanitizer(const char* preloads) {
  Unrecorded found = Unrecorded::kNone;
  any_item(preloads, kSeparators, [&](const Item& item) {
    found = os::sanitizer_library(item.base().text, item.base().length);
    return found != Unrecorded::kNone;
  });
  return found;
}

// Whether the loader will find our library: not after chroot, or as a user who may not look there.
bool is_in_reach(const char* preloads) {
  return any_item(preloads, kSeparators, [](const Item& item) {
    char path[512];
    if (!item.base().is(kLibrary)) return false;
    if (item.length >= sizeof path || memchr(item.text, '/', item.length) == nullptr) return true;
    memcpy(path, item.text, item.length);
    path[item.length] = '\0';
    return os::may_read(path);
  });
}

bool may_have_ledger() {
  return ledger_folder.size() == 0 || os::user_id() == first_user ||
         os::may_write(ledger_folder.data());
}

// In this process, its descriptors are its own and kept apart from ours; a vfork child has others,
// and a forked child that has not begun has no use for the gate.
bool has_own_descriptors() {
  return beacon->alive != 0 && ledger_header() != nullptr &&
         ledger_header()->pid == os::process_id();
}

// The program that a loader, run by its name, will run: its first argument that is no option.
const char* argument_of_loader(char* const* arguments) {
  static constexpr const char* kWithValue[] = {
      "--library-path",         "--inhibit-rpath",    "--audit", "--preload", "--argv0",
      "--glibc-hwcaps-prepend", "--glibc-hwcaps-mask"};
  if (arguments == nullptr || arguments[0] == nullptr) return nullptr;
  for (++arguments; *arguments != nullptr && starts(*arguments, "--"); ++arguments) {
    for (const char* option : kWithValue) {
      if (strcmp(*arguments, option) != 0) continue;
      if (*++arguments == nullptr) return nullptr;
      break;
    }
  }
  return *arguments;
}

// `name` becomes that of the program that will really run.
Unrecorded look_at(const NextProgram& program, const char*& name) {
  os::ProgramLook look = {has_own_descriptors(), program.by == NextProgram::By::kName};
  os::ProgramFacts facts;
  switch (program.by) {
    case NextProgram::By::kPath:
      facts = os::look_at_program({program.folder, program.file, program.flags}, look);
      break;
    case NextProgram::By::kName:
      facts = os::look_for_program(program.file, environment("PATH"), look);
      break;
    case NextProgram::By::kDescriptor:
      facts = os::look_at_program({program.folder, "", AT_EMPTY_PATH}, look);
      break;
  }
  const char* argument = facts.is_loader ? argument_of_loader(program.arguments) : nullptr;
  if (argument == nullptr) return facts.reason;
  name = argument;
  return os::look_at_program({AT_FDCWD, argument}, look).reason;
}

// A bad pointer is the kernel's to notice.
bool can_be_read(const void* at) {
  if (at == nullptr) return false;
  constexpr uintptr_t kWord = 8;
  return os::is_readable(static_cast<const char*>(at) - reinterpret_cast<uintptr_t>(at) % kWord);
}

// Nothing is preloaded into these, nor does anything go wrong; and what they start can perhaps be
// recorded.
bool is_unharmed(Unrecorded reason) {
  return reason == Unrecorded::kNone || reason == Unrecorded::kStatic ||
         reason == Unrecorded::kPrivileged || reason == Unrecorded::kCleared;
}

const char* name_of(const NextProgram& program) {
  if (program.file[0] != '\0') return program.file;
  bool named = program.arguments != nullptr && program.arguments[0] != nullptr;
  return named ? program.arguments[0] : "";
}

// Copies the libraries of LD_PRELOAD that are not ours, and what is between them. Returns the end
// of the text; `to` itself when none is left.
char* copy_preloads(const char* preloads, char* to) {
  char* at = to;
  any_item(preloads, kSeparators, [&](const Item& item) {
    if (is_our_library(item)) return false;
    if (at != to) *at++ = ':';
    memcpy(at, item.text, item.length);
    at += item.length;
    return false;
  });
  return at;
}

}  // namespace

void prepare_departures(const char* ledger) {
  const char* preloads = environment("LD_PRELOAD");
  were_preloaded = preloads != nullptr && asks_for_us(preloads);
  first_user = os::user_id();
  ledger_folder.clear();
  const char* slash = strrchr(ledger, '/');
  if (slash != nullptr) ledger_folder.add(ledger, static_cast<size_t>(slash - ledger) + 1);
}

Departure before_departure(const NextProgram& program) {
  if (filter_expected() || !can_be_read(program.file)) return {};
  // After clearenv() there is no array at all.
  const bool none = program.environment == nullptr;
  if (!none && !can_be_read(program.environment)) return {};
  const char* preloads = none ? "" : preloads_in(program.environment);
  const bool asked = asks_for_us(preloads);
  if (!asked && !were_preloaded) return {};
  Departure departure;
  UnrecordedProgram& found = departure.unrecorded;
  found.name = name_of(program);
  found.reason = look_at(program, found.name);
  if (found.reason == Unrecorded::kNone) found.reason = preloaded_sanitizer(preloads);
  if (found.reason == Unrecorded::kNone) {
    if (!asked) {
      found.reason = Unrecorded::kCleared;
    } else if (!is_in_reach(preloads)) {
      found.reason = Unrecorded::kOutOfReach;
    } else if (!may_have_ledger()) {
      found.reason = Unrecorded::kNoLedger;
      found.error = EACCES;
    }
  }
  departure.without_us = asked && !is_unharmed(found.reason);
  return departure;
}

UnrecordedNote note_departure(const Departure& departure, uint32_t pid) {
  if (departure.unrecorded.reason == Unrecorded::kNone || !were_preloaded) return {};
  const settings::Settings& settings = settings_in_force;
  // With children=off nobody asked for it, unless it takes the place of the one that was meant.
  if (!settings.children && settings.owner != pid) return {};
  UnrecordedProgram unrecorded = departure.unrecorded;
  unrecorded.pid = pid;
  return note_unrecorded(ledger_header(), unrecorded);
}

size_t bytes_without_us(char* const* environment) {
  size_t count = 1;
  size_t text = 0;
  for (; *environment != nullptr; ++environment, ++count) {
    if (starts(*environment, kPreload)) text += strlen(*environment) + 1;
  }
  return count * sizeof(char*) + text;
}

char** environment_without_us(char* const* environment, void* room) {
  size_t count = 1;
  for (char* const* one = environment; *one != nullptr; ++one) ++count;
  auto** variables = static_cast<char**>(room);
  char** next = variables;
  char* text = reinterpret_cast<char*>(variables + count);
  for (; *environment != nullptr; ++environment) {
    char* variable = *environment;
    if (starts(variable, kRequest) || was_added({variable, strlen(variable)})) continue;
    if (starts(variable, kPreload)) {
      const size_t name = strlen(kPreload);
      memcpy(text, variable, name);
      char* end = copy_preloads(variable + name, text + name);
      if (end == text + name) continue;
      *end = '\0';
      variable = text;
      text = end + 1;
    }
    *next++ = variable;
  }
  *next = nullptr;
  return variables;
}

}  // namespace heapledger::runtime
