// Where the live bytes lie, by address and time, and how that is drawn.
import type { Theme } from "./palette";
import { duration } from "./format";

export interface Region {
  ledger: number;
  begin: number;
  end: number;
  firstRow: number;
  rows: number;
}

export class HeapMap {
  constructor(
    readonly rows: number,
    readonly columns: number,
    readonly beginNs: number,
    readonly columnNs: number,
    readonly cellBytes: number,
    readonly regions: Region[],
    private readonly cells: number[],
    private readonly elsewhere: number[],
  ) {}

  cell(row: number, column: number): number {
    return this.cells[row * this.columns + column] ?? 0;
  }

  columnAt(ns: number): number {
    const column = Math.floor((ns - this.beginNs) / this.columnNs);
    return Math.min(this.columns - 1, Math.max(0, column));
  }

  columnSum(column: number): number {
    let sum = this.elsewhere[column] ?? 0;
    for (let row = 0; row < this.rows; ++row) sum += this.cell(row, column);
    return sum;
  }

  regionSum({ firstRow, rows }: Region, column: number): number {
    let sum = 0;
    for (let row = firstRow; row < firstRow + rows; ++row) sum += this.cell(row, column);
    return sum;
  }

  regionMost(region: Region): number {
    let most = 0;
    for (let column = 0; column < this.columns; ++column) {
      most = Math.max(most, this.regionSum(region, column));
    }
    return most;
  }

  // The lowest address of a row. Rows begin at whole cells.
  addressOf(row: number): number {
    const region = regionOf(this, row);
    if (!region) return 0;
    return Math.floor(region.begin / this.cellBytes) * this.cellBytes + (row - region.firstRow) * this.cellBytes;
  }

  rowOf(ledger: number, address: number): number {
    const region = this.regions.find(
      (one) => one.ledger === ledger && address >= one.begin && address < one.end,
    );
    if (!region) return -1;
    const first = Math.floor(region.begin / this.cellBytes);
    return region.firstRow + Math.floor(address / this.cellBytes) - first;
  }
}

export function regionOf({ regions }: HeapMap, row: number): Region | undefined {
  return regions.find((one) => row >= one.firstRow && row < one.firstRow + one.rows);
}

export function mapOf(wire: any): HeapMap {
  const { rows, columns, begin_ns, column_ns, cell_bytes, regions, cells, elsewhere } = wire.map;
  const number = (name: string, i: number): number => regions[name]?.[i] ?? 0;
  const all = Array.from({ length: regions.count }, (_, i) => ({
    ledger: number("ledger", i),
    begin: number("begin", i),
    end: number("end", i),
    firstRow: number("first_row", i),
    rows: number("rows", i),
  }));
  return new HeapMap(rows, columns, begin_ns ?? 0, column_ns, cell_bytes, all, cells ?? [], elsewhere ?? []);
}

// Regions stand one below the other, a little apart, the highest addresses on top.
export interface MapFrame {
  left: number;
  right: number;
  top: number;
  bottom: number;
  row: number; // how high one is
  gap: number;
}

const kGap = 5;

export function mapFrame(width: number, height: number, map: HeapMap): MapFrame {
  const [left, right, top, bottom] = [76, width - 14, 4, height - 20];
  const gaps = Math.max(0, map.regions.length - 1) * kGap;
  return { left, right, top, bottom, row: (bottom - top - gaps) / Math.max(1, map.rows), gap: kGap };
}

const gapsBefore = (map: HeapMap, row: number) =>
  map.regions.filter((region) => region.firstRow + region.rows <= row).length;

const yOf = (f: MapFrame, map: HeapMap, row: number) => f.top + row * f.row + gapsBefore(map, row) * f.gap;

const xOf = (f: MapFrame, map: HeapMap, ns: number) =>
  f.left + ((ns - map.beginNs) / (map.columnNs * map.columns)) * (f.right - f.left);

export function cellOf(f: MapFrame, map: HeapMap, x: number, y: number): [number, number] | null {
  if (x < f.left || x >= f.right) return null;
  const column = Math.floor(((x - f.left) / (f.right - f.left)) * map.columns);
  for (const { firstRow, rows } of map.regions) {
    const top = yOf(f, map, firstRow);
    if (y >= top && y < top + rows * f.row) return [firstRow + Math.floor((y - top) / f.row), column];
  }
  return null;
}

interface Marked {
  ledger: number;
  address: number;
  size: number;
  birth: number;
  end: number;
  how: string;
}

interface ShownOnMap {
  cursor: number;
  hover: [number, number] | null;
  marked: Marked | null;
  processes: number;
}

export function drawMap(g: CanvasRenderingContext2D, f: MapFrame, map: HeapMap, shown: ShownOnMap, t: Theme): void {
  const across = (f.right - f.left) / map.columns;
  for (const region of map.regions) {
    const y = yOf(f, map, region.firstRow);
    g.fillStyle = t.panel;
    g.fillRect(f.left, y, f.right - f.left, region.rows * f.row);
    g.fillStyle = t.live;
    for (let row = region.firstRow; row < region.firstRow + region.rows; ++row) {
      // On whole pixels, so that rows neither overlap nor leave seams.
      const top = Math.round(y + (row - region.firstRow) * f.row);
      const below = Math.round(y + (row + 1 - region.firstRow) * f.row);
      drawRow(g, f.left, top, across, below - top, map, row);
    }
    g.globalAlpha = 1;
  }
  drawLabels(g, f, map, t);
  const x = xOf(f, map, shown.cursor);
  if (x >= f.left && x <= f.right) {
    g.fillStyle = t.cursor;
    g.fillRect(Math.round(x) - 0.5, f.top, 1.5, f.bottom - f.top);
  }
  if (shown.marked) drawMarked(g, f, map, shown.marked, t);
}

// Cells with the same share are one stroke.
function drawRow(
  g: CanvasRenderingContext2D,
  left: number,
  y: number,
  across: number,
  height: number,
  map: HeapMap,
  row: number,
): void {
  const level = (column: number) => Math.ceil(24 * Math.min(1, map.cell(row, column) / map.cellBytes));
  for (let from = 0; from < map.columns; ) {
    const share = level(from);
    let to = from + 1;
    while (to < map.columns && level(to) === share) ++to;
    if (share > 0) {
      g.globalAlpha = 0.14 + (0.86 * share) / 24;
      const x = Math.round(left + from * across);
      g.fillRect(x, y, Math.round(left + to * across) - x, Math.max(1, height));
    }
    from = to;
  }
}

function drawLabels(g: CanvasRenderingContext2D, f: MapFrame, map: HeapMap, t: Theme): void {
  g.font = '11px system-ui, "Segoe UI", Roboto, sans-serif';
  g.textBaseline = "middle";
  g.textAlign = "right";
  g.fillStyle = t.muted;
  let last = -20;
  for (const { begin, firstRow } of map.regions) {
    const y = Math.max(yOf(f, map, firstRow) + 6, 7);
    if (y - last < 13) continue;
    last = y;
    // The last digits tell them apart; all are in the table.
    g.fillText("…" + begin.toString(16).slice(-7), f.left - 6, y);
  }
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    g.textAlign = share === 0 ? "left" : share === 1 ? "right" : "center";
    const ns = map.beginNs + share * map.columns * map.columnNs;
    g.fillText(ns === 0 ? "0" : duration(ns), f.left + share * (f.right - f.left), f.bottom + 11);
  }
}

function drawMarked(g: CanvasRenderingContext2D, f: MapFrame, map: HeapMap, marked: Marked, t: Theme): void {
  const first = map.rowOf(marked.ledger, marked.address);
  if (first < 0) return;
  const last = Math.max(first, map.rowOf(marked.ledger, marked.address + Math.max(1, marked.size) - 1));
  const end = marked.how === "left" ? map.beginNs + map.columns * map.columnNs : marked.end;
  const clamp = (x: number) => Math.min(f.right, Math.max(f.left, x));
  const [from, to] = [clamp(xOf(f, map, marked.birth)), clamp(xOf(f, map, end))];
  const [top, bottom] = [yOf(f, map, first), yOf(f, map, last) + f.row];
  g.strokeStyle = t.cursor;
  g.lineWidth = 2;
  g.strokeRect(from - 1, top - 1.5, Math.max(3, to - from + 2), Math.max(3, bottom - top + 3));
}
