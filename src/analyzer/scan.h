// Scans one ledger from its beginning to its end: pairs births and deaths and tells them to a book,
// which several scans share; they are advanced in turn by whoever merges ledgers over common
// time. What they tell comes in the same order every time the same ledgers are scanned.
//
// `Book` is a QuietBook, which says what is told. One that is final is called directly; all the
// rest are scanned for as QuietBook, so that this is compiled twice and not for every book.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "analyzer/accounts.h"
#include "analyzer/merge.h"
#include "analyzer/other_heaps.h"
#include "analyzer/process_scan.h"
#include "analyzer/resize.h"
#include "analyzer/seal/checkpoint.h"
#include "analyzer/seal/checkpoint_keeper.h"
#include "format/functions.h"

namespace heapledger {

template <typename Book>
class Scan final : public ProcessScan, private HeapSink {
 public:
  Scan(LedgerFile& file, uint32_t number, LedgerParts parts, const HeapChoice& choice, Book& book,
       Progress& progress)
      : ProcessScan(file, number, parts, progress),
        book_(book),
        tells_calls_(book.wants_calls()),
        choice_(choice),
        merge_(file),
        pairing_(*this, slack_for(file)),
        others_(*this, slack_for(file), parts.catalog, sites_, live_) {
    if (choice.has_malloc) live_.add(pairing_.live());
  }

  // The next thing to happen, the end of the process included.
  bool finished() const { return finished_; }
  uint64_t next_time() const { return merge_.finished() ? end_time() : merge_.next_time(); }

  // Scans everything up to and including `limit`.
  void run(uint64_t limit) {
    if (checkpoints_ != nullptr) run_with_pauses(limit);
    run_merge(limit);
    if (!finished_ && merge_.finished() && end_time() <= limit) process_ended();
  }

  LiveHeaps& live() { return live_; }

  // For Merge:
  void prefetch(const format::Entry& entry) {
    pairing_.live().prefetch(entry.pointer);
    if (book_.wants_prefetch()) prefetch_account(entry);
  }
  void extent_opened(Stream& stream) { begin_extent(stream); }
  void entry(Stream& stream, const format::Entry& entry) {
    ++entries_by_kind_[static_cast<unsigned>(entry.kind)];
    if (tells_calls_ && choice_.has_malloc) [[unlikely]] {
      tell_call(stream, entry);
    }
    const format::Event event = format::event_of(entry.kind);
    if (event == format::Event::kNote) [[unlikely]] {
      noted(stream, entry);
    } else if (!choice_.has_malloc) [[unlikely]] {
      // of a heap that nobody asks about
    } else if (event == format::Event::kBirth) {
      allocated(stream, entry);
    } else if (event == format::Event::kDeath) {
      freed(stream, entry);
    } else {
      resize_begins(stream, entry);
    }
    last_time_ = std::max(last_time_, entry.time);
  }
  void resized(Stream& stream, const format::Entry& entry) {
    if (!choice_.has_malloc) return;
    Resized& old = old_[stream.thread % kThreadsResizing];
    bool known = old.thread == stream.thread && old.address == entry.old_pointer;
    uint64_t calls = weight_of(entry).calls;
    if (entry.pointer == 0) calls = 0;  // sampled before, and not this time
    // Both of two blocks were sampled: that stands for as many as one does, times the other.
    uint64_t moves = known ? old.calls * calls : sampling_.exact() ? 1 : 0;
    if (entry.pointer == entry.old_pointer) moves = 0;
    totals_.resizes += calls;
    book_.resized(number_, {entry.end_time, entry.pointer, known ? old.size : 0, entry.size,
                            sites_.account_of(entry.site), stream.thread, calls, moves});
    old.address = 0;
    allocated(stream, entry);
    last_time_ = std::max(last_time_, entry.end_time);
  }

 private:
  template <typename Sink>
  friend class Pairing;

  // For Pairing and OtherHeaps:
  void born(LiveBlock& block) override {
    const Weight weight = sampling_.of(block);
    totals_.calls += weight.calls;
    totals_.bytes += weight.bytes;
    live_blocks_ += weight.calls;
    live_bytes_ += weight.bytes;
    if (live_bytes_ > totals_.peak_bytes) {
      totals_.peak_bytes = live_bytes_;
      totals_.peak_blocks = live_blocks_;
      peak_time_ = block.time;
    }
    book_.born(number_, block, weight);
  }
  void died(const LiveBlock& block, const Death& death) override {
    const Weight weight = sampling_.of(block);
    live_blocks_ -= weight.calls;
    live_bytes_ -= weight.bytes;
    if (death.by_resize) {
      old_[death.thread % kThreadsResizing] = {block.address, block.size, weight.calls,
                                               death.thread};
    } else {
      totals_.frees += weight.calls;
      totals_.temporary_calls += death.temporary ? weight.calls : 0;
    }
    if (guarded_) [[unlikely]] {
      dead_accounts_[block.address] = block.account;
    }
    book_.died(number_, block, death, weight);
  }
  void unknown_death() override {
    if (!forked_) ++totals_.unmatched_frees;
  }
  void resized_in_heap(const Resize& resize) override {
    ++totals_.resizes;
    book_.resized(number_, resize);
  }
  void never_born(uint64_t address, const Death& death) override {
    if (tells_calls_) book_.unborn(number_, address, death);
    died_unborn(address);
  }
  void never_died(const LiveBlock& block, uint64_t time) override {
    const Weight weight = sampling_.of(block);
    live_blocks_ -= weight.calls;
    live_bytes_ -= weight.bytes;
    totals_.lost_frees += weight.calls;
    book_.lost(number_, block, time, weight);
  }

  void tell_call(Stream& stream, const format::Entry& entry) {
    format::Event what = format::event_of(entry.kind);
    if (what == format::Event::kNote) return;
    if (what == format::Event::kDeath) {
      return book_.called(number_, stream.thread, entry,
                          entry.pointer == 0 ? nullptr : pairing_.live().find(entry.pointer));
    }
    const LiveBlock block = {entry.pointer, entry.size, entry.end_time,
                             sites_.account_of(entry.site), stream.thread};
    book_.called(number_, stream.thread, entry, entry.pointer == 0 ? nullptr : &block);
  }

  // Threads that are between the two halves of a resize, by the low bits of their number. Where two
  // meet, the old size of one is not known.
  static constexpr uint32_t kThreadsResizing = 64;
  struct Resized {
    uint64_t address = 0;
    uint64_t size = 0;
    uint64_t calls = 0;
    uint32_t thread = 0;
  };

  // In two steps: first what leads to the account, the site or the dying block, and some entries
  // later the account itself. A block that is not there yet is born in between, and warm.
  void prefetch_account(const format::Entry& entry) {
    Soon& soon = soon_[next_soon_++ % kAhead];
    uint32_t account = IdTable::kNone;
    if (soon.is_birth) {
      account = sites_.known_account_of(static_cast<uint32_t>(soon.what));
    } else if (soon.what != 0) {
      LiveBlock* block = pairing_.live().find(soon.what);
      if (block != nullptr) account = block->account;
    }
    if (account != IdTable::kNone) book_.prefetch(account);
    soon.is_birth = format::event_of(entry.kind) == format::Event::kBirth;
    soon.what = 0;
    if (soon.is_birth) {
      soon.what = entry.site;
      sites_.prefetch(entry.site);
    } else if (format::event_of(entry.kind) == format::Event::kDeath) {
      soon.what = entry.pointer;
    }
  }

  void allocated(Stream& stream, const format::Entry& entry) {
    last_allocated_[stream.thread] = entry.pointer;
    if (!sampling_.exact()) [[unlikely]] {
      count_calls(entry.kind, entry.pointer == 0 ? 0 : weight_of(entry).calls);
    }
    if (entry.pointer == 0) return;
    const LiveBlock block = {entry.pointer, entry.size, entry.end_time,
                             sites_.account_of(entry.site), stream.thread};
    if (has_times_) [[unlikely]] {
      if (uint64_t ns = take_time(stream.thread)) book_.spent(number_, block, ns);
    }
    pairing_.birth(block);
  }

  void freed(Stream& stream, const format::Entry& entry) {
    uint64_t& last = last_allocated_[stream.thread];
    bool temporary = last == entry.pointer;
    last = 0;
    if (!sampling_.exact()) [[unlikely]] {
      const LiveBlock* block = pairing_.live().find(entry.pointer);
      if (entry.pointer == 0)
        count_calls(entry.kind, 0);  // tells apart what it stands between
      else if (block != nullptr)
        count_calls(entry.kind, sampling_.of(*block).calls);
    }
    if (entry.pointer == 0) return;
    pairing_.death(entry.pointer, {entry.time, stream.thread, temporary, false});
  }

  void resize_begins(Stream& stream, const format::Entry& entry) {
    last_allocated_[stream.thread] = 0;
    if (entry.old_pointer == 0) return;
    pairing_.death(entry.old_pointer, {entry.time, stream.thread, false, true});
  }

  [[gnu::noinline]] void noted(Stream& stream, const format::Entry& entry) {
    if (entry.kind == format::Kind::kMemory) {
      MemorySample sample;
      if (read_sample(entry, sample)) book_.sampled(number_, sample);
    } else if (entry.kind == format::Kind::kResident) {
      book_.looked(number_, entry);
    } else if (entry.kind == format::Kind::kMarker) {
      book_.marked(number_, entry.time, entry.fields);
      add_marker(entry);
    } else if (entry.kind == format::Kind::kSiteBefore) {
      site_before(entry);
    } else if (entry.kind == format::Kind::kDamage) {
      damaged(stream, entry, account_of_damaged(entry));
    } else if (format::HeapEvent event; format::read_heap_event(entry, event)) {
      uint32_t heap = count_in_heap(event);
      if (heap == LedgerHeaps::kUnnamed || !choice_.has(heap)) return;
      if (tells_calls_) {
        const LiveBlock block = others_.block_of(heap, event, entry.time, stream.thread);
        bool dies = event.event == format::Event::kDeath;
        book_.called_in_heap(number_, heap, stream.thread, event, entry.time,
                             dies ? others_.find(heap, event.pointer) : &block);
      }
      others_.happened(heap, event, entry.time, stream.thread);
    } else {
      note(stream, entry);
    }
  }

  void site_before(const format::Entry& entry) {
    uint32_t site;
    SiteBefore before;
    if (!read_before(entry, site, before)) return;
    book_.before(number_, sites_.account_of(site), entry.time, before);
  }

  // A block that is being freed is dead already when that is noticed; one being resized is not.
  uint32_t account_of_damaged(const format::Entry& entry) {
    uint64_t address;
    if (!format::FieldReader(entry.fields).number(address) || address == 0) return IdTable::kNone;
    const LiveBlock* block = pairing_.live().find(address);
    if (block != nullptr) return block->account;
    auto dead = dead_accounts_.find(address);
    return dead == dead_accounts_.end() ? IdTable::kNone : dead->second;
  }

  void run_merge(uint64_t limit) {
    if (!beyond_safe_time_ && limit >= file_.safe_time()) pass_safe_time();
    merge_.run(limit, *this);
  }

  void run_with_pauses(uint64_t limit) {
    for (; checkpoints_->pauses_before(limit); checkpoints_->pass_moment()) {
      run_merge(checkpoints_->moment());
      const LiveBlocks& live = pairing_.live();
      if (!pairing_.settled() || !checkpoints_->is_due(entries(), live.size())) continue;
      checkpoints_->keep(checkpoint(checkpoints_->moment(), live, pairing_.recent()));
    }
  }

  // The windows of a running program are read one after the other while it goes on; so only what
  // was there at the beginning fits together.
  void pass_safe_time() {
    beyond_safe_time_ = true;
    if (file_.safe_time() == 0) return;  // it has only just begun
    merge_.run(file_.safe_time(), *this);
    if (!file_.has_changed()) return;
    still_running_ = true;
    merge_.stop();
  }

  // What a process has not freed at its end counts as never freed, but is no longer there when
  // other processes come to their peak.
  void process_ended() {
    finished_ = true;
    pairing_.finish();
    others_.finish();
    heaps_.finish();
    sites_.finish({last_time_, number_});
    totals_.end_bytes = live_bytes_;
    totals_.end_blocks = live_blocks_;
    uint64_t end = end_time();
    live_.for_each([this, end](const LiveBlock& block) {
      book_.left(number_, block, end, sampling_.of(block));
    });
    book_.ended(number_, end);
  }

  Book& book_;
  const bool tells_calls_;
  const HeapChoice& choice_;
  Merge merge_;
  LiveHeaps live_;
  Pairing<Scan> pairing_;
  OtherHeaps others_;
  bool finished_ = false;
  bool beyond_safe_time_ = false;
  std::array<Resized, kThreadsResizing> old_;

  static constexpr size_t kAhead = 16;
  struct Soon {
    uint64_t what = 0;  // a site, or the address of a block; 0: nothing
    bool is_birth = false;
  };
  std::array<Soon, kAhead> soon_;
  size_t next_soon_ = 0;
};

}  // namespace heapledger
