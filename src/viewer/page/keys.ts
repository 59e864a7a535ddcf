// What keys do, wherever nothing else takes them.
import { namedMoments } from "./edges";
import { timeOf, type Recording } from "./recording";
import { select, selection } from "./selection";
import { moveCursor } from "./timeline";
import type { View } from "./views";

export const kKeys: [string, string][] = [
  ["/", "search for a name"],
  [":", "type a condition for the filter"],
  ["g then s, p, r, e", "start, peak, RSS peak, end"],
  ["← →", "the moment before and after; with Shift ten of them"],
  ["[ ]", "begin and end a range at the cursor"],
  ["f", "set a flag at the cursor, or take it away"],
  ["1 – 9", "the views"],
  ["i", "invert the flame graph"],
  ["m", "the measure"],
  ["Enter, Backspace", "in the flame graph: zoom in and out"],
  ["Esc", "less: the search, the zoom, the choice, the range"],
  ["?", "this"],
];

// Takes away the nearest thing that was added.
function goBack(): void {
  const { search, zoom, picked, range, window } = selection();
  if (search) select({ search: "" });
  else if (zoom.length > 0) select({ zoom: [] });
  else if (picked) select({ picked: null });
  else if (range) select({ range: null });
  else if (window) select({ window: null });
}

function setRange(recording: Recording, end: 0 | 1): void {
  const { at, range } = selection();
  const ends: [string, string] = range ? [...range] : end === 0 ? [at, "end"] : ["start", at];
  ends[end] = at;
  if (timeOf(recording, ends[0]) < timeOf(recording, ends[1])) select({ range: ends });
}

function toggleFlag(recording: Recording): void {
  const { at, flags } = selection();
  const ns = timeOf(recording, at);
  const others = flags.filter((flag) => flag !== ns);
  const more = others.length < flags.length ? others : [...flags, ns].sort((a, b) => a - b);
  select({ flags: more });
}

const focusOn = (id: string) => document.getElementById(id)?.focus();

export function handleKeys(recording: Recording, views: View[], help: () => void): () => void {
  let afterG = false;
  const plain: Record<string, () => void> = {
    "/": () => focusOn("search"),
    ":": () => focusOn("filter"),
    "[": () => setRange(recording, 0),
    "]": () => setRange(recording, 1),
    f: () => toggleFlag(recording),
    i: () => select({ inverted: !selection().inverted, zoom: [] }),
    m: () => focusOn("metric"),
    "?": help,
    Escape: goBack,
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
    if (isTyping) {
      if (event.key === "Escape") target.blur();
      return;
    }
    const wasAfterG = afterG;
    afterG = event.key === "g";
    const moment = wasAfterG && namedMoments(recording).find((one) => one.key === event.key);
    const digit = /^[1-9]$/.test(event.key) ? views[Number(event.key) - 1] : undefined;
    const step = event.shiftKey ? 10 : 1;
    if (moment) select({ at: moment.moment, range: null });
    else if (digit) select({ view: digit.word });
    else if (event.key === "ArrowLeft") moveCursor(recording, -step);
    else if (event.key === "ArrowRight") moveCursor(recording, step);
    else if (plain[event.key] && !wasAfterG) plain[event.key]();
    else return;
    event.preventDefault();
  };
  addEventListener("keydown", onKey);
  return () => removeEventListener("keydown", onKey);
}
