// What was opened, as /api/recording tells it.
import type { Unit } from "./format";

export interface FigureRow {
  word: string;
  key: string;
  title: string;
  unit: Unit;
  adds_up: boolean;
  help: string;
}

export interface Histogram {
  smallest: number;
  median: number;
  mean: number;
  largest: number;
  sum: number;
  by_power_of_two: number[];
}

export interface Series {
  width_ns: number;
  count: number;
  min_bytes: number[];
  max_bytes: number[];
  end_bytes: number[];
  max_rss?: number[];
  calls?: number[];
  bytes?: number[];
  max_blocks?: number[];
}

export interface Finding {
  kind: "peak" | "never_freed" | "temporary" | "rss";
  text: string;
  function?: string;
  file?: string;
  line?: number;
  share?: number;
}

export interface Process {
  title: string;
  pid: number;
  parent_pid: number;
  path: string;
  command: string;
  forked: boolean;
  complete: boolean;
  begin_ns: number;
  end_ns: number;
  calls: number;
  bytes: number;
  peak_bytes: number;
  end_bytes: number;
  gap_count: number; // times in which it was not recorded
  gap_ns: number;
  gaps: [number, number][]; // when that was
}

export interface Marker {
  text: string;
  time_ns: number;
  ledger: number;
}

// One look at a heap, of many.
export interface Look {
  number: number;
  time_ns: number;
  live_bytes: number;
  live_blocks: number;
}

// Another recording that this one is compared with.
export interface Earlier {
  title: string;
  paths: string[];
  command: string;
  duration_ns: number;
  moments: Moments;
  markers: Marker[];
  totals: Record<string, number>;
  rss_peak_bytes: number;
  warnings: string[];
}

export interface Moments {
  peak: number | null;
  rss_peak: number | null;
  end: number;
}

export interface Recording {
  title: string;
  version: string;
  paths: string[];
  command: string;
  host: string;
  start_wall_ns: number;
  duration_ns: number;
  sampled: boolean;
  live: boolean; // the heap of one moment
  only_counts?: boolean;
  has_index: boolean;
  edges?: { width_ns: number; count: number };
  series: Series;
  moments: Moments;
  markers: Marker[];
  totals: Record<string, number>;
  never_freed: { bytes: number; blocks: number; suppressed_bytes: number };
  rss_peak_bytes: number;
  findings: Finding[];
  processes: Process[];
  threads: { ledger: number; tid: number; name: string }[];
  figures: FigureRow[];
  groups: string[];
  sizes: Histogram;
  lifetimes: Histogram;
  warnings: string[];
  mode: string;
  stored_sources: boolean;
  number?: number; // of this reading, where there are several
  goes_on?: boolean; // it is still recorded
  can_mark?: boolean;
  ended?: string; // why there is no further reading
  readings?: Look[];
  earlier?: Earlier;
  only?: { at: string; ns: number }[]; // the page is a file: no other moments are inside
}

export interface Reading {
  done: number;
  total: number;
  what: string;
}

export function isReading(answer: unknown): answer is { reading: Reading } {
  return typeof answer === "object" && answer !== null && "reading" in answer;
}

// When a moment is, in ns since the start. A marker that is not there is at the end.
export function timeOf({ moments, markers }: Pick<Recording, "moments" | "markers">, moment: string): number {
  if (moment === "start") return 0;
  if (moment === "peak") return moments.peak ?? moments.end;
  if (moment === "rss-peak") return moments.rss_peak ?? moments.end;
  if (moment === "end") return moments.end;
  const ns = /^(\d+)ns$/.exec(moment);
  if (ns) return Number(ns[1]);
  const name = moment.replace(/^marker:/, "");
  return markers.find((marker) => marker.text === name)?.time_ns ?? moments.end;
}

// A moment in words: "the peak, 56.9 ms".
export function momentText(moment: string): string {
  const words: Record<string, string> = {
    start: "the start",
    peak: "the peak",
    "rss-peak": "the RSS peak",
    end: "the end",
  };
  if (words[moment]) return words[moment];
  return moment.startsWith("marker:") ? `“${moment.slice(7)}”` : "";
}

export function figureOf(recording: Recording, key: string): FigureRow | undefined {
  return recording.figures.find((row) => row.key === key);
}
