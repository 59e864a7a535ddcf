#include "cli/diff/text.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/diff/signs.h"

namespace heapledger::cli::diff {
namespace {

std::string moment_words(const MomentSpec& moment) {
  switch (moment.kind) {
    case MomentSpec::Kind::kPeak:
      return "at the peak";
    case MomentSpec::Kind::kRssPeak:
      return "at the RSS peak";
    case MomentSpec::Kind::kEnd:
      return "at the end";
    default:
      return "at " + escaped(to_text(moment));
  }
}

std::string label(Compared measure, const DiffView& view, bool moments) {
  switch (measure) {
    case Compared::kLive:
      return moments || view.live ? "live" : "live " + moment_words(view.question.at);
    case Compared::kBlocks:
      return moments || view.live ? "live blocks" : "blocks " + moment_words(view.question.at);
    case Compared::kCalls:
      return "calls";
    case Compared::kBytes:
      return "allocated";
    case Compared::kPeak:
      return moments ? "peak so far" : "peak";
    case Compared::kUnfreed:
      return "never freed";
    case Compared::kTemporary:
      return "temporary calls";
    default:
      return std::string(name_of(measure));
  }
}

// What a live heap does not know of itself as a whole. Its sites may know their own peaks.
bool is_history(Compared measure) {
  return measure == Compared::kPeak || measure == Compared::kUnfreed ||
         measure == Compared::kTemporary;
}

std::string blame_words(const Difference& difference, const DiffView& view) {
  const Blame& blame = difference.blame;
  int64_t whole = change_of(difference.before.live_bytes, difference.after.live_bytes);
  bool by_size = view.question.by == GroupBy::kSize || view.question.by == GroupBy::kSizeClass;
  if (blame.name.empty() || whole == 0 || by_size) return ".";
  uint64_t part = static_cast<uint64_t>(blame.bytes < 0 ? -blame.bytes : blame.bytes);
  uint64_t all = static_cast<uint64_t>(whole < 0 ? -whole : whole);
  std::string name = escaped(blame.name);
  if (part > all) {
    return fmt::format(": {} from {}, less elsewhere.", signed_bytes(blame.bytes), name);
  }
  return fmt::format(": {} of it from {}.", part == all ? "all" : human_bytes(part), name);
}

// What a reader wants to know first.
std::string sentence(const Difference& difference, const DiffView& view) {
  uint64_t before = difference.before.live_bytes;
  uint64_t after = difference.after.live_bytes;
  bool up = after > before;
  std::string amount = human_bytes(up ? after - before : before - after);
  std::string percent = signed_percent(before, after);
  if (percent == "new") percent = "from nothing";
  const bool at_peak = view.question.at.kind == MomentSpec::Kind::kPeak;
  if (difference.same_ledgers || view.live) {
    if (before == after) return "B holds exactly as many bytes as A.";
    return fmt::format("B holds {} {} than A ({}){}", amount, up ? "more" : "less", percent,
                       blame_words(difference, view));
  }
  if (at_peak) {
    if (before == after) return "B peaks exactly as high as A.";
    return fmt::format("B peaks {} {} ({}){}", amount, up ? "higher" : "lower", percent,
                       blame_words(difference, view));
  }
  std::string when = moment_words(view.question.at);
  if (before == after) return fmt::format("B holds exactly as many bytes as A {}.", when);
  return fmt::format("B holds {} {} {} ({}){}", amount, up ? "more" : "less", when, percent,
                     blame_words(difference, view));
}

void put_total(Buffer& to, const std::string& name, uint64_t before, uint64_t after, bool bytes) {
  auto shown = [bytes](uint64_t value) { return bytes ? human_bytes(value) : with_commas(value); };
  int64_t change = change_of(before, after);
  std::string line = fmt::format("  {:<22} {:>14} {:>14} {:>14}  {:>8}", name, shown(before),
                                 shown(after), bytes ? signed_bytes(change) : signed_count(change),
                                 change == 0 ? "" : signed_percent(before, after));
  put(to, "{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
}

void put_totals(Buffer& to, const Difference& difference, const DiffView& view, const Page& page) {
  put(to, "{}\n",
      page.style.dim(fmt::format("  {:<22} {:>14} {:>14} {:>14}", "", "A", "B", "change")));
  const bool at_peak = !difference.same_ledgers && view.question.at.kind == MomentSpec::Kind::kPeak;
  const bool at_end = !difference.same_ledgers && view.question.at.kind == MomentSpec::Kind::kEnd;
  const uint64_t suppressed = difference.suppressed_before + difference.suppressed_after;
  for (Compared measure : {Compared::kPeak, Compared::kLive, Compared::kBlocks, Compared::kUnfreed,
                           Compared::kBytes, Compared::kCalls, Compared::kTemporary}) {
    if (!is_known(difference.before, measure) || !is_known(difference.after, measure)) continue;
    if (view.live && is_history(measure)) continue;
    bool shown_as_peak = at_peak && difference.before.has_peak;
    bool shown_as_unfreed = at_end && suppressed == 0;
    if (measure == Compared::kLive && (shown_as_peak || shown_as_unfreed) && !view.live) continue;
    put_total(to, label(measure, view, difference.same_ledgers),
              value_of(difference.before, measure), value_of(difference.after, measure),
              is_bytes(measure));
    if (measure == Compared::kUnfreed && suppressed > 0) {
      put_total(to, "suppressed", difference.suppressed_before, difference.suppressed_after, true);
    }
  }
  bool has_rss = difference.rss_before > 0 && difference.rss_after > 0;
  if (has_rss && !difference.same_ledgers) {
    put_total(to, view.live ? "RSS" : "RSS peak", difference.rss_before, difference.rss_after,
              true);
  }
}

std::string row_name(const ChangeRow& row, const DiffView& view, const Page& page, size_t room) {
  switch (view.question.by) {
    case GroupBy::kSite:
    case GroupBy::kOwner:
      return function_text(page, row.name, row.file, row.line, room);
    case GroupBy::kSize:
      return row.key == kOtherSizes ? row.name : counted(row.key, "byte");
    case GroupBy::kSizeClass:
      return row.name;
    default:
      return function_text(page, row.name, {}, 0, room);
  }
}

// The measures besides the one of the order, as far as they changed.
std::vector<std::string> other_changes(const ChangeRow& row, const DiffView& view, bool moments,
                                       bool overlap) {
  std::vector<std::string> parts;
  auto add = [&parts](const std::string& part) { parts.push_back(part); };
  for (Compared measure : {Compared::kLive, Compared::kBlocks, Compared::kPeak, Compared::kUnfreed,
                           Compared::kBytes, Compared::kCalls, Compared::kTemporary}) {
    int64_t change = row.change(measure);
    if (measure == view.question.sort || change == 0) continue;
    if (view.live && is_history(measure) && measure != Compared::kPeak) continue;
    std::string name = measure == Compared::kBlocks ? "blocks" : label(measure, view, moments);
    if (measure == Compared::kPeak) name = "own peak";
    if (measure == Compared::kTemporary) name = "temporary";
    add(name + " " + signed_measure(measure, change));
  }
  if (overlap && view.question.sort != Compared::kPeak) {
    int64_t all = change_of(value_of(row.all_before, view.question.sort),
                            value_of(row.all_after, view.question.sort));
    if (all != row.change(view.question.sort)) {
      add("with callees " + signed_measure(view.question.sort, all));
    }
  }
  return parts;
}

// In as many lines as it takes, broken between parts alone.
void put_parts(Buffer& to, const std::vector<std::string>& parts, const Page& page,
               const std::string& indent) {
  std::string line;
  for (const std::string& part : parts) {
    bool full = page.cut && indent.size() + line.size() + part.size() + 3 > page.width;
    if (full && !line.empty()) {
      put(to, "{}{},\n", indent, line);
      line.clear();
    }
    line += (line.empty() ? "" : ", ") + part;
  }
  if (!line.empty()) put(to, "{}{}\n", indent, line);
}

// Below main there is nothing that anybody wrote.
bool is_start(const NamedFrame& frame) {
  return frame.name == "_start" || frame.name.starts_with("__libc_start_");
}

// The functions outside the one that is named, the next one first.
std::string callers(const ChangeRow& row, size_t limit, Ledgers& before, Ledgers& after) {
  std::vector<NamedFrame> stack = stack_of(row, before, after);
  size_t at = 0;
  while (at < stack.size() && stack[at].name != row.name) ++at;
  std::string text;
  size_t shown = 0;
  for (size_t i = at + 1; i < stack.size() && !is_start(stack[i]); ++i) {
    if (stack[i].wrapper && i + 1 < stack.size() && stack[i + 1].wrapper) continue;
    if (shown++ == limit) return text + " < …";
    text += (text.empty() ? "" : " < ") + escaped(stack[i].name);
    size_t times = 1;
    for (; i + 1 < stack.size() && stack[i + 1].name == stack[i].name; ++i) ++times;
    if (times > 1) text += fmt::format(" ({} times)", times);
  }
  return text;
}

// How many stacks there are, if more than one, and who called.
std::string stacks_text(const ChangeRow& row, const DiffView& view, Ledgers& before,
                        Ledgers& after) {
  const std::string outer = callers(row, view.callers, before, after);
  const uint64_t stacks = row.after.there ? row.stacks_after : row.stacks_before;
  const bool many = view.question.by == GroupBy::kOwner && stacks > 1;
  if (!many) return outer.empty() ? outer : "called from " + outer;
  std::string text = counted(stacks, "stack");
  if (row.after.there && row.before.there && row.stacks_before != stacks) {
    text += " (" + with_commas(row.stacks_before) + " before)";
  }
  return outer.empty() ? text : text + ", the largest called from " + outer;
}

void put_row(Buffer& to, const ChangeRow& row, const Difference& difference, const DiffView& view,
             Ledgers& before, Ledgers& after, const Page& page) {
  constexpr size_t kIndent = 51;
  constexpr size_t kLeastRoom = 24;
  Compared sort = view.question.sort;
  size_t room = page.width > kIndent + kLeastRoom ? page.width - kIndent : kLeastRoom;
  std::string old = row.before.there ? measure_text(sort, value_of(row.before, sort)) : "-";
  std::string now = row.after.there ? measure_text(sort, value_of(row.after, sort)) : "-";
  put(to, "  {:<6} {:>13} {:>12} {:>12}  {}\n", name_of(row.kind(sort)),
      signed_measure(sort, row.change(sort)), old, now, row_name(row, view, page, room));
  constexpr size_t kBelow = 9;
  const std::string indent(kBelow, ' ');
  put_parts(to, other_changes(row, view, difference.same_ledgers, difference.overlap), page,
            indent);
  const bool has_stacks = view.question.by == GroupBy::kSite || view.question.by == GroupBy::kOwner;
  if (!has_stacks || view.callers == 0) return;
  std::string outer = stacks_text(row, view, before, after);
  if (page.cut) outer = cut_text(outer, page.width - kBelow);
  if (!outer.empty()) put(to, "{}{}\n", indent, page.style.dim(outer));
}

std::string counts(const Difference& difference) {
  std::string text;
  auto add = [&text](uint64_t count, const char* what) {
    if (count > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", with_commas(count), what);
  };
  add(difference.grew, "grew");
  add(difference.shrank, "shrank");
  add(difference.came, "came");
  add(difference.went, "went");
  add(difference.same, "the same");
  return text;
}

void put_rows(Buffer& to, const Difference& difference, const DiffView& view, Ledgers& before,
              Ledgers& after, const Page& page) {
  Compared sort = view.question.sort;
  auto changed = [sort](const ChangeRow& row) { return row.change(sort) != 0; };
  std::string groups = counted(difference.groups, name_of(view.question.by));
  put(to, "\n{}\n", page.style.bold(fmt::format("{}: {}", groups, counts(difference))));
  if (std::none_of(difference.rows.begin(), difference.rows.end(), changed)) {
    put(to, "  none differs in {}\n", label(sort, view, difference.same_ledgers));
    return;
  }
  put(to, "{}\n",
      page.style.dim(fmt::format("  {:<6} {:>13} {:>12} {:>12}  {}", "", "change", "A", "B",
                                 "by " + label(sort, view, difference.same_ledgers))));
  for (const ChangeRow& row : difference.rows) {
    if (changed(row)) put_row(to, row, difference, view, before, after, page);
  }
}

}  // namespace

std::vector<NamedFrame> stack_of(const ChangeRow& row, Ledgers& before, Ledgers& after) {
  const bool later = row.after.there && !row.called_as_before;
  return later ? after.frames(row.site_after) : before.frames(row.site_before);
}

std::string diff_text(const Difference& difference, const DiffView& view, Ledgers& before,
                      Ledgers& after, const Page& page) {
  Buffer to;
  put(to, "A  {}\nB  {}\n\n", view.before, view.after);
  put(to, "{}\n\n", page.style.bold(sentence(difference, view)));
  put_totals(to, difference, view, page);
  put_rows(to, difference, view, before, after, page);
  return page.finished(to);
}

}  // namespace heapledger::cli::diff
