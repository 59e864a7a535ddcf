// What changed: from another recording to this one, where there are two, or between two moments of one, the
// ends of the range.
import { h } from "preact";
import { useMemo, useState } from "preact/hooks";
import { useAsked } from "./asked";
import { ChangeTable, type Changed } from "./change_table";
import { CompareFlame } from "./compare_flame";
import { CompareTools } from "./compare_tools";
import { CompareRuns } from "./compare_runs";
import { bytes, change } from "./format";
import { Waiting } from "./head";
import { momentOf, scopeOf } from "./metrics";
import { momentLabel } from "./moment_label";
import { timeOf, type Recording } from "./recording";
import { select, useSelection, type Selection } from "./selection";
import { namedMoments, snapped } from "./edges";
import { readAnswer, type Answer, type Table } from "./wire";

const kBy = ["owner", "function", "part", "file", "module", "thread", "size-class", "process"];

// A and B: the range, or from the start to the cursor.
export function endsOf(selection: Selection, recording: Recording): [string, string] {
  if (selection.range) return selection.range;
  if (recording.only) return [snapped(recording, 0, 0), selection.at];
  return timeOf(recording, selection.at) > 0 ? ["start", selection.at] : ["start", "end"];
}

// Of many groups the largest come; what the others have is not known.
const isCut = (answer: Answer) => answer.groups > answer.rows.count;

export function CompareView({ recording }: { recording: Recording }) {
  const { ofTwo } = useSelection();
  if (recording.earlier && ofTwo) return <CompareRuns recording={recording} earlier={recording.earlier} />;
  return <CompareMoments recording={recording} />;
}

function CompareMoments({ recording }: { recording: Recording }) {
  const selection = useSelection();
  const [isFlame, setFlame] = useState(false);
  const [a, b] = endsOf(selection, recording);
  const by = kBy.includes(selection.by) ? selection.by : "owner";
  const question = (at: string) => ({
    question: { at: momentOf(selection, recording, at), by, top: 5000, sort: "live", ...scopeOf(selection) },
  });
  const read = (wire: any) => readAnswer(wire.answer);
  const before = useAsked("/api/ask", question(a), "before", read);
  const after = useAsked("/api/ask", question(b), "after", read);
  const changed = useMemo(
    () => (before.value && after.value ? changesOf(before.value, after.value) : []),
    [before.value, after.value],
  );
  if (!before.value) return <Waiting asked={before} />;
  if (!after.value) return <Waiting asked={after} />;
  return (
    <div class="view">
      <CompareHead recording={recording} a={a} b={b} before={before.value} after={after.value}>
        {recording.earlier && (
          <button onClick={() => select({ ofTwo: true })}>With {recording.earlier.title}</button>
        )}
        <CompareTools groups={kBy} by={by} isFlame={isFlame} setFlame={setFlame} />
      </CompareHead>
      {isFlame ? (
        <CompareFlame recording={recording} before={{ at: a }} after={{ at: b }} />
      ) : (
        <ChangeTable
          changed={changed}
          unit="bytes"
          foot={isCut(before.value) || isCut(after.value) ? ", of those that are among the largest at both moments" : ""}
          by={by}
          selection={selection}
        />
      )}
    </div>
  );
}

interface CompareHeadProps {
  recording: Recording;
  a: string;
  b: string;
  before: Answer;
  after: Answer;
  children: any;
}

function CompareHead({ recording, a, b, before, after, children }: CompareHeadProps) {
  const [x, y] = [before.totals.live_bytes ?? 0, after.totals.live_bytes ?? 0];
  const tone = y > x ? "more" : y < x ? "less" : "";
  return (
    <div class="head">
      <h2>
        <b class={"total " + tone}>{change(y - x, "bytes")}</b>{" "}
        <span class="when">
          from {bytes(x)} at <End recording={recording} moment={a} other={b} end={0} /> to {bytes(y)} at{" "}
          <End recording={recording} moment={b} other={a} end={1} />
        </span>
      </h2>
      <span class="spring" />
      {children}
    </div>
  );
}

// One end of the range, to be chosen by name; any other is chosen on the timeline.
function End(props: { recording: Recording; moment: string; other: string; end: 0 | 1 }) {
  const { recording, moment, other, end } = props;
  const named = namedMoments(recording);
  const isNamed = named.some((one) => one.moment === moment);
  const choose = (chosen: string) => {
    const range: [string, string] = end === 0 ? [chosen, other] : [other, chosen];
    if (timeOf(recording, range[0]) > timeOf(recording, range[1])) range.reverse();
    select({ range, at: range[1] });
  };
  return (
    <select
      value={moment}
      aria-label={end === 0 ? "From" : "To"}
      onChange={(event) => choose(event.currentTarget.value)}
    >
      {!isNamed && <option value={moment}>{momentLabel(recording, moment)}</option>}
      {named.map((one) => (
        <option value={one.moment}>{momentLabel(recording, one.moment)}</option>
      ))}
    </select>
  );
}

const keyOf = (rows: Table, i: number) =>
  [rows.text("function", i) || rows.text("name", i), rows.file(i), rows.number("line", i),
    rows.key(i), rows.number("ledger", i)].join("\0");

export function changesOf(before: Answer, after: Answer): Changed[] {
  const found = new Map<string, Changed>();
  const take = (rows: Table, isAfter: boolean) => {
    const [live, blocks] = [rows.values("live_bytes"), rows.values("live_blocks")];
    for (let i = 0; i < rows.count; ++i) {
      const key = keyOf(rows, i);
      const known = found.get(key) ?? {
        name: rows.text("function", i) || rows.text("name", i),
        file: rows.file(i),
        line: rows.number("line", i),
        module: rows.text("module", i),
        before: 0,
        after: 0,
        blocksBefore: 0,
        blocksAfter: 0,
        sides: 0,
      };
      known.sides |= isAfter ? 2 : 1;
      known[isAfter ? "after" : "before"] += live[i];
      known[isAfter ? "blocksAfter" : "blocksBefore"] += blocks[i];
      found.set(key, known);
    }
  };
  take(before.rows, false);
  take(after.rows, true);
  const needed = (isCut(before) ? 1 : 0) | (isCut(after) ? 2 : 0);
  return [...found.values()].filter(
    (one) =>
      (one.sides & needed) === needed &&
      (one.before !== one.after || one.blocksBefore !== one.blocksAfter),
  );
}
