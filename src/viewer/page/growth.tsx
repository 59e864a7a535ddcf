// Generations: what was allocated in each interval between flags and was still live at its end. What grew
// in every interval stands first: leaks do, caches stop.
import { h } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { ask } from "./asked";
import { bytes, duration, place } from "./format";
import { edgeWidth } from "./edges";
import { Refused } from "./head";
import { momentOf, scopeOf, type Question } from "./metrics";
import { timeOf, type Recording } from "./recording";
import { Rows, type ColumnOf } from "./rows";
import { select, useSelection } from "./selection";
import { readAnswer, type Answer } from "./wire";

const kIntervals = 6; // where no flags are set

// The moments between which it is looked: flags, or else markers, or else equal parts of the run. What was
// before the first and after the last of several flags is left out: they stand around what is meant.
export function pointsOf(recording: Recording, flags: number[]): string[] {
  if (flags.length > 1) return flags.map((ns) => `${ns}ns`);
  if (flags.length > 0) return ["start", ...flags.map((ns) => `${ns}ns`), "end"];
  const { markers } = recording;
  if (markers.length > 0 && markers.length <= 12) {
    return ["start", ...markers.map((marker) => `marker:${marker.text}`), "end"];
  }
  const width = edgeWidth(recording);
  const edges = Math.floor(recording.duration_ns / width);
  const points = ["start"];
  for (let i = 1; i < kIntervals; ++i) {
    const edge = Math.round((edges * i) / kIntervals);
    const moment = `${edge * width - 1}ns`;
    if (edge > 0 && moment !== points[points.length - 1]) points.push(moment);
  }
  return [...points, "end"];
}

interface Grown {
  name: string;
  file: string;
  line: number;
  amounts: number[];
  times: number; // in how many intervals it grew
  sum: number;
}

function grownOf(answers: Answer[]): Grown[] {
  const found = new Map<string, Grown>();
  answers.forEach(({ rows }, interval) => {
    const live = rows.values("live_bytes");
    for (let i = 0; i < rows.count; ++i) {
      if (live[i] === 0) continue;
      const name = rows.text("function", i) || rows.text("name", i);
      const [file, line] = [rows.file(i), rows.number("line", i)];
      const key = [name, file, line].join("\0");
      const known = found.get(key) ?? {
        name,
        file,
        line,
        amounts: new Array(answers.length).fill(0),
        times: 0,
        sum: 0,
      };
      known.amounts[interval] += live[i];
      found.set(key, known);
    }
  });
  const all = [...found.values()];
  for (const one of all) {
    one.times = one.amounts.filter((amount) => amount > 0).length;
    one.sum = one.amounts.reduce((sum, amount) => sum + amount, 0);
  }
  return all.sort((a, b) => b.times - a.times || b.sum - a.sum);
}

function useIntervals(points: string[], scope: Question) {
  const [state, setState] = useState<{ answers?: Answer[]; failure?: string }>({});
  const key = points.join("|") + JSON.stringify(scope);
  useEffect(() => {
    let isLate = false;
    const all = { by: "owner", top: 1000, sort: "live", wanted: ["no_range_peaks"] };
    const questions = points.slice(1).map((end, i) => ({
      question: { ...all, between: [points[i], end], ...scope },
    }));
    Promise.all(questions.map((body) => ask("/api/ask", body))).then(
      (wires) => !isLate && setState({ answers: wires.map((wire: any) => readAnswer(wire.answer)) }),
      (error) => !isLate && setState({ failure: error.message }),
    );
    return () => void (isLate = true);
  }, [key]);
  return state;
}

export function GrowthView({ recording }: { recording: Recording }) {
  const selection = useSelection();
  const { flags, search, picked } = selection;
  const points = useMemo(() => pointsOf(recording, flags), [recording, flags.join()]);
  const { answers, failure } = useIntervals(
    points.map((point) => momentOf(selection, recording, point)),
    scopeOf(selection),
  );
  const grown = useMemo(() => (answers ? grownOf(answers) : []), [answers]);
  const [sort, setSort] = useState("times");
  const columns = useMemo(() => columnsOf(grown, points, recording), [grown, points]);
  const order = useMemo(() => {
    const wanted = search.toLowerCase();
    const all = grown.map((_, i) => i).filter((i) => grown[i].name.toLowerCase().includes(wanted));
    const column = columns.find((one) => one.key === sort.replace(/^-/, ""));
    if (!column || sort === "times") return all;
    const sign = sort.startsWith("-") !== (column.isText ?? false) ? 1 : -1;
    return all.sort((a, b) => (column.value(a) < column.value(b) ? -sign : sign));
  }, [grown, columns, sort, search]);
  if (failure) return <Refused text={failure} kind="question" />;
  const always = grown.filter((one) => one.times === points.length - 1).length;
  return (
    <div class="view">
      <div class={"head" + (answers ? "" : " waiting")}>
        <h2>
          <b class="total">{answers ? `${always || "Nothing"} grew in every interval` : " "}</b>{" "}
          <span class="when">
            allocated in each of {points.length - 1} and still live at its end
          </span>
        </h2>
        <span class="spring" />
        {flags.length > 0 ? (
          <button onClick={() => select({ flags: [] })}>Without flags</button>
        ) : (
          <span class="quiet">f sets a flag at the cursor</span>
        )}
      </div>
      <Rows
        label="What grew"
        columns={columns}
        order={order}
        sort={sort}
        sortBy={setSort}
        isPicked={(i) => picked?.name === grown[i].name && picked.line === grown[i].line}
        pick={(i) => {
          const { name, file, line } = grown[i];
          select({ picked: { name, by: "owner", file, line, site: 0 } });
        }}
      />
    </div>
  );
}

function columnsOf(grown: Grown[], points: string[], recording: Recording): ColumnOf[] {
  const columns: ColumnOf[] = [
    {
      key: "name",
      title: "line to blame",
      isText: true,
      value: (i) => grown[i].name,
      text: (i) => grown[i].name || "(unknown)",
      more: (i) => place(grown[i].file, grown[i].line),
    },
    {
      key: "times",
      title: "intervals",
      help: "in how many intervals it grew",
      value: (i) => grown[i].times,
      text: (i) => `${grown[i].times} of ${points.length - 1}`,
      tone: (i) => (grown[i].times === points.length - 1 ? "more" : ""),
    },
    { key: "sum", title: "together", value: (i) => grown[i].sum, text: (i) => bytes(grown[i].sum) },
  ];
  for (let n = 0; n + 1 < points.length; ++n) {
    columns.push({
      key: `interval${n}`,
      title: `to ${duration(timeOf(recording, points[n + 1]))}`,
      help: `from ${duration(timeOf(recording, points[n]))}`,
      value: (i) => grown[i].amounts[n],
      text: (i) => (grown[i].amounts[n] > 0 ? bytes(grown[i].amounts[n]) : "·"),
      tone: (i) => (grown[i].amounts[n] > 0 ? "" : "quiet"),
    });
  }
  return columns;
}
