// What can be measured, and the question that each is: the table of docs/design/viewing.md. Every view
// makes its questions here, which is why their totals agree.
import type { Unit } from "./format";
import { bytes, counted, duration, figure, percent } from "./format";
import { withCondition } from "./filter";
import { momentText, timeOf, type Recording } from "./recording";
import type { Selection } from "./selection";

export interface Metric {
  word: string;
  title: string;
  key: string; // of the figure in answers
  sort: string; // the same for the server
  unit: Unit;
  isOfRun: boolean; // without a range: of the whole run, wherever the cursor is
  help: string;
}

const row = (
  word: string,
  title: string,
  key: string,
  sort: string,
  unit: Unit,
  isOfRun: boolean,
  help: string,
): Metric => ({ word, title, key, sort, unit, isOfRun, help });

export const kMetrics: Metric[] = [
  row("live", "Live bytes", "live_bytes", "live", "bytes", false, "live at the cursor"),
  row("blocks", "Live blocks", "live_blocks", "blocks", "count", false, "live at the cursor"),
  row("grown", "Grown", "live_bytes", "live", "bytes", false,
    "allocated in the range and still live at its end"),
  row("never-freed", "Never freed", "live_bytes", "live", "bytes", true, "live at the end"),
  row("bytes", "Allocated", "bytes", "bytes", "bytes", true, "bytes that calls asked for"),
  row("calls", "Calls", "calls", "calls", "count", true, "calls that returned a block"),
  row("temporary", "Temporary", "temporary_calls", "temporary", "count", true,
    "freed as the thread's very next heap operation"),
  row("reallocs", "Resized", "resizes", "reallocs", "count", true, "resizes of a block"),
  row("freed", "Freed", "ended_bytes", "freed", "bytes", true, "bytes freed or resized"),
  row("peak", "Own peak", "peak_bytes", "peak", "bytes", true,
    "the most bytes of its own ever live at once"),
];

// Those that a recording can be asked for.
export function metricsOf(recording: Recording): Metric[] {
  return recording.live ? kMetrics.slice(0, 2) : kMetrics;
}

export function metricOf(selection: Selection): Metric {
  return kMetrics.find((one) => one.word === selection.metric) ?? kMetrics[0];
}

export interface Question {
  [member: string]: unknown;
}

// Which blocks: by the filter, and of which process.
export function scopeOf({ filter, process }: Selection): Question {
  return { ...(filter && { filter }), ...(process !== null && { ledger: process }) };
}

// A moment of a process is one of the run, not its own.
export function momentOf(selection: Selection, recording: Recording, moment: string): string {
  return selection.process === null ? moment : `${Math.round(timeOf(recording, moment))}ns`;
}

// What is selected, without how it is grouped.
export function selected(selection: Selection, recording: Recording): Question {
  const { metric } = selection;
  const at = (moment: string) => momentOf(selection, recording, moment);
  const range = selection.range?.map(at);
  const question: Question = { sort: metricOf(selection).sort };
  let filter = selection.filter;
  if (metric === "never-freed") {
    question.at = at("end");
    if (range) {
      const [begin, end] = range.map((moment) => timeOf(recording, moment));
      filter = withCondition(filter, `time=${begin}ns..${end}ns`);
    }
  } else if (range && (metric === "live" || metric === "blocks")) {
    question.at = range[1];
  } else if (range) {
    question.between = range;
  } else {
    question.at = at(selection.at);
  }
  Object.assign(question, scopeOf({ ...selection, filter }));
  // Peaks of groups take a pass over the ledger; all else is in the index.
  if (metric === "peak") question.wanted = ["own_peaks"];
  else if (question.between) question.wanted = ["no_range_peaks"];
  return question;
}

// What a tree is asked for: own peaks do not add up, so it has what is live at the highest point.
export function selectedTree(selection: Selection, recording: Recording): Question {
  return selected(metricOfTree(selection), recording);
}

export function metricOfTree(selection: Selection): Selection {
  return selection.metric === "peak" ? { ...selection, metric: "live", at: "peak" } : selection;
}

// "live at the peak, 4.96 s" or "from 1.00 s to 2.00 s".
export function whenText(selection: Selection, recording: Recording): string {
  const process = selection.process !== null && recording.processes[selection.process];
  const of = process ? `${process.title} ${process.pid}, ` : "";
  return of + timeText(selection, recording);
}

function timeText(selection: Selection, recording: Recording): string {
  const { range } = selection;
  const at = (moment: string) => {
    const time = duration(timeOf(recording, moment));
    const words = momentText(moment);
    return words ? `${words} (${time})` : time;
  };
  const metric = metricOf(selection);
  if (range && metric.word === "never-freed") {
    return `at the end, allocated from ${at(range[0])} to ${at(range[1])}`;
  }
  if (range && (metric.word === "live" || metric.word === "blocks")) return `at ${at(range[1])}`;
  if (range) return `from ${at(range[0])} to ${at(range[1])}`;
  if (metric.word === "never-freed") return "at the end";
  return metric.isOfRun ? "in the whole run" : `at ${at(selection.at)}`;
}

const kVerbs: Record<string, string> = {
  live: "live",
  blocks: "live",
  grown: "grown",
  "never-freed": "never freed",
  bytes: "allocated",
  calls: "calls",
  temporary: "temporary calls",
  reallocs: "resizes",
  freed: "freed",
  peak: "own peak",
};

// What stands at the head of every view: "12.9 MiB live in 74,806 blocks". Of samples with what it may be
// off, as reports have it: "12.9 MiB ±2.0% live".
export function totalText(selection: Selection, totals: Record<string, number>): string {
  const metric = metricOf(selection);
  const value = totals[metric.key] ?? 0;
  const error = totals[`${metric.sort}_error`] ?? 0;
  const off = error > 0 && value > 0 ? ` ±${percent(error, value)}` : "";
  if (metric.key === "live_bytes") {
    return `${bytes(value)}${off} ${kVerbs[metric.word]} in ${counted(totals.live_blocks ?? 0, "block")}`;
  }
  if (metric.word === "blocks") {
    return `${counted(value, "block")}${off} live, ${bytes(totals.live_bytes ?? 0)}`;
  }
  return `${figure(value, metric.unit)}${off} ${kVerbs[metric.word]}`;
}
