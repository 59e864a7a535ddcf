// This recording and an earlier one, which may be of another version of the program: what is the same place in
// both is found by the server, as `heapledger diff` does.
import { h } from "preact";
import { useState } from "preact/hooks";
import { useAsked } from "./asked";
import { ChangeTable, type Changed } from "./change_table";
import { CompareFlame } from "./compare_flame";
import { CompareTools } from "./compare_tools";
import { change, count, duration, figure, percent, type Unit } from "./format";
import { Waiting } from "./head";
import { metricOf } from "./metrics";
import { momentText, timeOf, type Earlier, type Recording } from "./recording";
import { select, useSelection, type Selection } from "./selection";
import { rememberFiles, Table } from "./wire";

const kBy = ["owner", "function", "file", "module", "thread", "size-class"];
const kMost = 1500; // rows, of which an answer is half a megabyte at the most

// What can be compared of what can be measured; anything else is compared by what is live.
const kCompared = new Set(["live", "blocks", "never-freed", "bytes", "calls", "temporary", "peak"]);
const kKeys: Record<string, string> = { "never-freed": "never_freed_bytes" };

interface Difference {
  before: number;
  after: number;
  groups: number;
  changed: Changed[];
}

export function CompareRuns({ recording, earlier }: { recording: Recording; earlier: Earlier }) {
  const selection = useSelection();
  const [isFlame, setFlame] = useState(false);
  const { by, sort, key, unit } = comparedOf(selection);
  const at = selection.range ? selection.range[1] : selection.at;
  const filter = selection.filter && { filter: selection.filter };
  const body = { at, by, sort, top: kMost, ...filter };
  const asked = useAsked("/api/compare", body, "runs", (wire) => differenceOf(wire, key));
  if (!asked.value) return <Waiting asked={asked} />;
  const { changed, groups } = asked.value;
  return (
    <div class={"view" + (asked.isWaiting ? " waiting" : "")}>
      <RunsHead recording={recording} earlier={earlier} at={at} difference={asked.value} unit={unit}>
        {!recording.live && <button onClick={() => select({ ofTwo: false })}>Two moments instead</button>}
        <CompareTools groups={kBy} by={by} isFlame={isFlame} setFlame={setFlame} />
      </RunsHead>
      {isFlame ? (
        <CompareFlame recording={recording} before={{ at, of: "earlier" }} after={{ at }} />
      ) : (
        <ChangeTable
          changed={changed}
          unit={unit}
          foot={groups > kMost ? `, of ${count(groups)} those that changed most` : ""}
          by={by}
          selection={selection}
        />
      )}
    </div>
  );
}

export function comparedOf(selection: Selection) {
  const metric = metricOf(selection);
  const sort = kCompared.has(metric.word) ? metric.word : "live";
  const key = kKeys[sort] ?? (sort === metric.word ? metric.key : "live_bytes");
  const unit: Unit = sort === metric.word ? metric.unit : "bytes";
  return { by: kBy.includes(selection.by) ? selection.by : "owner", sort, key, unit };
}

function differenceOf(wire: any, key: string): Difference {
  rememberFiles(wire.files ?? {});
  const { groups } = wire;
  const rows = new Table(groups, wire.texts ?? [], wire.files ?? {});
  const figureOf = (side: "before" | "after", name: string, i: number): number | null =>
    groups[side]?.[name] ? groups[side][name][i] : 0;
  const changed: Changed[] = [];
  for (let i = 0; i < rows.count; ++i) {
    const [before, after] = [figureOf("before", key, i), figureOf("after", key, i)];
    const kind = rows.text("kind", i);
    if (kind === "same") continue;
    changed.push({
      name: rows.text("function", i) || rows.text("name", i),
      file: rows.file(i),
      line: rows.number("line", i),
      module: rows.text("module", i),
      before: before ?? 0,
      after: after ?? 0,
      blocksBefore: figureOf("before", "live_blocks", i) ?? 0,
      blocksAfter: figureOf("after", "live_blocks", i) ?? 0,
      sides: kind === "came" ? 2 : kind === "went" ? 1 : 3,
    });
  }
  return {
    before: wire.before[key] ?? 0,
    after: wire.after[key] ?? 0,
    groups: wire.counts?.groups ?? rows.count,
    changed,
  };
}

interface RunsHeadProps {
  recording: Recording;
  earlier: Earlier;
  at: string;
  difference: Difference;
  unit: Unit;
  children: any;
}

function RunsHead({ recording, earlier, at, difference, unit, children }: RunsHeadProps) {
  const selection = useSelection();
  const metric = metricOf(selection);
  const { before, after } = difference;
  const grown = after - before;
  const when = metric.isOfRun ? "" : ` at ${momentText(at) || duration(timeOf(recording, at))}`;
  const share = before > 0 ? ` (${grown > 0 ? "+" : ""}${percent(grown, before)})` : "";
  return (
    <div class="head">
      <h2 aria-live="polite">
        <b class={"total " + (grown > 0 ? "more" : grown < 0 ? "less" : "")}>{change(grown, unit)}</b>{" "}
        <span class="when">
          {share} {metric.title.toLowerCase()}
          {when}: from {figure(before, unit)} in <b title={earlier.command}>{earlier.title}</b> to{" "}
          {figure(after, unit)} in <b title={recording.command}>{recording.title}</b>
          {selection.process !== null && ", of all processes"}
        </span>
      </h2>
      <span class="spring" />
      {children}
    </div>
  );
}
