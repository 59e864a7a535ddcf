// The processes of the run: who started whom, when each ran, and what each had. A click shows nothing but
// one of them, in every view.
import { h } from "preact";
import { useMemo } from "preact/hooks";
import { bytes, count, counted, duration } from "./format";
import type { Process, Recording } from "./recording";
import { Rows, type ColumnOf } from "./rows";
import { select, useSelection } from "./selection";

interface Member {
  place: number; // among the recording's
  depth: number;
}

// Children below their parents, in the order in which they began.
export function familyOf(processes: Process[]): Member[] {
  const byBegin = processes.map((_, i) => i).sort((a, b) => processes[a].begin_ns - processes[b].begin_ns);
  const children = new Map<number, number[]>();
  const roots: number[] = [];
  const parents = new Map(byBegin.map((place) => [processes[place].pid, place]));
  for (const place of byBegin) {
    const parent = parents.get(processes[place].parent_pid);
    if (parent === undefined || parent === place) roots.push(place);
    else children.set(parent, [...(children.get(parent) ?? []), place]);
  }
  const found: Member[] = [];
  const seen = new Set<number>();
  const visit = (place: number, depth: number) => {
    if (seen.has(place)) return;
    seen.add(place);
    found.push({ place, depth });
    for (const child of children.get(place) ?? []) visit(child, depth + 1);
  };
  for (const place of roots) visit(place, 0);
  // Numbers that were given twice may make a ring, which has no root.
  for (const place of byBegin) visit(place, 0);
  return found;
}

export function ProcessesView({ recording }: { recording: Recording }) {
  const { process: only } = useSelection();
  const { processes } = recording;
  const family = useMemo(() => familyOf(processes), [processes]);
  const columns = useMemo(() => columnsOf(recording, family), [recording, family]);
  const calls = processes.reduce((sum, process) => sum + process.calls, 0);
  return (
    <div class="view">
      <div class="head">
        <h2>
          <b class="total">{counted(processes.length, "process", "processes")}</b>{" "}
          <span class="when">
            {count(calls)} calls in the whole run, {duration(recording.duration_ns)}
          </span>
        </h2>
        <span class="spring" />
        {only !== null ? (
          <button onClick={() => select({ process: null, zoom: [] })}>All processes</button>
        ) : (
          !recording.only && <span class="quiet">choose one to see nothing else</span>
        )}
      </div>
      <Rows
        label="Processes"
        columns={columns}
        order={family.map((_, i) => i)}
        sort=""
        isPicked={(i) => family[i].place === only}
        pick={(i) => {
          const { place } = family[i];
          if (!recording.only) select({ process: place === only ? null : place, zoom: [] });
        }}
      />
    </div>
  );
}

function columnsOf(recording: Recording, family: Member[]): ColumnOf[] {
  const { processes } = recording;
  const of = (i: number) => processes[family[i].place];
  const figure = (title: string, value: (one: Process) => number, text: (value: number) => string) => ({
    key: title,
    title,
    value: (i: number) => value(of(i)),
    text: (i: number) => text(value(of(i))),
  });
  const all = Math.max(1, recording.duration_ns);
  const most = Math.max(1, ...processes.map((process) => process.peak_bytes));
  return [
    {
      key: "name",
      title: "process",
      isText: true,
      value: (i) => of(i).title,
      text: (i) => `${of(i).title} ${of(i).pid}`,
      more: (i) => of(i).command,
      indent: (i) => family[i].depth,
    },
    {
      key: "time",
      title: "time",
      value: (i) => of(i).begin_ns,
      text: (i) => `${of(i).forked ? "forked" : "began"} at ${duration(of(i).begin_ns)}, ran ${duration(of(i).end_ns - of(i).begin_ns)}`,
      span: (i) => ({
        begin: of(i).begin_ns / all,
        end: of(i).end_ns / all,
        strength: of(i).peak_bytes / most,
      }),
    },
    figure("peak", (one) => one.peak_bytes, bytes),
    figure("never freed", (one) => one.end_bytes, bytes),
    figure("allocated", (one) => one.bytes, bytes),
    figure("calls", (one) => one.calls, count),
  ];
}
