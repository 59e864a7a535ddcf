// Boxes of a tree as pixels: their colours, what of their names there is room for, what was found and
// what is chosen.
import type { Size } from "./canvas";
import { fitted, type Box, type FlameTree } from "./flame_tree";
import { theme } from "./palette";

export const kRow = 20;
const kFont = '11.5px ui-monospace, "SF Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace';

export interface FlameProps {
  tree: FlameTree;
  focus: number;
  isUp?: boolean; // the root is at the bottom
  label: string;
  colour: (node: number, isDark: boolean) => string;
  describe: (node: number) => string[]; // lines: the name, its figures
  isMatch?: (node: number) => boolean;
  isPicked: (node: number) => boolean;
  pick: (node: number) => void;
  zoom: (node: number) => void;
  zoomOut?: () => void;
}

export interface View {
  begin: number; // of the focus, in the tree's unit
  span: number;
}

export interface Looks {
  settled: View;
  space: Size;
  top: number;
  yOf: (row: number) => number;
  hover?: Box;
  at: number;
}

export function drawBoxes(
  g: CanvasRenderingContext2D,
  props: FlameProps,
  boxes: Box[],
  looks: Looks,
) {
  const { tree, focus } = props;
  const t = theme();
  g.font = kFont;
  g.textBaseline = "middle";
  const letter = g.measureText("m").width;
  const { settled, space } = looks;
  // While it settles, boxes stand where they are on the way.
  const scale = tree.values[focus] > 0 ? space.width / tree.values[focus] : 0;
  const shift = tree.begins[focus];
  const move = settled.span > 0 ? space.width / settled.span : 0;
  const hovered = looks.hover && looks.hover.smaller === 0 ? tree.name(looks.hover.node) : null;
  for (const one of boxes) {
    const y = looks.yOf(one.row) - looks.top;
    if (y > space.height || y + kRow < 0) continue;
    const begin = scale > 0 ? one.x / scale + shift : 0;
    const x = (begin - settled.begin) * move;
    const wide = scale > 0 ? (one.width / scale) * move : 0;
    if (x > space.width || x + wide < 0) continue;
    drawBox(g, props, one, { x, y, wide, letter, hovered, at: looks.at }, t);
  }
}

interface Place {
  x: number;
  y: number;
  wide: number;
  letter: number;
  hovered: string | null;
  at: number;
}

function drawBox(
  g: CanvasRenderingContext2D,
  props: FlameProps,
  one: Box,
  place: Place,
  t: ReturnType<typeof theme>,
) {
  const { tree } = props;
  const { x, y, wide } = place;
  const inner = Math.max(0.5, wide - (wide > 3 ? 1 : 0));
  if (one.smaller > 0) {
    g.fillStyle = t.line;
    g.fillRect(x, y, inner, kRow - 1);
    g.fillStyle = t.muted;
    const text = fitted(`${one.smaller} smaller`, Math.floor((wide - 10) / place.letter));
    if (wide > 70) g.fillText(text, x + 5, y + kRow / 2);
    return;
  }
  const isMatch = props.isMatch?.(one.node) ?? true;
  g.globalAlpha = isMatch ? 1 : 0.42;
  g.fillStyle = one.node === props.focus ? t.line : props.colour(one.node, t.isDark);
  g.fillRect(x, y, inner, kRow - 1);
  if (props.isMatch && isMatch) {
    g.fillStyle = t.found;
    g.fillRect(x, y + kRow - 4, inner, 3);
  }
  const name = tree.name(one.node);
  if (place.hovered === name) {
    g.fillStyle = t.isDark ? "rgba(255,255,255,.14)" : "rgba(0,0,0,.09)";
    g.fillRect(x, y, inner, kRow - 1);
  }
  const left = Math.max(0, x);
  const room = Math.floor((Math.min(x + wide, 1e5) - left - 10) / place.letter);
  if (room >= 3) {
    g.fillStyle = t.text;
    g.fillText(fitted(name, room), left + 5, y + kRow / 2 + 0.5);
  }
  g.globalAlpha = 1;
  const isAt = one.node === place.at && document.activeElement?.getAttribute("role") === "tree";
  if (props.isPicked(one.node) || isAt) {
    g.strokeStyle = isAt ? t.text : t.cursor;
    g.lineWidth = 1.5;
    g.strokeRect(x + 0.75, y + 0.75, Math.max(1, inner - 1.5), kRow - 2.5);
  }
}
