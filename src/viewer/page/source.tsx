// A source file with a gutter: what each line has of what is selected. Sources come by number, from the
// files that the recording names, never by a path of the page's own.
import { Fragment, h } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { useAsked, type Asked } from "./asked";
import { baseName, figure, percent } from "./format";
import { Head, Waiting } from "./head";
import { metricOf, selected, type Metric } from "./metrics";
import type { Recording } from "./recording";
import { Bar } from "./rows";
import { select, useSelection } from "./selection";
import { numberOfFile, readAnswer, type Answer } from "./wire";

interface LineFigures {
  all: number;
  own: number;
  name: string;
}

// What stands at a line, if its module has any.
const kPlaced = new Set(["function", "owner", "line", "site"]);

export function SourceView({ recording }: { recording: Recording }) {
  const selection = useSelection();
  const { picked } = selection;
  const metric = metricOf(selection);
  const question = { ...selected(selection, recording), by: "line", top: 5000 };
  const lines = useAsked("/api/ask", { question }, "lines", (wire) => readAnswer(wire.answer));
  const isPlaced = !picked || picked.file !== "" || !kPlaced.has(picked.by);
  const file = picked?.file || (isPlaced ? mostOf(lines.value, metric) : "");
  const number = file ? numberOfFile(file) : undefined;
  const source = useAsked(
    "/api/source",
    number ? { file: number } : null,
    "source",
    (wire) => wire as { text: string; changed: boolean },
  );
  const figures = useMemo(() => figuresOf(lines.value, file, metric), [lines.value, file, metric]);
  if (!lines.value) return <Waiting asked={lines} />;
  if (!isPlaced && mostOf(lines.value, metric)) {
    return (
      <div class="view">
        <Head selection={selection} recording={recording} asked={lines}>
          <Files answer={lines.value} file="" />
        </Head>
        <p class="empty">
          No lines are known of {picked?.name}: its module was built without -g. Choose a file above, or another
          function.
        </p>
      </div>
    );
  }
  if (!file) {
    return (
      <p class="empty">
        No function of this recording has a source file: its program was built without -g.
      </p>
    );
  }
  return (
    <div class="view">
      <Head selection={selection} recording={recording} asked={lines}>
        <Files answer={lines.value} file={file} />
      </Head>
      {source.value?.changed && (
        <p class="note warn">The file has changed since the recording; lines may have moved.</p>
      )}
      <Lines
        source={source}
        file={file}
        line={picked?.file === file ? picked.line : 0}
        figures={figures}
        whole={lines.value.totals[metric.key] ?? 0}
        metric={metric}
      />
    </div>
  );
}

// Without a choice: the file whose own lines allocate most.
function mostOf(answer: Answer | undefined, metric: Metric): string {
  if (!answer) return "";
  const { rows } = answer;
  const own = rows.values(metric.key, "self");
  let most = -1;
  for (let i = 0; i < rows.count; ++i) {
    if (rows.file(i) && (most < 0 || own[i] > own[most])) most = i;
  }
  return most < 0 ? "" : rows.file(most);
}

function figuresOf(answer: Answer | undefined, file: string, metric: Metric) {
  const figures = new Map<number, LineFigures>();
  if (!answer) return figures;
  const { rows } = answer;
  for (let i = 0; i < rows.count; ++i) {
    if (rows.file(i) !== file) continue;
    const line = rows.number("line", i);
    const known = figures.get(line) ?? { all: 0, own: 0, name: rows.text("function", i) };
    known.all += rows.values(metric.key)[i];
    known.own += rows.values(metric.key, "self")[i];
    figures.set(line, known);
  }
  return figures;
}

function Files({ answer, file }: { answer: Answer; file: string }) {
  const { rows } = answer;
  const files = new Set<string>(file ? [file] : []);
  for (let i = 0; i < rows.count && files.size < 200; ++i) if (rows.file(i)) files.add(rows.file(i));
  return (
    <select
      class="cut"
      value={file}
      title={file}
      aria-label="File"
      onChange={(event) => {
        const path = event.currentTarget.value;
        if (!path) return;
        select({ picked: { name: baseName(path), by: "file", file: path, line: 0, site: 0 } });
      }}
    >
      {!file && <option value="">choose a file</option>}
      {[...files].map((path) => (
        <option value={path}>{path}</option>
      ))}
    </select>
  );
}

interface LinesProps {
  source: Asked<{ text: string; changed: boolean }>;
  file: string;
  line: number;
  figures: Map<number, LineFigures>;
  whole: number;
  metric: Metric;
}

const kMostLines = 20000;

function Lines({ source, file, line, figures, whole, metric }: LinesProps) {
  const box = useRef<HTMLDivElement>(null);
  const texts = useMemo(
    () => source.value?.text.split("\n").slice(0, kMostLines) ?? [],
    [source.value],
  );
  const hottest = useMemo(
    () => [...figures].sort((a, b) => b[1].own - a[1].own || b[1].all - a[1].all)[0]?.[0] ?? 0,
    [figures],
  );
  useEffect(() => {
    const row = box.current?.querySelector(`[data-line="${line || hottest}"]`);
    row?.scrollIntoView({ block: "center" });
  }, [texts, line, file]);
  const bare = texts.length === 0;
  const numbers = bare
    ? [...figures.keys()].sort((a, b) => a - b)
    : windowOf(texts.length, figures, line);
  return (
    <div class="source" ref={box} role="region" aria-label={file} tabIndex={0}>
      {source.failure && <p class="note">{source.failure.message}</p>}
      <table>
        <thead>
          <tr>
            <th>{metric.title.toLowerCase()}</th>
            <th>itself</th>
            <th>line</th>
            <th class="text">{file}</th>
          </tr>
        </thead>
        <tbody>
          {numbers.map((number, i) => (
            <>
              {i > 0 && numbers[i - 1] !== number - 1 && !bare && <Left from={numbers[i - 1]} to={number} />}
              <Line
                number={number}
                text={texts[number - 1] ?? figures.get(number)?.name ?? ""}
                figures={figures.get(number)}
                whole={whole}
                metric={metric}
                isPicked={number === line}
              />
            </>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const kAround = 60; // lines kept on either side of one that has figures, in long files

// All lines of short files; of long ones what surrounds those with figures.
function windowOf(count: number, figures: Map<number, unknown>, line: number): number[] {
  const all = Array.from({ length: count }, (_, i) => i + 1);
  if (count <= 1500) return all;
  const near = new Uint8Array(count + 2);
  for (const at of [...figures.keys(), line]) {
    near.fill(1, Math.max(1, at - kAround), Math.min(count, at + kAround) + 1);
  }
  return all.filter((number) => near[number] === 1).slice(0, 4000);
}

function Left({ from, to }: { from: number; to: number }) {
  return (
    <tr class="left">
      <td colSpan={4}>
        lines {from + 1} to {to - 1}
      </td>
    </tr>
  );
}

interface LineProps {
  number: number;
  text: string;
  figures?: LineFigures;
  whole: number;
  metric: Metric;
  isPicked: boolean;
}

function Line({ number, text, figures, whole, metric, isPicked }: LineProps) {
  const share = figures && whole > 0 ? figures.all / whole : 0;
  return (
    <tr class={isPicked ? "picked" : ""} data-line={number}>
      <td title={figures && `${percent(figures.all, whole)}, ${figures.name}`}>
        {figures && figures.all > 0 && (
          <>
            <Bar share={share} /> <span class="value">{figure(figures.all, metric.unit)}</span>
          </>
        )}
      </td>
      <td>{figures && figures.own > 0 ? figure(figures.own, metric.unit) : ""}</td>
      <td class="quiet">{number}</td>
      <td class="text">{text}</td>
    </tr>
  );
}
