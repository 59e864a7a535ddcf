// The boxes of a tree on a canvas, with a tree beside it for those who listen and for the keyboard: up and
// down the stack with the arrows, Enter to zoom in, Escape out.
import { h } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Canvas, isStill, useSize, type Size } from "./canvas";
import { drawBoxes, kRow, type FlameProps, type View } from "./flame_draw";
import { boxesOf, type Box, type FlameTree } from "./flame_tree";
import { useSelection } from "./selection";

const kSettle = 160; // ms of the move when zooming

// The part of the tree that is shown, moving from the one before to `to`.
function useSettled(tree: FlameTree, to: View): View {
  const [view, setView] = useState({ tree, ...to });
  const from = useRef(view);
  useEffect(() => {
    const start = from.current;
    if (start.tree !== tree || isStill() || (start.begin === to.begin && start.span === to.span)) {
      from.current = { tree, ...to };
      setView(from.current);
      return;
    }
    let frame = 0;
    const began = performance.now();
    const step = (now: number) => {
      const share = Math.min(1, Math.max(0, (now - began) / kSettle));
      const eased = 1 - (1 - share) ** 3;
      from.current = {
        tree,
        begin: start.begin + (to.begin - start.begin) * eased,
        span: start.span + (to.span - start.span) * eased,
      };
      setView(from.current);
      if (share < 1) frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
  }, [tree, to.begin, to.span]);
  return view.tree === tree ? view : { ...to };
}

export function FlameCanvas(props: FlameProps) {
  const { tree, focus } = props;
  const zoom = useSelection().zoom.join("\0");
  const [box, size] = useSize<HTMLDivElement>();
  const [top, setTop] = useState(0);
  const [hover, setHover] = useState<{ box: Box; x: number; y: number } | null>(null);
  // Where the keyboard is; another tree, or another part of it, begins anew.
  const [stood, setStood] = useState({ tree, focus, node: focus });
  const at = stood.tree === tree && stood.focus === focus ? stood.node : focus;
  const setAt = (node: number) => setStood({ tree, focus, node });
  const width = Math.max(0, size.width);
  const boxes = useMemo(() => boxesOf(tree, focus, width), [tree, focus, width]);
  const settled = useSettled(tree, { begin: tree.begins[focus], span: tree.values[focus] });
  const rows = boxes.reduce((most, one) => Math.max(most, one.row), 0) + 1;
  const height = Math.max(rows * kRow + 8, size.height);
  const space: Size = { width, height: size.height };
  const yOf = (row: number) => (props.isUp ? height - (row + 1) * kRow - 4 : row * kRow + 4);
  useLayoutEffect(() => {
    // What is looked at stands at the bottom, its callers above it.
    if (props.isUp && box.current) box.current.scrollTop = height;
  }, [props.isUp, tree, height, size.height]);

  useLayoutEffect(() => {
    // What is zoomed to begins at its top.
    if (!props.isUp && box.current) box.current.scrollTop = 0;
  }, [zoom]);
  const row = tree.depths[at] - tree.depths[focus];
  useLayoutEffect(() => {
    // Where the keyboard goes can be seen.
    const view = box.current;
    if (!view || stood.node !== at) return;
    const y = yOf(row);
    if (y < view.scrollTop) view.scrollTop = y;
    if (y + kRow > view.scrollTop + size.height) view.scrollTop = y + kRow - size.height;
  }, [at, stood]);

  const hit = (event: MouseEvent): Box | undefined => {
    const bounds = box.current!.getBoundingClientRect();
    const x = event.clientX - bounds.left;
    const y = event.clientY - bounds.top + top;
    return boxes.find(
      (one) => x >= one.x && x < one.x + one.width && y >= yOf(one.row) && y < yOf(one.row) + kRow,
    );
  };
  const move = (event: MouseEvent) => {
    const found = hit(event);
    const bounds = box.current!.getBoundingClientRect();
    setHover(
      found ? { box: found, x: event.clientX - bounds.left, y: event.clientY - bounds.top } : null,
    );
  };
  const draw = (g: CanvasRenderingContext2D) =>
    drawBoxes(g, props, boxes, { settled, space, top, yOf, hover: hover?.box, at });
  return (
    <div class="flame-frame">
      <div
        class="flame"
        ref={box as any}
        tabIndex={0}
        role="tree"
        aria-label={props.label}
        aria-activedescendant={`node-${at}`}
        data-boxes={boxes.length}
        onScroll={(event) => setTop((event.currentTarget as HTMLElement).scrollTop)}
        onMouseMove={move}
        onMouseLeave={() => setHover(null)}
        onClick={(event) => {
          const found = hit(event);
          if (found && found.smaller === 0) {
            setAt(found.node);
            props.pick(found.node);
          } else if (found) {
            props.zoom(found.node);
          }
        }}
        onDblClick={(event) => {
          const found = hit(event);
          if (found) props.zoom(found.node);
        }}
        onKeyDown={(event) => onKey(event, props, at, setAt)}
      >
        <div style={{ height: `${height}px` }}>
          <div class="flame-stay">
            <Canvas
              size={space}
              draw={draw}
              of={[boxes, settled, top, hover?.box, at, props.isMatch, props.isPicked, props.isUp]}
            />
          </div>
        </div>
        <Spoken {...props} at={at} />
      </div>
      {hover && <Tooltip {...props} hover={hover} size={size} />}
    </div>
  );
}

function onKey(
  event: KeyboardEvent,
  props: FlameProps,
  at: number,
  setAt: (node: number) => void,
) {
  const { tree } = props;
  const siblings = at > 0 ? tree.children[tree.parents[at]] : [0];
  const place = siblings.indexOf(at);
  const inwards = () => tree.children[at][0] ?? at;
  const outwards = () => (at > 0 ? tree.parents[at] : at);
  const moves: Record<string, () => number> = {
    ArrowDown: props.isUp ? outwards : inwards,
    ArrowUp: props.isUp ? inwards : outwards,
    ArrowLeft: () => siblings[Math.max(0, place - 1)],
    ArrowRight: () => siblings[Math.min(siblings.length - 1, place + 1)],
    Home: () => props.focus,
  };
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (moves[event.key]) {
    setAt(moves[event.key]());
  } else if (event.key === "Enter") {
    if (props.isPicked(at)) props.zoom(at);
    else props.pick(at);
  } else if (event.key === "Backspace") {
    props.zoomOut?.();
  } else {
    return;
  }
  event.preventDefault();
  event.stopPropagation();
}

// The same for those who listen: the stack down to where the keyboard is, and what lies inside.
function Spoken(props: FlameProps & { at: number }) {
  const { tree, at } = props;
  const stack: number[] = [];
  for (let i = at; ; i = tree.parents[i]) {
    stack.push(i);
    if (i === 0) break;
  }
  const nodes = [...stack.reverse(), ...tree.children[at].slice(0, 30)];
  return (
    <div class="spoken">
      {nodes.map((node) => (
        <div
          key={node}
          id={`node-${node}`}
          role="treeitem"
          aria-level={tree.depths[node] + 1}
          aria-selected={node === at}
          aria-expanded={tree.children[node].length > 0 ? stack.includes(node) : undefined}
        >
          {props.describe(node).join(", ")}
        </div>
      ))}
    </div>
  );
}

function Tooltip(
  props: FlameProps & { hover: { box: Box; x: number; y: number }; size: Size },
) {
  const { hover, size } = props;
  const lines =
    hover.box.smaller > 0
      ? [`${hover.box.smaller} smaller`, `inside of ${props.tree.name(hover.box.node)}`]
      : props.describe(hover.box.node);
  const style: Record<string, string> = { maxWidth: `${Math.min(560, size.width - 20)}px` };
  if (hover.x > size.width / 2) style.right = `${Math.round(size.width - hover.x + 12)}px`;
  else style.left = `${Math.round(hover.x + 12)}px`;
  if (hover.y > size.height * 0.6) style.bottom = `${Math.round(size.height - hover.y + 12)}px`;
  else style.top = `${Math.round(hover.y + 16)}px`;
  return (
    <div class="tooltip" style={style}>
      <b>{lines[0]}</b>
      {lines.slice(1).map((line) => (
        <span>{line}</span>
      ))}
    </div>
  );
}
