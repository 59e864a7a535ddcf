// The parts that resident memory has, in words and colours.
import { oklch } from "./palette";
import { isDark } from "./theme";

export interface Owner {
  name: string;
  file: string | null;
  line: number;
  bytes: number;
}

export interface WhereRss {
  time_ns: number;
  live_blocks: number;
  rss_bytes: number | null;
  sample_time_ns: number | null;
  other_malloc: string | null;
  parts: { part: string; bytes: number; owner: Owner | null }[];
}

const kWords: Record<string, string> = {
  live: "live blocks, as requested",
  rounding: "added by malloc to these blocks: headers, rounding",
  "not-resident": "of these, never touched or swapped out",
  pinned: "free, in pages that live blocks keep",
  free: "free, and held by the allocator",
  mappings: "mapped by the program itself",
  "thread-stacks": "stacks of threads",
  "main-stack": "stack of the first thread",
  code: "program and libraries: code and data",
  files: "other files mapped, and shared memory",
  recorder: "Heapledger itself: not there when nothing is recorded",
  unexplained: "unexplained",
};
const kLook: Record<string, [number, number]> = {
  live: [250, 0.11],
  rounding: [225, 0.08],
  "not-resident": [225, 0.04],
  pinned: [62, 0.11],
  free: [95, 0.09],
  mappings: [165, 0.08],
  "thread-stacks": [330, 0.07],
  "main-stack": [330, 0.05],
  code: [290, 0.06],
  files: [290, 0.04],
};

export function colourOf(part: string): string {
  const [hue, chroma] = kLook[part] ?? [250, 0.01];
  return oklch(isDark() ? 0.62 : 0.66, chroma, hue);
}

export const wordsOf = (part: string): string => kWords[part] ?? part;
