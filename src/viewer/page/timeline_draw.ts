// The picture of the timeline: what is live as a band from the least to the most of each bucket, resident
// memory as a line, calls as bars below, what a filter selects inside of it, and the cursor over all.
import { bytes, duration } from "./format";
import type { Theme } from "./palette";
import { bornOf, type Plane } from "./plane";
import type { Recording } from "./recording";
import { niceStep, xOf, type Frame } from "./timeline_frame";

export interface Shown {
  recording: Recording;
  cursor: number;
  range: [number, number] | null;
  hover: number | null;
  filtered?: { width: number; live: Float64Array };
  born?: Plane;
  flags: number[];
}

export const kFont = '11px system-ui, "Segoe UI", Roboto, sans-serif';

function mostOf(values: number[] | undefined): number {
  let most = 0;
  for (const value of values ?? []) if (value > most) most = value;
  return most;
}

export function drawTimeline(g: CanvasRenderingContext2D, frame: Frame, shown: Shown, t: Theme) {
  const { series } = shown.recording;
  const most = Math.max(1, mostOf(series.max_bytes)) * 1.04;
  const mostRss = mostOf(series.max_rss);
  // Of one scale as long as the heap can still be seen beside all that is resident.
  const isShared = mostRss <= 3 * most;
  const scale = isShared ? Math.max(most, mostRss * 1.04) : most;
  g.font = kFont;
  g.textBaseline = "middle";
  drawGrid(g, frame, scale, shown.born !== undefined, t);
  g.save();
  g.beginPath();
  g.rect(frame.left, 0, frame.right - frame.left, frame.bornBottom);
  g.clip();
  drawBand(g, frame, shown, scale, t);
  if (mostRss > 0) drawRss(g, frame, shown, isShared ? scale : mostRss * 1.04, t);
  drawCalls(g, frame, shown, t);
  drawBorn(g, frame, shown, t);
  drawGaps(g, frame, shown.recording, t);
  g.restore();
  if (mostRss > 0) drawRssAxis(g, frame, isShared ? scale : mostRss * 1.04, mostRss, isShared, t);
  drawTimes(g, frame, t);
  drawMarks(g, frame, shown, t);
  drawCursor(g, frame, shown, t);
}

const yOf = (frame: Frame, value: number, scale: number) =>
  frame.bottom - (value / scale) * (frame.bottom - frame.top);

function drawGrid(g: CanvasRenderingContext2D, frame: Frame, scale: number, hasBorn: boolean, t: Theme) {
  const step = niceStep(scale, 4, 2);
  g.textAlign = "right";
  for (let value = 0; value <= scale; value += step) {
    const y = Math.round(yOf(frame, value, scale)) + 0.5;
    g.fillStyle = t.line;
    g.fillRect(frame.left, y - 0.5, frame.right - frame.left, 1);
    g.fillStyle = t.muted;
    g.fillText(bytes(value), frame.left - 8, Math.max(7, y));
  }
  g.fillText("calls", frame.left - 8, frame.callsBottom - 7);
  if (hasBorn) g.fillText("allocated", frame.left - 8, (frame.bornTop + frame.bornBottom) / 2);
}

// The buckets that can be seen, each with its two ends in pixels.
function* visible(frame: Frame, width: number, count: number): Generator<[number, number, number]> {
  const first = Math.max(0, Math.floor(frame.begin / width));
  const last = Math.min(count, Math.ceil(frame.end / width) + 1);
  for (let i = first; i < last; ++i) {
    yield [i, xOf(frame, i * width), xOf(frame, (i + 1) * width)];
  }
}

function drawBand(g: CanvasRenderingContext2D, f: Frame, shown: Shown, scale: number, t: Theme) {
  const { series } = shown.recording;
  const area = (values: ArrayLike<number>, width: number) => {
    g.beginPath();
    let lastX = f.left;
    g.moveTo(f.left, f.bottom);
    for (const [i, from, to] of visible(f, width, values.length)) {
      const y = yOf(f, values[i], scale);
      g.lineTo(from, y);
      g.lineTo(to, y);
      lastX = to;
    }
    g.lineTo(lastX, f.bottom);
    g.closePath();
  };
  area(series.max_bytes, series.width_ns);
  g.fillStyle = t.band;
  g.globalAlpha = shown.filtered ? 0.4 : 1;
  g.fill();
  area(series.min_bytes, series.width_ns);
  g.fillStyle = t.live;
  g.globalAlpha = shown.filtered ? 0.12 : 0.62;
  g.fill();
  g.globalAlpha = 1;
  if (shown.filtered) {
    area(shown.filtered.live, shown.filtered.width);
    g.fillStyle = t.live;
    g.fill();
  }
  g.beginPath();
  for (const [i, from, to] of visible(f, series.width_ns, series.count)) {
    const y = yOf(f, series.max_bytes[i] ?? 0, scale);
    g.lineTo(from, y);
    g.lineTo(to, y);
  }
  g.strokeStyle = t.live;
  g.lineWidth = 1.25;
  g.stroke();
}

function drawRss(g: CanvasRenderingContext2D, f: Frame, shown: Shown, scale: number, t: Theme) {
  const { series } = shown.recording;
  g.beginPath();
  for (const [i, from, to] of visible(f, series.width_ns, series.count)) {
    const value = series.max_rss?.[i] ?? 0;
    if (value > 0) g.lineTo((from + to) / 2, yOf(f, value, scale));
  }
  g.strokeStyle = t.rss;
  g.lineWidth = 1.5;
  g.setLineDash([5, 3]);
  g.stroke();
  g.setLineDash([]);
}

function drawRssAxis(
  g: CanvasRenderingContext2D,
  f: Frame,
  scale: number,
  most: number,
  isShared: boolean,
  t: Theme,
) {
  g.textAlign = "left";
  g.fillStyle = t.rss;
  const y = Math.max(7, yOf(f, most, scale));
  g.fillText(isShared ? "RSS" : "RSS up to", f.right + 8, y);
  if (!isShared) g.fillText(bytes(most), f.right + 8, y + 14);
}

function drawCalls(g: CanvasRenderingContext2D, f: Frame, shown: Shown, t: Theme) {
  const { series } = shown.recording;
  const most = Math.max(1, mostOf(series.calls));
  g.fillStyle = t.calls;
  for (const [i, from, to] of visible(f, series.width_ns, series.count)) {
    const calls = series.calls?.[i] ?? 0;
    const height = Math.ceil((calls / most) * (f.callsBottom - f.bottom - 6));
    g.fillRect(from, f.callsBottom - height, Math.max(0.6, to - from - 0.4), height);
  }
}

// What was allocated when: what of it is alive at the cursor, and above that what has been freed since.
function drawBorn(g: CanvasRenderingContext2D, f: Frame, { born, cursor }: Shown, t: Theme) {
  if (!born) return;
  const { all, alive } = bornOf(born, cursor);
  const most = Math.max(1, mostOf(all));
  for (const [i, from, to] of visible(f, born.width, born.count)) {
    const width = Math.max(0.6, Math.round(to) - Math.round(from) - 1);
    const height = (value: number) => Math.ceil((value / most) * (f.bornBottom - f.bornTop));
    g.fillStyle = t.calls;
    g.fillRect(Math.round(from), f.bornBottom - height(all[i]), width, height(all[i]));
    g.fillStyle = t.live;
    g.fillRect(Math.round(from), f.bornBottom - height(alive[i]), width, height(alive[i]));
  }
}

// Times in which a process was not recorded, hatched: what happened there, nobody knows.
function drawGaps(g: CanvasRenderingContext2D, f: Frame, { processes }: Recording, t: Theme) {
  for (const [begin, end] of processes.flatMap((process) => process.gaps ?? [])) {
    const [from, to] = [xOf(f, begin), xOf(f, end)];
    if (to < f.left || from > f.right) continue;
    const width = Math.max(2, to - from);
    g.save();
    g.beginPath();
    g.rect(from, f.top, width, f.callsBottom - f.top);
    g.clip();
    g.fillStyle = t.panel;
    g.globalAlpha = 0.55;
    g.fillRect(from, f.top, width, f.callsBottom - f.top);
    g.globalAlpha = 1;
    g.strokeStyle = t.faint;
    g.lineWidth = 1;
    g.beginPath();
    const height = f.callsBottom - f.top;
    // Of one raster, wherever a gap begins.
    const least = Math.max(from, f.left - 7) - height;
    for (let x = Math.floor(least / 7) * 7; x < Math.min(to, f.right) + 7; x += 7) {
      g.moveTo(x, f.callsBottom);
      g.lineTo(x + height, f.top);
    }
    g.stroke();
    g.restore();
  }
}

function drawTimes(g: CanvasRenderingContext2D, f: Frame, t: Theme) {
  const span = f.end - f.begin;
  const step = niceStep(span, Math.max(2, Math.floor((f.right - f.left) / 110)), 10);
  g.textAlign = "center";
  for (let ns = Math.ceil(f.begin / step) * step; ns <= f.end; ns += step) {
    const x = xOf(f, ns);
    g.fillStyle = t.line;
    g.fillRect(Math.round(x), f.bornBottom, 1, 4);
    g.fillStyle = t.muted;
    g.fillText(ns === 0 ? "0" : duration(ns), x, f.bornBottom + 11);
  }
}

function drawMarks(g: CanvasRenderingContext2D, f: Frame, shown: Shown, t: Theme) {
  const flag = (ns: number, colour: string) => {
    if (ns < f.begin || ns > f.end) return;
    const x = Math.round(xOf(f, ns));
    g.fillStyle = colour;
    g.fillRect(x, f.top - 8, 1, f.bornBottom - f.top + 8);
    g.beginPath();
    g.moveTo(x, f.top - 10);
    g.lineTo(x + 8, f.top - 6.5);
    g.lineTo(x, f.top - 3);
    g.fill();
  };
  for (const marker of shown.recording.markers) flag(marker.time_ns, t.faint);
  for (const ns of shown.flags) flag(ns, t.cursor);
}

function drawCursor(g: CanvasRenderingContext2D, f: Frame, shown: Shown, t: Theme) {
  if (shown.range) {
    const [from, to] = shown.range.map((ns) => Math.min(f.right, Math.max(f.left, xOf(f, ns))));
    g.fillStyle = t.range;
    g.fillRect(from, f.top - 4, to - from, f.bornBottom - f.top + 4);
    g.fillStyle = t.cursor;
    g.fillRect(from, f.top - 4, 1, f.bornBottom - f.top + 4);
    g.fillRect(to - 1, f.top - 4, 1, f.bornBottom - f.top + 4);
  }
  if (shown.hover !== null) {
    g.fillStyle = t.faint;
    g.fillRect(Math.round(xOf(f, shown.hover)), f.top, 1, f.bornBottom - f.top);
  }
  const x = Math.round(xOf(f, shown.cursor));
  if (x < f.left - 1 || x > f.right + 1) return;
  g.fillStyle = t.cursor;
  g.fillRect(x - 0.5, f.top - 4, 2, f.bornBottom - f.top + 4);
  g.beginPath();
  g.moveTo(x - 4.5, f.top - 10);
  g.lineTo(x + 5.5, f.top - 10);
  g.lineTo(x + 0.5, f.top - 3);
  g.fill();
}
