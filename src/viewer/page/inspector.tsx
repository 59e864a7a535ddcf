// What is chosen, at the right: its figures, its own course over time, where it is called from, and what
// one can do with it.
import { Fragment, h } from "preact";
import { useMemo } from "preact/hooks";
import { useAsked } from "./asked";
import { commandOf } from "./command";
import { copyText } from "./copy";
import { exactly, withCondition } from "./filter";
import { figure, percent, place } from "./format";
import { metricOf, selected, whenText } from "./metrics";
import type { FigureRow, Recording } from "./recording";
import { Sparkline } from "./sparkline";
import { select, useSelection, type Picked, type Selection } from "./selection";
import { StackList } from "./stacks";
import { threadPattern } from "./threads";
import { readAnswer, type Answer } from "./wire";

// The condition that selects what is chosen; empty where a filter cannot say it.
export function conditionOf(picked: Picked, negated = false): string {
  const sign = negated ? "!" : "";
  const kinds: Record<string, string> = { module: "module", heap: "heap" };
  if (picked.by === "thread") return `thread=${sign}${threadPattern(picked.name)}`;
  if (kinds[picked.by]) return `${kinds[picked.by]}=${sign}${exactly(picked.name)}`;
  const isFunction = ["function", "owner", "site", "line", "part"].includes(picked.by);
  return isFunction && picked.name ? `function=${sign}${exactly(picked.name)}` : "";
}

export function Inspector({ recording }: { recording: Recording }) {
  const selection = useSelection();
  const { picked } = selection;
  return (
    <aside class="inspector" aria-label="Details">
      {picked ? (
        <Chosen picked={picked} selection={selection} recording={recording} />
      ) : (
        <>
          <p class="quiet">Choose a box or a row to see its figures, its stacks and its source.</p>
          {!recording.only_counts && <Everything selection={selection} recording={recording} />}
        </>
      )}
      <Command selection={selection} recording={recording} />
    </aside>
  );
}

// What every view shows now, in all figures.
function Everything({ selection, recording }: { selection: Selection; recording: Recording }) {
  const here = useAsked("/api/ask", wholeOf(selection, recording), "inspector-all", (wire) =>
    readAnswer(wire.answer),
  );
  if (here.failure) return null;
  return (
    <section class={"everything" + (here.isWaiting ? " waiting" : "")}>
      <h3>{whenText(selection, recording)}</h3>
      <FigureList answer={here.value} selection={selection} recording={recording} />
    </section>
  );
}

const wholeOf = (selection: Selection, recording: Recording) => ({
  question: { ...selected(selection, recording), by: "nothing" },
});

interface ChosenProps {
  picked: Picked;
  selection: Selection;
  recording: Recording;
}

function Chosen({ picked, selection, recording }: ChosenProps) {
  const condition = recording.only ? "" : conditionOf(picked);
  const filter = condition ? withCondition(selection.filter, condition) : "";
  const question = useMemo(() => selected({ ...selection, filter }, recording), [selection, filter]);
  const body = condition ? { question: { ...question, by: "site", top: 3 } } : null;
  const asked = useAsked("/api/ask", body, "inspector", (wire) => readAnswer(wire.answer));
  const here = useAsked("/api/ask", wholeOf(selection, recording), "inspector-all", (wire) =>
    readAnswer(wire.answer),
  );
  return (
    <>
      <header>
        <h3 class="mono">{picked.name}</h3>
        <Where picked={picked} />
      </header>
      {!recording.only && <Actions picked={picked} selection={selection} />}
      {condition && (
        <FigureList
          answer={asked.value}
          whole={here.value}
          selection={selection}
          recording={recording}
        />
      )}
      {condition && <Sparkline recording={recording} filter={filter} />}
      {condition && asked.value && (
        <StackList rows={asked.value.rows} groups={asked.value.groups} metric={metricOf(selection)} />
      )}
      {asked.failure && <p role="alert">{asked.failure.message}</p>}
    </>
  );
}

function Where({ picked }: { picked: Picked }) {
  if (!picked.file) return null;
  return (
    <button class="link" title={picked.file} onClick={() => select({ view: "source" })}>
      {place(picked.file, picked.line)}
    </button>
  );
}

function Actions({ picked, selection }: { picked: Picked; selection: Selection }) {
  const only = conditionOf(picked);
  const without = conditionOf(picked, true);
  const add = (condition: string) =>
    select({ filter: withCondition(selection.filter, condition), zoom: [] });
  const isFunction = only.startsWith("function=");
  return (
    <div class="actions">
      {only && (
        <>
          <button onClick={() => add(only)} title="Nothing but what it is on the stack of">
            Only
          </button>
          <button onClick={() => add(without)} title="Everything else">
            Without
          </button>
        </>
      )}
      {isFunction && <button onClick={() => select({ view: "callers" })}>Callers</button>}
      {picked.file && <button onClick={() => select({ view: "source" })}>Source</button>}
      <button class="quiet" onClick={() => select({ picked: null })} aria-label="Choose nothing">
        ✕
      </button>
    </div>
  );
}

interface FigureListProps {
  answer?: Answer;
  whole?: Answer;
  selection: Selection;
  recording: Recording;
}

const kShown = ["live_bytes", "live_blocks", "bytes", "calls", "temporary_calls", "resizes", "ended_bytes",
  "peak_bytes", "smallest", "largest"];

function FigureList({ answer, whole, selection, recording }: FigureListProps) {
  const metric = metricOf(selection);
  const rows = kShown
    .map((key) => recording.figures.find((row) => row.key === key))
    .filter((row): row is FigureRow => row !== undefined && answer?.totals[row.key] !== undefined);
  if (!answer) return <dl class="figures" aria-busy="true" />;
  return (
    <dl class="figures">
      {rows.map((row) => {
        const value = answer.totals[row.key];
        const all = whole?.totals[row.key] ?? 0;
        return (
          <div class={row.key === metric.key ? "main" : ""} title={row.help}>
            <dt>{row.title || row.word}</dt>
            <dd>
              <span class="quiet">{row.adds_up && all > 0 && percent(value, all)}</span>
              <span>{figure(value, row.unit)}</span>
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

function Command({ selection, recording }: { selection: Selection; recording: Recording }) {
  const text = commandOf(selection, recording);
  return (
    <details class="command">
      <summary>The same as text</summary>
      <code>{text}</code>
      <div class="actions">
        <button onClick={(event) => copyText(event, text)}>Copy command</button>
        <button onClick={(event) => copyText(event, location.href)}>Copy link</button>
      </div>
    </details>
  );
}
