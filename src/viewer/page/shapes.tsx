// Sizes, lifetimes and threads as bars that can be brushed: a click or a drag over them becomes a
// condition of the filter, and a second click takes it away.
import { h } from "preact";
import { useState } from "preact/hooks";
import { useAsked } from "./asked";
import { classConditions } from "./class_conditions";
import { conditionsOf } from "./filter";
import { figure, percent } from "./format";
import { Freeing } from "./freeing";
import { Head, Waiting } from "./head";
import { metricOf, selected } from "./metrics";
import type { Recording } from "./recording";
import { select, useSelection } from "./selection";
import { threadName, threadPattern } from "./threads";
import { readAnswer, type Answer } from "./wire";

interface Shape {
  by: string;
  title: string;
  key: string; // of the conditions
  conditions: (first: string, last: string) => string[]; // from one group to another, by their names
}

const kShapes: Shape[] = [
  {
    by: "size-class",
    title: "sizes",
    key: "size",
    conditions: (first, last) => classConditions("size", first, last),
  },
  {
    by: "lifetime",
    title: "lifetimes",
    key: "lifetime",
    conditions: (first, last) => classConditions("lifetime", first, last),
  },
  {
    by: "thread",
    title: "threads that allocate",
    key: "thread",
    conditions: (first) => [`thread=${threadPattern(first)}`],
  },
];

export function ShapesView({ recording }: { recording: Recording }) {
  const selection = useSelection();
  const question = { ...selected(selection, recording), by: "size-class", top: 200 };
  const asked = useAsked("/api/ask", { question }, "shapes", (wire) => readAnswer(wire.answer));
  return (
    <div class="view">
      <Head selection={selection} recording={recording} asked={asked}>
        <span class="quiet">drag over bars to filter by them</span>
      </Head>
      <div class="scrolled shapes">
        <Bars shape={kShapes[0]} recording={recording} />
        <div>
          {kShapes.slice(1).map((shape) => (
            <Bars key={shape.by} shape={shape} recording={recording} />
          ))}
        </div>
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
      {shape.by === "thread" && !recording.only && <Freeing recording={recording} />}
    </section>
  );
}

interface BarRowsProps {
  shape: Shape;
  answer: Answer;
  filter: string; // without the conditions of this shape
  recording: Recording;
}

function BarRows({ shape, answer, filter, recording }: BarRowsProps) {
  const selection = useSelection();
  const metric = metricOf(selection);
  const [brush, setBrush] = useState<[number, number] | null>(null);
  const { rows, totals } = answer;
  const values = rows.values(metric.key);
  const isRange = shape.by !== "thread";
  const nameOf = (i: number) =>
    (!isRange && threadName(recording, rows.number("thread", i))) || rows.text("name", i);
  const order = Array.from({ length: rows.count }, (_, i) => i).filter((i) => values[i] > 0);
  if (isRange) order.sort((a, b) => (rows.key(a) < rows.key(b) ? -1 : 1));
  const most = order.reduce((so, i) => Math.max(so, values[i]), 1);
  const whole = totals[metric.key] ?? 0;
  const has = (conditions: string[]) => {
    const there = conditionsOf(selection.filter);
    return conditions.length > 0 && conditions.every((one) => there.includes(one));
  };
  const between = (from: number, to: number) => {
    const [first, last] = isRange ? [Math.min(from, to), Math.max(from, to)] : [to, to];
    return shape.conditions(nameOf(order[first]), nameOf(order[last]));
  };
  const apply = (from: number, to: number) => {
    const conditions = between(from, to);
    const others = conditionsOf(filter);
    select({ filter: [...others, ...(has(conditions) ? [] : conditions)].join(",") });
  };
  const chosen = (at: number) => has(between(at, at));
  const inBrush = (at: number) =>
    brush !== null && at >= Math.min(...brush) && at <= Math.max(...brush);
  return (
    <ul class="bars" onPointerLeave={() => setBrush(null)}>
      {order.map((i, at) => (
        <li key={i}>
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
            <span class="name">{nameOf(i)}</span>
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
