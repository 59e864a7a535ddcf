// Cohorts: blocks that came and went together, as shapes on the plane of births and ends. A rectangle that
// is brushed says whose they are.
import { Fragment, h } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { useAsked } from "./asked";
import { Canvas, useSize } from "./canvas";
import { withCondition } from "./filter";
import { bytes, count, counted, percent, place } from "./format";
import { Waiting } from "./head";
import { scopeOf } from "./metrics";
import { theme } from "./palette";
import {
  bornText, cellAt, cellText, diedText, drawPlane, planeFrame, planeOf, rectangleOf, sumOf, type Plane,
} from "./plane";
import type { Recording } from "./recording";
import { Rows, type ColumnOf } from "./rows";
import { select, useSelection, type Cohort } from "./selection";
import { isPicked, rowPicked } from "./table";
import { readAnswer, type Answer } from "./wire";

export function CohortsView({ recording }: { recording: Recording }) {
  const selection = useSelection();
  const question = scopeOf(selection);
  const asked = useAsked("/api/cohorts", { question }, "cohorts", planeOf);
  const plane = asked.value;
  if (!plane) return <Waiting asked={asked} />;
  const part = within(plane, selection.cohort);
  const all = sumOf(plane);
  const sum = sumOf(plane, part);
  return (
    <div class="view">
      <div class={"head" + (asked.isWaiting ? " waiting" : "")}>
        <h2 aria-live="polite">
          <b class="total">
            {bytes(sum.bytes)} allocated in {counted(sum.blocks, "block")}
          </b>{" "}
          <span class="when">
            {part
              ? `${bornText(plane, part.born)}, ${diedText(plane, part.died)}: ${percent(sum.bytes, all.bytes)} of all`
              : "in the whole run"}
          </span>
        </h2>
        <span class="spring" />
        {part ? <PartTools plane={plane} part={part} /> : <span class="quiet">drag to see whose they are</span>}
      </div>
      <div class="beside">
        <PlaneOf plane={plane} part={part} />
        {part ? <Owners recording={recording} plane={plane} part={part} /> : <Cells plane={plane} />}
      </div>
    </div>
  );
}

// A link may be of a finer plane.
function within({ count: cells }: Plane, part: Cohort | null): Cohort | null {
  if (!part || part.born[0] >= cells || part.died[0] > cells) return null;
  return {
    born: [part.born[0], Math.min(part.born[1], cells - 1)],
    died: [part.died[0], Math.min(part.died[1], cells)],
  };
}

function PartTools({ plane, part }: { plane: Plane; part: Cohort }) {
  const { filter } = useSelection();
  const [first, last] = [part.born[0] * plane.width, (part.born[1] + 1) * plane.width - 1];
  return (
    <>
      <button
        title="In all views: what was allocated then, whenever it was freed"
        onClick={() => select({ filter: withCondition(filter, `time=${first}ns..${last}ns`) })}
      >
        Filter by birth
      </button>
      <button onClick={() => select({ cohort: null })}>All</button>
    </>
  );
}

function PlaneOf({ plane, part }: { plane: Plane; part: Cohort | null }) {
  const [box, size] = useSize<HTMLDivElement>();
  const [hover, setHover] = useState<[number, number] | null>(null);
  const begun = useRef<[number, number] | null>(null);
  const frame = useMemo(() => planeFrame(size.width, size.height, plane.count), [size, plane.count]);
  const cellOf = (event: PointerEvent) => cellAt(frame, event.offsetX, event.offsetY);
  const brush = ([a, b]: [number, number], [c, d]: [number, number], how: "step" | "quietly") => {
    const died: [number, number] = [Math.min(b, d), Math.max(b, d)];
    select({ cohort: { born: [Math.min(a, c), Math.max(a, c)], died } }, how);
  };
  const down = (event: PointerEvent) => {
    if (event.button !== 0) return;
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    begun.current = cellOf(event);
    brush(begun.current, begun.current, "step");
  };
  const move = (event: PointerEvent) => {
    const cell = cellOf(event);
    setHover(cell);
    if (begun.current) brush(begun.current, cell, "quietly");
  };
  return (
    <div
      class="plane"
      ref={box as any}
      role="application"
      tabIndex={0}
      aria-label="The plane of births and ends. Arrows move the brush, with Shift they size it."
      aria-describedby="plane-brushed"
      onPointerDown={down}
      onPointerMove={move}
      onPointerUp={() => (begun.current = null)}
      onPointerLeave={() => setHover(null)}
      onKeyDown={(event) => moveBrush(event, plane, part)}
    >
      <Canvas
        size={size}
        draw={(g) => drawPlane(g, frame, plane, { part, hover }, theme())}
        of={[plane, frame, JSON.stringify(part), hover?.join()]}
      />
      <p id="plane-brushed" class={hover ? "readout" : "spoken"}>
        {hover ? readout(plane, hover) : part ? `${bornText(plane, part.born)}, ${diedText(plane, part.died)}` : ""}
      </p>
    </div>
  );
}

function readout(plane: Plane, [birth, death]: [number, number]): string {
  const cell: Cohort = { born: [birth, birth], died: [death, death] };
  const sum = sumOf(plane, cell);
  return `${bytes(sum.bytes)} in ${counted(sum.blocks, "block")}, ${bornText(plane, cell.born)}, ${diedText(plane, cell.died)}`;
}

const kSteps: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

function moveBrush(event: KeyboardEvent, plane: Plane, part: Cohort | null): void {
  const step = kSteps[event.key];
  if (!step) return;
  event.preventDefault();
  event.stopPropagation();
  const old = part ?? { born: [0, 0], died: [plane.count, plane.count] };
  const move = ([first, last]: number[], by: number, most: number): [number, number] => {
    const from = event.shiftKey ? first : Math.min(most, Math.max(0, first + by));
    return [from, Math.min(most, Math.max(from, last + by))];
  };
  const cohort: Cohort = {
    born: move(old.born, step[0], plane.count - 1),
    died: move(old.died, step[1], plane.count),
  };
  select({ cohort: part ? cohort : (old as Cohort) }, "quietly");
}

// Whose the brushed ones are.
function Owners(props: { recording: Recording; plane: Plane; part: Cohort }) {
  const { recording, plane, part } = props;
  const selection = useSelection();
  const question = { ...scopeOf(selection), by: "owner", top: 1000, sort: "bytes" };
  const asked = useAsked("/api/cohort", { question, ...rectangleOf(plane, part) }, "cohort", (wire) =>
    readAnswer(wire.answer),
  );
  const answer = asked.value;
  if (!answer) return <Waiting asked={asked} />;
  const { rows } = answer;
  return (
    <Rows
      label="Whose they are"
      columns={ownerColumns(answer)}
      order={Array.from({ length: rows.count }, (_, i) => i)}
      sort=""
      isPicked={(i) => isPicked(recording, selection.picked, rows, i, "owner")}
      pick={(i) => select({ picked: rowPicked(recording, rows, i, "owner") })}
    />
  );
}

function ownerColumns({ rows, totals }: Answer): ColumnOf[] {
  const [all, calls] = [rows.values("bytes"), rows.values("calls")];
  const nameOf = (i: number) => rows.text("function", i) || rows.text("name", i) || "(unknown)";
  return [
    {
      key: "name",
      title: "line to blame",
      isText: true,
      value: nameOf,
      text: nameOf,
      more: (i) => place(rows.file(i), rows.number("line", i)),
    },
    { key: "bytes", title: "allocated", value: (i) => all[i], text: (i) => bytes(all[i]) },
    { key: "share", title: "share", value: (i) => all[i], text: (i) => percent(all[i], totals.bytes ?? 0) },
    { key: "calls", title: "blocks", value: (i) => calls[i], text: (i) => count(calls[i]) },
  ];
}

const kMostCells = 200;

// The largest cells, in words: what the picture shows, for those who do not see it.
function Cells({ plane }: { plane: Plane }) {
  const order = useMemo(
    () => plane.bytes.map((_, i) => i).sort((a, b) => plane.bytes[b] - plane.bytes[a]).slice(0, kMostCells),
    [plane],
  );
  const cell = (i: number): Cohort => ({
    born: [plane.birth[i], plane.birth[i]],
    died: [plane.death[i], plane.death[i]],
  });
  const columns: ColumnOf[] = [
    {
      key: "name",
      title: "allocated",
      isText: true,
      value: (i) => plane.birth[i],
      text: (i) => cellText(plane, plane.birth[i]),
    },
    { key: "freed", title: "freed", value: (i) => plane.death[i], text: (i) => cellText(plane, plane.death[i]) },
    { key: "bytes", title: "bytes", value: (i) => plane.bytes[i], text: (i) => bytes(plane.bytes[i]) },
    { key: "blocks", title: "blocks", value: (i) => plane.blocks[i], text: (i) => count(plane.blocks[i]) },
  ];
  return (
    <Rows
      label="The largest cells"
      columns={columns}
      order={order}
      sort=""
      isPicked={() => false}
      pick={(i) => select({ cohort: cell(i) })}
    />
  );
}
