// The oracle's books: what each of its call sites took, gave back and still has. A thread keeps its
// own and they are added up at the end, so nothing here is shared while it counts.
#pragma once

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <initializer_list>

#include "oracle_sites.h"

namespace oracle {

struct Block {
  void* address;
  size_t size;
  unsigned site;
  unsigned thread;  // that took it
  long operation;   // of that thread
};

struct Figures {
  long calls, bytes, frees, resizes, temporary, live_blocks, live_bytes;
  long peak_blocks, peak_bytes, at_peak_blocks, at_peak_bytes;

  void born(size_t size) {
    ++live_blocks;
    live_bytes += static_cast<long>(size);
    if (live_bytes <= peak_bytes) return;
    peak_bytes = live_bytes;
    peak_blocks = live_blocks;  // at the first moment with the most bytes
  }
  void died(size_t size) {
    --live_blocks;
    live_bytes -= static_cast<long>(size);
  }
  void add(const Figures& other) {
    calls += other.calls;
    bytes += other.bytes;
    frees += other.frees;
    resizes += other.resizes;
    temporary += other.temporary;
    live_blocks += other.live_blocks;
    live_bytes += other.live_bytes;
    peak_blocks += other.peak_blocks;  // of one thread, or not said at all
    peak_bytes += other.peak_bytes;
    at_peak_blocks += other.at_peak_blocks;
    at_peak_bytes += other.at_peak_bytes;
  }
};

class Books {
 public:
  void begin(unsigned thread, bool alone) {
    thread_ = thread;
    alone_ = alone;
  }
  unsigned thread() const { return thread_; }

  Block took(unsigned site, void* address, size_t size) {
    ++by_function_[function_of(site)];
    born(site, size);
    return {address, size, site, thread_, ++operation_};
  }

  // To be called before the block is really freed.
  void freed(unsigned function, const Block& block) {
    ++by_function_[function];
    bool temporary = block.thread == thread_ && block.operation == operation_;
    ++operation_;
    for (Figures* figures : {&total_, &sites_[block.site]}) {
      ++figures->frees;
      figures->temporary += temporary;
      figures->died(block.size);
    }
  }

  Block resized(unsigned site, const Block& old, void* address, size_t size) {
    ++by_function_[function_of(site)];
    sites_[old.site].died(old.size);
    total_.died(old.size);
    ++total_.resizes;
    ++sites_[site].resizes;
    born(site, size);
    return {address, size, site, thread_, ++operation_};
  }

  void add(const Books& other) {
    alone_ = other.alone_;
    total_.add(other.total_);
    for (unsigned i = 0; i < kSites; ++i) sites_[i].add(other.sites_[i]);
    for (unsigned i = 0; i < kFunctions; ++i) by_function_[i] += other.by_function_[i];
  }

  bool print(unsigned long bias) const {
    static char text[32768];
    Writer writer{text, sizeof text, 0};
    writer.put("{\"alone\":%s,\"by_function\":[", alone_ ? "true" : "false");
    for (unsigned i = 0; i < kFunctions; ++i)
      writer.put("%s%ld", i == 0 ? "" : ",", by_function_[i]);
    writer.put("],\"totals\":");
    write(writer, total_, 0);
    writer.put(",\"sites\":[");
    for (unsigned i = 0; i < kSites; ++i) {
      if (i > 0) writer.put(",");
      write(writer, sites_[i], start_of(i) - bias);
    }
    writer.put("]}\n");
    return ::write(1, text, writer.used) == static_cast<long>(writer.used);
  }

 private:
  struct Writer {
    char* text;
    size_t room, used;

    [[gnu::format(printf, 2, 3)]] void put(const char* format, ...) {
      va_list values;
      va_start(values, format);
      used += static_cast<size_t>(vsnprintf(text + used, room - used, format, values));
      va_end(values);
    }
  };

  void born(unsigned site, size_t size) {
    long mark = total_.peak_bytes;
    for (Figures* figures : {&total_, &sites_[site]}) {
      ++figures->calls;
      figures->bytes += static_cast<long>(size);
      figures->born(size);
    }
    if (!alone_ || total_.peak_bytes == mark) return;
    for (Figures& figures : sites_) {
      figures.at_peak_blocks = figures.live_blocks;
      figures.at_peak_bytes = figures.live_bytes;
    }
    total_.at_peak_blocks = total_.live_blocks;
    total_.at_peak_bytes = total_.live_bytes;
  }

  static void write(Writer& writer, const Figures& figures, unsigned long start) {
    writer.put("{\"start\":%lu,\"calls\":%ld,\"bytes\":%ld,\"frees\":%ld,\"resizes\":%ld,", start,
               figures.calls, figures.bytes, figures.frees, figures.resizes);
    writer.put("\"temporary_calls\":%ld,\"end_blocks\":%ld,\"end_bytes\":%ld,", figures.temporary,
               figures.live_blocks, figures.live_bytes);
    writer.put("\"peak_blocks\":%ld,\"peak_bytes\":%ld,\"at_peak_blocks\":%ld,",
               figures.peak_blocks, figures.peak_bytes, figures.at_peak_blocks);
    writer.put("\"at_peak_bytes\":%ld}", figures.at_peak_bytes);
  }

  Figures total_ = {};
  Figures sites_[kSites] = {};
  long by_function_[kFunctions] = {};
  unsigned thread_ = 0;
  bool alone_ = false;
  long operation_ = 0;
};

}  // namespace oracle
