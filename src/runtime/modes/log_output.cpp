#include "runtime/modes/log_output.h"

#include "runtime/ledger/settings_in_force.h"
#include "runtime/os/descriptor_gate.h"
#include "runtime/os/line_output.h"

namespace heapledger::runtime {
namespace {

struct Log {
  int fd = -1;    // the program's; -1: a file
  int high = -1;  // where the file is open
  os::Output output;
  PathText path;
  bool ready = false;
};
constinit Log log = {};

// Another file may have the number by now: the program's own, which must not get our bytes.
bool write_to_descriptor(const char* line, size_t bytes) {
  os::Output now;
  if (os::look_at_output(log.fd, now) != 0 || now.id != log.output.id) return false;
  return os::write_line(log.fd, now, line, bytes);
}

// The file under the number that is kept.
bool write_to_kept(const char* line, size_t bytes) {
  int fd = os::kept_descriptor();
  os::Output now;
  if (fd < 0) return false;
  if (os::look_at_output(fd, now) == 0 && now.id == log.output.id) {
    return os::write_line(fd, now, line, bytes);
  }
  os::keep_descriptor(-1);  // somebody else's by now
  return false;
}

// In a forked child: its parent's file. (Where the mode is chosen anew: the one before.)
void close_inherited() {
  os::Output now;
  if (log.high >= 0 && os::look_at_output(log.high, now) == 0 && now.id == log.output.id) {
    os::close_file(log.high);
  }
  os::keep_descriptor(-1);
  log.high = -1;
}

void keep_file_open() {
  os::DescriptorHold hold;
  if (!hold) return;
  int fd = os::open_for_lines(log.path.data());
  if (fd < 0) return;
  int high = os::move_high(fd);
  hold.set(high >= 0 ? high : fd);
  if (high >= 0 && os::look_at_output(high, log.output) == 0) {
    log.high = high;
    os::keep_descriptor(high);
  } else {
    hold.close(high >= 0 ? high : fd);
  }
}

// Where none could be kept: opened for this line alone.
bool write_to_file(const char* line, size_t bytes) {
  os::DescriptorHold hold;
  if (!hold) return false;
  int fd = os::open_for_lines(log.path.data());
  if (fd < 0) return false;
  hold.set(fd);
  os::Output output;
  bool done = os::look_at_output(fd, output) == 0 && os::write_line(fd, output, line, bytes);
  hold.close(fd);
  return done;
}

bool write_heading() {
  const settings::Settings& asked = settings_in_force;
  os::Text<256> line;
  line.add("# heapledger log of process ").add_number(os::process_id()).add(": ");
  if (asked.log_time) line.add("time\t");
  if (asked.log_thread) line.add("thread\t");
  line.add("function\targuments\tresult");
  if (asked.log_stack) line.add("\tstack");
  line.add("\n");
  return log_line(line.data(), line.size());
}

void complain(int fd, const PathText& path) {
  static constinit os::Text<kMaxPath + 128> line;
  line.clear();
  line.add("heapledger: cannot write the log to ");
  if (fd >= 0) {
    line.add("descriptor ").add_number(static_cast<uint64_t>(fd));
  } else {
    line.add(path.data());
  }
  line.add("; calls of this process are not logged\n");
  os::write_stderr(line.data(), line.size());
}

}  // namespace

bool prepare_log(int fd, const PathText& path, bool tell) {
  log.ready = false;
  close_inherited();
  log.fd = fd;
  log.path = path;
  if (fd < 0) keep_file_open();
  log.ready = fd < 0 || os::look_at_output(fd, log.output) == 0;
  if (!log.ready || !write_heading()) {
    if (tell) complain(fd, path);
    log.ready = false;
  }
  return log.ready;
}

bool log_line(const char* line, size_t bytes) {
  if (!log.ready) return false;
  if (log.fd >= 0) return write_to_descriptor(line, bytes);
  return write_to_kept(line, bytes) || write_to_file(line, bytes);
}

}  // namespace heapledger::runtime
