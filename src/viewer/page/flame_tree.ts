// A tree of calls ready to be drawn: where each box begins and how wide it is, in the figure's own unit.
import { withoutArguments } from "./format";
import type { Table } from "./wire";

export class FlameTree {
  readonly count: number;
  readonly values: Float64Array;
  readonly own: Float64Array;
  readonly begins: Float64Array; // from the left end of the root
  readonly depths: Int32Array;
  readonly parents: Int32Array;
  readonly children: number[][] = [];
  readonly deepest: number;

  constructor(
    readonly table: Table,
    key: string,
  ) {
    this.count = table.count;
    this.values = table.values(key);
    this.own = table.values(key, "self");
    this.begins = new Float64Array(this.count);
    this.depths = new Int32Array(this.count);
    this.parents = new Int32Array(this.count);
    const filled = new Float64Array(this.count); // by children so far
    let deepest = 0;
    for (let i = 0; i < this.count; ++i) {
      this.children.push([]);
      if (i === 0) continue;
      const parent = table.number("parent", i);
      this.parents[i] = parent;
      this.children[parent].push(i);
      this.depths[i] = this.depths[parent] + 1;
      this.begins[i] = this.begins[parent] + filled[parent];
      filled[parent] += this.values[i];
      if (this.depths[i] > deepest) deepest = this.depths[i];
    }
    this.deepest = deepest;
    this.shown = filled;
  }

  private readonly shown: Float64Array;

  name(node: number): string {
    return this.table.text("name", node);
  }

  // What the children have that were left out, and how many these are.
  hidden(node: number): { count: number; value: number } {
    const count = this.table.number("hidden", node);
    const rest = this.values[node] - this.own[node] - this.shown[node];
    return { count, value: count > 0 ? Math.max(0, rest) : 0 };
  }

  // Where the children that are there end.
  filledTo(node: number): number {
    return this.begins[node] + this.shown[node];
  }

  path(node: number): string[] {
    const names: string[] = [];
    for (let i = node; i > 0; i = this.parents[i]) names.push(this.name(i));
    return names.reverse();
  }

  // The node that the names lead to, as far as they do.
  follow(names: string[]): number {
    let node = 0;
    for (const name of names) {
      const next = this.children[node].find((child) => this.name(child) === name);
      if (next === undefined) return node;
      node = next;
    }
    return node;
  }

  // What all stacks have together that lead through a match: each counted once, however often it
  // matches.
  matched(isMatch: (node: number) => boolean): number {
    let sum = 0;
    const inside = new Uint8Array(this.count);
    for (let i = 1; i < this.count; ++i) {
      if (inside[this.parents[i]]) {
        inside[i] = 1;
      } else if (isMatch(i)) {
        inside[i] = 1;
        sum += this.values[i];
      }
    }
    return sum;
  }
}

export interface Box {
  node: number; // whose it is; of "n smaller", the parent
  smaller: number; // how many are in it, 0: it is the node's own
  x: number;
  width: number;
  row: number;
}

const kNarrowest = 0.5;

// The boxes of `focus` and of what lies below it, at most `width` wide together. What leads there stands
// elsewhere, so that nothing moves when an answer about this part alone takes the place of the whole tree.
export function boxesOf(tree: FlameTree, focus: number, width: number): Box[] {
  const boxes: Box[] = [];
  const base = tree.depths[focus];
  const scale = tree.values[focus] > 0 ? width / tree.values[focus] : 0;
  const origin = tree.begins[focus];
  if (scale === 0) return boxes;
  const open = [focus];
  boxes.push({ node: focus, smaller: 0, x: 0, width, row: 0 });
  while (open.length > 0) {
    const node = open.pop()!;
    let smaller = tree.hidden(node).count;
    let from = -1;
    for (const child of tree.children[node]) {
      const x = (tree.begins[child] - origin) * scale;
      const wide = tree.values[child] * scale;
      if (wide < kNarrowest) {
        if (from < 0) from = x;
        ++smaller;
        continue;
      }
      boxes.push({ node: child, smaller: 0, x, width: wide, row: tree.depths[child] - base });
      open.push(child);
    }
    if (smaller === 0) continue;
    const begin = from < 0 ? (tree.filledTo(node) - origin) * scale : from;
    const end = (tree.filledTo(node) + tree.hidden(node).value - origin) * scale;
    if (end - begin >= kNarrowest) {
      boxes.push({ node, smaller, x: begin, width: end - begin, row: tree.depths[node] + 1 - base });
    }
  }
  return boxes;
}

// A name as far as there is room for so many characters: first without its arguments, then without what
// it is in.
export function fitted(name: string, room: number): string {
  if (name.length <= room) return name;
  if (room < 3) return "";
  const plain = withoutArguments(name);
  if (plain.length > 0 && plain.length <= room) return plain;
  let depth = 0;
  let last = 0;
  for (let i = 0; i + 1 < plain.length; ++i) {
    if (plain[i] === "<") ++depth;
    if (plain[i] === ">") --depth;
    if (depth === 0 && plain[i] === ":" && plain[i + 1] === ":") last = i + 2;
  }
  const tail = plain.slice(last) || plain || name;
  return tail.length <= room ? tail : tail.slice(0, room - 1) + "…";
}
