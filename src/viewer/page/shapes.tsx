// Sizes, lifetimes and threads as bars that can be brushed: a click or a drag over them becomes a
// condition of the filter, and a second click takes it away.
import { h } from "preact";
import { useState } from "preact/hooks";
import { useAsked } from "./asked";
import { conditionsOf, exactly, withBounds, withCondition, withoutCondition } from "./filter";
import { figure, percent } from "./format";
import { Head, Waiting } from "./head";
import { metricOf, selected } from "./metrics";
import type { Recording } from "./recording";
import { select, useSelection } from "./selection";
import { readAnswer, type Answer, type Table } from "./wire";

interface Shape {
  by: string;
  title: string;
  key: string; // of the condition
  condition: (rows: Table, first: number, last: number) => string;
}

const kNever = 2 ** 63; // above it: never freed

// Classes go from a power of two to the next.
function bounds(rows: Table, first: number, last: number, unit: string): string {
  const least = rows.number("key", first);
  const most = rows.number("key", last);
  const end = most === 0 ? 0 : 2 * most - 1;
  return `=${least}${unit}..${end}${unit}`;
}

const kShapes: Shape[] = [
  {
    by: "size-class",
    title: "sizes",
    key: "size",
    condition: (rows, first, last) => "size" + bounds(rows, first, last, ""),
  },
  {
    by: "lifetime",
    title: "lifetimes",
    key: "lifetime",
    condition: (rows, first, last) => {
      if (rows.number("key", first) >= kNever) return "lifetime=never";
      const least = rows.number("key", first);
      if (rows.number("key", last) >= kNever) return `lifetime>=${least}ns`;
      return "lifetime" + bounds(rows, first, last, "ns");
    },
  },
  {
    by: "thread",
    title: "threads that allocate",
    key: "thread",
    condition: (rows, first) => `thread=${exactly(rows.text("name", first).replace(/ \(.*$/, ""))}`,
  },
];

export function ShapesView({ recording }: { recording: Recording }) {
  const selection = useSelection();
  const question = { ...selected(selection, recording), by: "size-class" };
  const asked = useAsked("/api/ask", { question }, "shapes", (wire) => readAnswer(wire.answer));
  return (
    <div class="view">
      <Head selection={selection} recording={recording} asked={asked}>
        <span class="quiet">drag over bars to filter by them</span>
      </Head>
      <div class="scrolled shapes">
        {kShapes.map((shape) => (
          <Bars shape={shape} recording={recording} />
        ))}
      </div>
    </div>
  );
}

// Without the condition on the same thing: else a brushed histogram would show its own brush alone.
function unbrushed(filter: string, key: string): string {
  return conditionsOf(filter).filter((one) => /^[a-z]+/.exec(one)?.[0] !== key).join(",");
}

function Bars({ shape, recording }: { shape: Shape; recording: Recording }) {
  const selection = useSelection();
  const filter = unbrushed(selection.filter, shape.key);
  const question = { ...selected({ ...selection, filter }, recording), by: shape.by, top: 200 };
  const asked = useAsked("/api/ask", { question }, shape.by, (wire) => readAnswer(wire.answer));
  return (
    <section>
      <h3 class="quiet">{shape.title}</h3>
      {asked.value ? (
        <BarRows shape={shape} answer={asked.value} filter={filter} recording={recording} />
      ) : (
        <Waiting asked={asked} />
      )}
    </section>
  );
}

interface BarRowsProps {
  shape: Shape;
  answer: Answer;
  filter: string;
  recording: Recording;
}

function BarRows({ shape, answer }: BarRowsProps) {
  const selection = useSelection();
  const metric = metricOf(selection);
  const [brush, setBrush] = useState<[number, number] | null>(null);
  const { rows, totals } = answer;
  const values = rows.values(metric.key);
  const isRange = shape.by !== "thread";
  const order = Array.from({ length: rows.count }, (_, i) => i).filter((i) => values[i] > 0);
  if (isRange) order.sort((a, b) => rows.number("key", a) - rows.number("key", b));
  const most = order.reduce((so, i) => Math.max(so, values[i]), 1);
  const whole = totals[metric.key] ?? 0;
  const apply = (from: number, to: number) => {
    const [first, last] = isRange ? [Math.min(from, to), Math.max(from, to)] : [to, to];
    const condition = shape.condition(rows, order[first], order[last]);
    const isThere = conditionsOf(selection.filter).includes(condition);
    if (isThere) select({ filter: withoutCondition(selection.filter, condition) });
    else if (isRange) select({ filter: withBounds(selection.filter, shape.key, condition) });
    else select({ filter: withCondition(selection.filter, condition) });
  };
  const chosen = (at: number) =>
    conditionsOf(selection.filter).includes(shape.condition(rows, order[at], order[at]));
  const inBrush = (at: number) =>
    brush !== null && at >= Math.min(...brush) && at <= Math.max(...brush);
  return (
    <ul class="bars" onPointerLeave={() => setBrush(null)}>
      {order.map((i, at) => (
        <li key={rows.number("key", i) + rows.text("name", i)}>
          <button
            class={inBrush(at) || chosen(at) ? "brushed" : ""}
            aria-pressed={chosen(at)}
            onPointerDown={() => setBrush([at, at])}
            onPointerEnter={(event) => {
              if (brush && event.buttons === 1) setBrush([brush[0], at]);
            }}
            onPointerUp={() => {
              if (brush && brush[0] !== at) apply(brush[0], at);
              setBrush(null);
            }}
            onClick={() => apply(at, at)}
          >
            <span class="name">{rows.text("name", i)}</span>
            <span class="bar" aria-hidden="true">
              <span style={{ width: `${(100 * values[i]) / most}%` }} />
            </span>
            <span class="amount">{figure(values[i], metric.unit)}</span>
            <span class="share">{percent(values[i], whole)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
