// The table: any grouping, with every figure that the answer has. Of thousands of rows those that can be
// seen are in the document.
import { h } from "preact";
import { useMemo } from "preact/hooks";
import { useAsked } from "./asked";
import { figure, percent, place } from "./format";
import { Head, Waiting } from "./head";
import { metricOf, selected, type Metric } from "./metrics";
import { barColour } from "./palette";
import { figureOf, type Recording } from "./recording";
import { Rows, type ColumnOf } from "./rows";
import { copyText, rowsAsCsv } from "./copy";
import { select, useSelection, type Picked } from "./selection";
import { isDark } from "./theme";
import { threadName } from "./threads";
import { readAnswer, type Answer, type Table } from "./wire";

const kMostRows = 2000;
// Groups that overlap: what leads through them, and what they allocate themselves.
const kOverlapping = new Set(["function", "file", "line", "module"]);
// Groups whose name has the place in it, which stands beside it here.
const kByFunction = new Set(["owner", "part"]);
const kFirstColumns = ["live_bytes", "live_blocks", "bytes", "calls", "temporary_calls", "peak_bytes"];

export const kGroupTitles: Record<string, string> = {
  site: "stack",
  owner: "line to blame",
  part: "part of the program",
  size: "size",
  "size-class": "size class",
  lifetime: "lifetime",
  process: "process",
};

function nameOf(recording: Recording, rows: Table, i: number, by: string): string {
  const thread = by === "thread" && threadName(recording, rows.number("thread", i));
  return thread || rows.text("function", i) || rows.text("name", i);
}

export function rowPicked(recording: Recording, rows: Table, i: number, by: string): Picked {
  return {
    name: nameOf(recording, rows, i, by),
    by,
    file: rows.file(i),
    line: rows.number("line", i),
    site: rows.number("site", i),
  };
}

export function TableView({ recording }: { recording: Recording }) {
  const selection = useSelection();
  const { by, search } = selection;
  const metric = metricOf(selection);
  const question: Record<string, unknown> = { ...selected(selection, recording), by, top: kMostRows };
  const sorted = selection.sort.replace(/^-/, "").replace(/^self\./, "all.");
  const word = sorted && recording.figures.find((row) => "all." + row.key === sorted)?.word;
  if (word) question.sort = word;
  const asked = useAsked("/api/ask", { question }, "table", (wire) => readAnswer(wire.answer));
  const answer = asked.value;
  const columns = useMemo(
    () => (answer ? columnsOf(answer, recording, metric, by) : []),
    [answer, recording, metric, by],
  );
  const order = useMemo(
    () => (answer ? orderOf(answer.rows, columns, selection.sort || "all." + metric.key, search) : []),
    [answer, columns, selection.sort, search],
  );
  if (!answer) return <Waiting asked={asked} />;
  const { rows } = answer;
  const picked = (i: number) => isPicked(recording, selection.picked, rows, i, by);
  return (
    <div class="view">
      <Head selection={selection} recording={recording} asked={asked}>
        <label>
          by{" "}
          <select
            value={by}
            aria-label="Group by"
            onChange={(event) => select({ by: event.currentTarget.value, sort: "" })}
          >
            {recording.groups.map((group) => (
              <option value={group}>{kGroupTitles[group] ?? group}</option>
            ))}
          </select>
        </label>
        <button onClick={(event) => copyText(event, rowsAsCsv(rows, columns, order))}>Copy CSV</button>
      </Head>
      <Rows
        label={`${kGroupTitles[by] ?? by}s`}
        columns={columns}
        order={order}
        sort={selection.sort || "all." + metric.key}
        sortBy={(key) => select({ sort: key }, "quietly")}
        isPicked={picked}
        pick={(i) => select({ picked: rowPicked(recording, rows, i, by) })}
      />
      <p class="foot">
        {countText(order.length, rows.count, answer.groups)}
      </p>
    </div>
  );
}

function countText(shown: number, here: number, groups: number): string {
  const all = Math.max(groups, here);
  if (shown < here) return `${figure(shown, "count")} of ${figure(all, "count")} rows match`;
  if (here < all) return `the first ${figure(here, "count")} of ${figure(all, "count")} rows`;
  return `${figure(here, "count")} row${here === 1 ? "" : "s"}`;
}

export function isPicked(
  recording: Recording,
  picked: Picked | null,
  rows: Table,
  i: number,
  by: string,
): boolean {
  if (!picked || picked.name !== nameOf(recording, rows, i, by)) return false;
  return picked.by !== by || picked.line === 0 || picked.line === rows.number("line", i);
}

function columnsOf(answer: Answer, recording: Recording, metric: Metric, by: string): ColumnOf[] {
  const { rows, totals } = answer;
  const whole = totals[metric.key] ?? 0;
  const dark = isDark();
  const [first, second] = kByFunction.has(by) ? ["function", "name"] : ["name", "function"];
  const shownAs = (i: number) =>
    by === "thread"
      ? nameOf(recording, rows, i, by)
      : rows.text(first, i) || rows.text(second, i) || "(unknown)";
  const columns: ColumnOf[] = [
    {
      key: "name",
      title: kGroupTitles[by] ?? by,
      isText: true,
      value: shownAs,
      text: shownAs,
      more: (i) => place(rows.file(i), rows.number("line", i)),
    },
  ];
  columns.push({
    key: "all." + metric.key,
    title: metric.title.toLowerCase(),
    value: (i) => rows.values(metric.key)[i],
    text: (i) => figure(rows.values(metric.key)[i], metric.unit),
    share: (i) => (whole > 0 ? rows.values(metric.key)[i] / whole : 0),
    shareText: (i) => percent(rows.values(metric.key)[i], whole),
    colour: (i) => barColour(rows.text("module", i), dark),
  });
  if (kOverlapping.has(by)) {
    columns.push({
      key: "self." + metric.key,
      title: "itself",
      value: (i) => rows.values(metric.key, "self")[i],
      text: (i) => figure(rows.values(metric.key, "self")[i], metric.unit),
    });
  }
  const others = [...kFirstColumns, ...rows.keys().filter((key) => !kFirstColumns.includes(key))];
  for (const key of others) {
    const known = figureOf(recording, key);
    if (key === metric.key || !known || !rows.keys().includes(key)) continue;
    columns.push({
      key: "all." + key,
      title: known.title || known.word || key,
      help: known.help,
      value: (i) => rows.values(key)[i],
      text: (i) => figure(rows.values(key)[i], known.unit),
    });
  }
  return columns;
}

// The numbers of the rows that match, sorted; a key with a minus in front is the smallest first.
function orderOf(rows: Table, columns: ColumnOf[], sort: string, search: string): number[] {
  const wanted = search.toLowerCase();
  const order: number[] = [];
  for (let i = 0; i < rows.count; ++i) {
    const text = `${rows.text("name", i)} ${rows.text("function", i)} ${rows.file(i)}`;
    if (!wanted || text.toLowerCase().includes(wanted)) order.push(i);
  }
  const isUp = sort.startsWith("-");
  const column = columns.find((one) => one.key === sort.replace(/^-/, ""));
  if (!column) return order;
  const sign = isUp !== (column.isText ?? false) ? 1 : -1;
  return order.sort((a, b) => {
    const [x, y] = [column.value(a), column.value(b)];
    return x < y ? -sign : x > y ? sign : a - b;
  });
}
