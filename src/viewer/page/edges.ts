// The moments at which every figure is known at once: the edges of the index, and those that have names.
// Edge i is the last nanosecond of bucket i.
import type { Recording } from "./recording";
import { timeOf } from "./recording";
import type { Selection } from "./selection";

export interface NamedMoment {
  moment: string;
  ns: number;
  title: string;
  key: string; // after `g`
}

export function edgeWidth(recording: Recording): number {
  return recording.edges?.width_ns || recording.series.width_ns || 1;
}

export function namedMoments(recording: Recording): NamedMoment[] {
  const { moments, markers } = recording;
  const named: NamedMoment[] = [
    { moment: "start", ns: 0, title: "start", key: "s" },
    { moment: "peak", ns: moments.peak ?? moments.end, title: "peak", key: "p" },
  ];
  if (moments.rss_peak !== null) {
    named.push({ moment: "rss-peak", ns: moments.rss_peak, title: "RSS peak", key: "r" });
  }
  named.push({ moment: "end", ns: moments.end, title: "end", key: "e" });
  for (const { text, time_ns } of markers) {
    named.push({ moment: `marker:${text}`, ns: time_ns, title: text, key: "" });
  }
  const { only } = recording;
  return only ? named.filter(({ moment }) => only.some(({ at }) => at === moment)) : named;
}

// The moment nearest to a time: a named one if it is within `reach`, else an edge.
export function snapped(recording: Recording, ns: number, reach: number): string {
  if (recording.only) return nearestOf(recording.only, ns).at;
  let best: NamedMoment | undefined;
  for (const named of namedMoments(recording)) {
    const distance = Math.abs(named.ns - ns);
    if (distance <= reach && (!best || distance < Math.abs(best.ns - ns))) best = named;
  }
  if (best) return best.moment;
  const width = edgeWidth(recording);
  const edge = Math.max(1, Math.round((ns + 1) / width)) * width - 1;
  return edge >= recording.duration_ns ? "end" : `${edge}ns`;
}

function nearestOf(moments: { at: string; ns: number }[], ns: number) {
  return moments.reduce((best, one) => (Math.abs(one.ns - ns) < Math.abs(best.ns - ns) ? one : best));
}

// The edge before or after the cursor, `steps` of them away.
export function stepped(recording: Recording, selection: Selection, steps: number): string {
  if (recording.only) {
    const moments = [...recording.only].sort((a, b) => a.ns - b.ns);
    const now = moments.indexOf(nearestOf(moments, timeOf(recording, selection.at)));
    return moments[Math.min(moments.length - 1, Math.max(0, now + steps))].at;
  }
  const width = edgeWidth(recording);
  const now = (timeOf(recording, selection.at) + 1) / width;
  const edge = (steps > 0 ? Math.floor(now) + steps : Math.ceil(now) + steps) * width - 1;
  if (edge >= recording.duration_ns) return "end";
  return edge < 0 ? "start" : `${edge}ns`;
}

// What the series say of a time: for a readout before any answer is there.
export function seriesAt(recording: Recording, ns: number) {
  const { series } = recording;
  const i = Math.min(series.count - 1, Math.max(0, Math.floor(ns / series.width_ns)));
  return {
    min: series.min_bytes[i] ?? 0,
    max: series.max_bytes[i] ?? 0,
    rss: series.max_rss?.[i] ?? 0,
    calls: series.calls?.[i] ?? 0,
    width: series.width_ns,
  };
}

// Whether one of the processes was not recorded then.
export function isInGap({ processes }: Recording, ns: number): boolean {
  return processes.some(({ gaps }) => gaps?.some(([begin, end]) => begin <= ns && ns < end));
}
