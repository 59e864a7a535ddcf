// The plane of births and ends: blocks by when they were allocated, from left to right, and by when they
// ended, upwards; those that were left when the program ended have a row of their own on top. What lives
// for a moment lies on the diagonal, what stays for ever on top, and what is dropped at once, however long
// it was built up, in a level line.
import { duration } from "./format";
import type { Theme } from "./palette";
import { niceStep } from "./timeline_frame";
import type { Cohort } from "./selection";

export interface Plane {
  width: number; // of a cell, in ns
  perCell: number; // buckets of the index
  count: number; // cells of a row; `count` as an end is that of what was left
  birth: number[];
  death: number[];
  blocks: number[];
  bytes: number[];
}

export function planeOf(wire: any): Plane {
  const { width_ns, buckets_per_cell, count, cells } = wire.cohorts;
  const column = (name: string): number[] => cells[name] ?? new Array(cells.count).fill(0);
  return {
    width: width_ns,
    perCell: buckets_per_cell,
    count,
    birth: column("birth"),
    death: column("death"),
    blocks: column("blocks"),
    bytes: column("bytes"),
  };
}

const isWithin = (value: number, [first, last]: [number, number]) => value >= first && value <= last;

export const isIn = (plane: Plane, i: number, { born, died }: Cohort) =>
  isWithin(plane.birth[i], born) && isWithin(plane.death[i], died);

// What all cells, or those of a part of it, add up to.
export function sumOf(plane: Plane, part?: Cohort | null): { blocks: number; bytes: number } {
  let [blocks, bytes] = [0, 0];
  for (let i = 0; i < plane.birth.length; ++i) {
    if (part && !isIn(plane, i, part)) continue;
    blocks += plane.blocks[i];
    bytes += plane.bytes[i];
  }
  return { blocks, bytes };
}

// Of each time of birth what was allocated, and what of it is alive at a time, to the cell: what ends in the
// cell of that time still is.
export function bornOf(plane: Plane, ns: number): { all: number[]; alive: number[] } {
  const all = new Array<number>(plane.count).fill(0);
  const alive = new Array<number>(plane.count).fill(0);
  const now = Math.floor(ns / plane.width);
  for (let i = 0; i < plane.birth.length; ++i) {
    const birth = plane.birth[i];
    all[birth] += plane.bytes[i];
    if (birth <= now && plane.death[i] >= now) alive[birth] += plane.bytes[i];
  }
  return { all, alive };
}

// What the server is asked for: buckets of the index.
export function rectangleOf({ perCell, count }: Plane, { born, died }: Cohort): object {
  const buckets = ([first, last]: [number, number]) => [first * perCell, (last + 1) * perCell - 1];
  const last = Math.min(died[1], count - 1);
  return {
    born: buckets(born),
    ...(died[0] < count && { died: buckets([died[0], last]) }),
    left: died[1] >= count,
  };
}

// Of a cell: "595.6 ms – 604.0 ms", "never".
export function cellText({ width, count }: Plane, cell: number): string {
  return cell >= count ? "never" : `${duration(cell * width)} – ${duration((cell + 1) * width)}`;
}

export function bornText({ width }: Plane, [first, last]: [number, number]): string {
  return `allocated from ${duration(first * width)} to ${duration((last + 1) * width)}`;
}

export function diedText({ width, count }: Plane, [first, last]: [number, number]): string {
  if (first >= count) return "never freed";
  const text = `freed from ${duration(first * width)} to ${duration(Math.min(last + 1, count) * width)}`;
  return last >= count ? text + " or never" : text;
}

// Where it is on the screen: the row of what was left above, a little apart.
export interface PlaneFrame {
  left: number;
  right: number;
  top: number;
  bottom: number;
  count: number;
}

const kApart = 6;
const kLeftRow = 14;

export function planeFrame(width: number, height: number, count: number): PlaneFrame {
  return { left: 82, right: width - 14, top: 8 + kLeftRow + kApart, bottom: height - 40, count };
}

export function boxOf(f: PlaneFrame, { born, died }: Cohort): [number, number, number, number] {
  const [across, up] = [(f.right - f.left) / f.count, (f.bottom - f.top) / f.count];
  const yOf = (cell: number) => f.bottom - cell * up;
  const top = died[1] >= f.count ? f.top - kApart - kLeftRow : yOf(died[1] + 1);
  const bottom = died[0] >= f.count ? f.top - kApart : yOf(died[0]);
  const [left, right] = [f.left + born[0] * across, f.left + (born[1] + 1) * across];
  // On whole pixels, so that cells neither overlap nor leave seams.
  const [x, y] = [Math.round(left), Math.round(top)];
  return [x, y, Math.round(right) - x, Math.round(bottom) - y];
}

export function cellAt(f: PlaneFrame, x: number, y: number): [number, number] {
  const within = (value: number) => Math.min(f.count - 1, Math.max(0, Math.floor(value)));
  const birth = within(((x - f.left) / (f.right - f.left)) * f.count);
  const death = y < f.top ? f.count : within(((f.bottom - y) / (f.bottom - f.top)) * f.count);
  return [birth, death];
}

export function drawPlane(
  g: CanvasRenderingContext2D,
  f: PlaneFrame,
  plane: Plane,
  shown: { part: Cohort | null; hover: [number, number] | null },
  t: Theme,
): void {
  g.fillStyle = t.panel;
  g.fillRect(f.left, f.top, f.right - f.left, f.bottom - f.top);
  g.fillRect(f.left, f.top - kApart - kLeftRow, f.right - f.left, kLeftRow);
  drawAxes(g, f, plane, t);
  const most = Math.log2(1 + plane.bytes.reduce((so, value) => Math.max(so, value), 1));
  g.fillStyle = t.live;
  for (let i = 0; i < plane.birth.length; ++i) {
    const [birth, death] = [plane.birth[i], plane.death[i]];
    const [x, y, width, height] = boxOf(f, { born: [birth, birth], died: [death, death] });
    const isFaint = shown.part !== null && !isIn(plane, i, shown.part);
    g.globalAlpha = (0.12 + (0.88 * Math.log2(1 + plane.bytes[i])) / most) * (isFaint ? 0.45 : 1);
    g.fillRect(x, y, Math.max(1, width), Math.max(1, height));
  }
  g.globalAlpha = 1;
  if (shown.part) {
    const [x, y, width, height] = boxOf(f, shown.part);
    g.strokeStyle = t.cursor;
    g.lineWidth = 1.5;
    g.strokeRect(x - 0.5, y - 0.5, width + 1, height + 1);
  }
  if (shown.hover) {
    const [birth, death] = shown.hover;
    const [x, y, width, height] = boxOf(f, { born: [birth, birth], died: [death, death] });
    g.strokeStyle = t.text;
    g.lineWidth = 1;
    g.strokeRect(x - 0.5, y - 0.5, width + 1, height + 1);
  }
}

function drawAxes(g: CanvasRenderingContext2D, f: PlaneFrame, plane: Plane, t: Theme): void {
  const all = plane.count * plane.width;
  g.font = '11px system-ui, "Segoe UI", Roboto, sans-serif';
  g.textBaseline = "middle";
  g.fillStyle = t.muted;
  g.textAlign = "right";
  g.fillText("never freed", f.left - 6, f.top - kApart - kLeftRow / 2);
  const [width, height] = [f.right - f.left, f.bottom - f.top];
  const up = niceStep(all, Math.max(2, Math.floor(height / 70)), 10);
  for (let ns = up; ns <= all; ns += up) {
    g.fillText(duration(ns), f.left - 6, Math.max(f.top + 6, f.bottom - (ns / all) * height));
  }
  const across = niceStep(all, Math.max(2, Math.floor(width / 90)), 10);
  for (let ns = 0; ns <= all; ns += across) {
    const x = f.left + (ns / all) * width;
    g.textAlign = ns === 0 ? "left" : x > f.right - 20 ? "right" : "center";
    g.fillText(ns === 0 ? "0" : duration(ns), x, f.bottom + 12);
  }
  g.textAlign = "center";
  g.fillText("allocated →", (f.left + f.right) / 2, f.bottom + 29);
  g.save();
  g.translate(9, (f.top + f.bottom) / 2);
  g.rotate(-Math.PI / 2);
  g.fillText("freed →", 0, 0);
  g.restore();
  g.strokeStyle = t.line;
  g.lineWidth = 1;
  g.beginPath();
  g.moveTo(f.left, f.bottom);
  g.lineTo(f.right, f.top);
  g.stroke();
}
