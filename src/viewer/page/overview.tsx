// The overview: what there is to say about the run in one sentence, each part of which leads there; who
// has it at the moment; which sizes and which lives.
import { h } from "preact";
import { useRef } from "preact/hooks";
import { useAsked } from "./asked";
import { figure, percent, place } from "./format";
import { Head, Refused } from "./head";
import { LongName } from "./long_name";
import { metricOf, selected } from "./metrics";
import { barColour } from "./palette";
import type { Recording } from "./recording";
import { Bar } from "./rows";
import { select, useSelection } from "./selection";
import { Sentence } from "./sentence";
import { isPicked, rowPicked } from "./table";
import { isDark } from "./theme";
import { Warnings } from "./warnings";
import { readAnswer, type Table } from "./wire";

export function Overview({ recording }: { recording: Recording }) {
  const { earlier } = recording;
  // What is to be said of both is said once.
  const others = (earlier?.warnings ?? [])
    .filter((warning) => !recording.warnings.includes(warning))
    .map((warning) => `${earlier!.title}: ${warning}`);
  const warnings = [...recording.warnings, ...others];
  return (
    <div class="view overview">
      <div class="scrolled">
        <Sentence recording={recording} />
        {!recording.only_counts && <Owners recording={recording} />}
        <Warnings warnings={warnings} />
      </div>
    </div>
  );
}

const kMostOwners = 10;

function Owners({ recording }: { recording: Recording }) {
  const present = useSelection();
  const metric = metricOf(present);
  const question = { ...selected(present, recording), top: 12 };
  const read = (wire: any) => readAnswer(wire.answer);
  const owners = useAsked("/api/ask", { question: { ...question, by: "owner" } }, "owners", read);
  const rowsOf = owners.value?.rows;
  const all = owners.value?.totals[metric.key] ?? 0;
  let best = 0;
  for (let i = 0; rowsOf && i < Math.min(5, rowsOf.count); ++i) best += rowsOf.values(metric.key)[i];
  // Where many places own a little each, parts of the program say more.
  const wantsParts = rowsOf !== undefined && !owners.isWaiting && all > 0 && best < all / 2;
  const body = wantsParts ? { question: { ...question, by: "part" } } : null;
  const parts = useAsked("/api/ask", body, "parts", read);
  const isWaiting = owners.isWaiting || parts.isWaiting;
  const partRows = wantsParts ? parts.value?.rows : undefined;
  // Until it is known which of them it will be, what was there stays.
  const last = useRef<{ rows?: Table; by: string; whole: number }>({ by: "owner", whole: 0 });
  if (!isWaiting) {
    last.current = { rows: partRows ?? rowsOf, by: partRows ? "part" : "owner", whole: all };
  }
  const { rows, by, whole } = last.current;
  if (owners.failure) return <Refused text={owners.failure.message} kind={owners.failure.kind} />;
  const dark = isDark();
  const shown = Array.from({ length: Math.min(kMostOwners, rows?.count ?? 0) }, (_, i) => i).filter(
    (i) => rows!.values(metric.key)[i] > 0,
  );
  return (
    <section class="owners">
      <Head selection={present} recording={recording} asked={{ ...owners, isWaiting }}>
        <button onClick={() => select({ view: "table", by })}>All as a table</button>
      </Head>
      <ol aria-label={by === "part" ? "Parts of the program" : "Lines to blame"}>
        {rows &&
          shown.map((i) => (
            <li key={i}>
              <button
                class={"owner" + (isPicked(recording, present.picked, rows, i, by) ? " picked" : "")}
                onClick={() => select({ picked: rowPicked(recording, rows, i, by) })}
              >
                <span class="amount">{figure(rows.values(metric.key)[i], metric.unit)}</span>
                <span class="share">{percent(rows.values(metric.key)[i], whole)}</span>
                <Bar
                  share={whole > 0 ? rows.values(metric.key)[i] / whole : 0}
                  colour={barColour(rows.text("module", i), dark)}
                />
                <span class="name" title={rows.text("name", i)}>
                  <LongName text={rows.text("function", i) || rows.text("name", i)} />
                </span>
                <span class="quiet">{place(rows.file(i), rows.number("line", i))}</span>
              </button>
            </li>
          ))}
      </ol>
    </section>
  );
}
