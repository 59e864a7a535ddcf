// The overview: what there is to say about the run in one sentence, each part of which leads there; who
// has it at the moment; which sizes and which lives.
import { Fragment, h } from "preact";
import { useAsked } from "./asked";
import { bytes, count, duration, figure, percent, place, withoutArguments } from "./format";
import { Head, Refused } from "./head";
import { metricOf, selected } from "./metrics";
import { barColour } from "./palette";
import type { Finding, Recording } from "./recording";
import { Bar } from "./rows";
import {
  select,
  selection,
  toQuery,
  useSelection,
  type Picked,
  type Selection,
} from "./selection";
import { isPicked, rowPicked } from "./table";
import { isDark } from "./theme";
import { readAnswer } from "./wire";

export function Overview({ recording }: { recording: Recording }) {
  return (
    <div class="view overview">
      <div class="scrolled">
        <Sentence recording={recording} />
        <Owners recording={recording} />
        {recording.warnings.length > 0 && (
          <ul class="warnings" aria-label="Warnings">
            {recording.warnings.map((warning) => (
              <li>{warning}</li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}

function pickedOf(finding: Finding): Picked | null {
  if (!finding.function) return null;
  return {
    name: finding.function,
    by: "owner",
    file: finding.file ?? "",
    line: finding.line ?? 0,
    site: 0,
  };
}

const kMeant: Record<Finding["kind"], Partial<Selection>> = {
  peak: { metric: "live", at: "peak" },
  never_freed: { metric: "never-freed", at: "end" },
  temporary: { metric: "temporary" },
  rss: { view: "rss", at: "rss-peak", metric: "live" },
};

// A clause of the sentence, as a way to what it speaks of.
function Clause(props: { finding?: Finding; kind: Finding["kind"]; children: any }) {
  const { finding, kind } = props;
  const meant: Partial<Selection> = { range: null, filter: "", zoom: [], ...kMeant[kind] };
  if (finding) meant.picked = pickedOf(finding);
  const go = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return; // a tab of its own
    event.preventDefault();
    select(meant);
  };
  const href = toQuery({ ...selection(), ...meant }) || "?";
  return (
    <a class="clause" data-kind={kind} href={href} onClick={go}>
      {props.children}
    </a>
  );
}

function Sentence({ recording }: { recording: Recording }) {
  const { totals, moments, never_freed: never } = recording;
  const of = (kind: Finding["kind"]) => recording.findings.find((one) => one.kind === kind);
  const peak = of("peak");
  const leak = of("never_freed");
  const churn = of("temporary");
  const calls = totals.calls ?? 0;
  return (
    <p class="sentence">
      The heap of <b>{recording.title}</b> was largest with{" "}
      <Clause kind="peak" finding={peak}>
        <b>{bytes(totals.peak_bytes ?? 0)}</b> at {duration(moments.peak ?? moments.end)}
        <From finding={peak} />
      </Clause>
      .{" "}
      {never.bytes > 0 ? (
        <Clause kind="never_freed" finding={leak}>
          <b>{bytes(never.bytes)}</b> in {count(never.blocks)} blocks were never freed
          <From finding={leak} />
        </Clause>
      ) : (
        "Everything was freed"
      )}
      {never.suppressed_bytes > 0 && (
        <span class="quiet">
          {" "}
          (besides {bytes(never.suppressed_bytes)} that libraries keep on purpose, which are suppressed)
        </span>
      )}
      .{" "}
      {calls > 0 && (
        <>
          <Clause kind="temporary" finding={churn}>
            <b>{percent(totals.temporary_calls ?? 0, calls)}</b> of {count(calls)} calls were temporary
            <From finding={churn} />
          </Clause>
          .{" "}
        </>
      )}
      {recording.rss_peak_bytes > 0 && (
        <>
          Resident memory reached{" "}
          <Clause kind="rss" finding={of("rss")}>
            <b>{bytes(recording.rss_peak_bytes)}</b>
          </Clause>
          .
        </>
      )}
    </p>
  );
}

function From({ finding }: { finding?: Finding }) {
  if (!finding?.function) return null;
  const where = place(finding.file ?? "", finding.line ?? 0);
  return (
    <>
      , {finding.share !== undefined && finding.share > 0 && `${percent(finding.share, 1)} of it `}from{" "}
      <span class="mono" title={finding.function}>
        {where || withoutArguments(finding.function)}
      </span>
    </>
  );
}

function Owners({ recording }: { recording: Recording }) {
  const present = useSelection();
  const metric = metricOf(present);
  const question = { ...selected(present, recording), top: 12 };
  const read = (wire: any) => readAnswer(wire.answer);
  const owners = useAsked("/api/ask", { question: { ...question, by: "owner" } }, "owners", read);
  const rowsOf = owners.value?.rows;
  const whole = owners.value?.totals[metric.key] ?? 0;
  let best = 0;
  for (let i = 0; rowsOf && i < Math.min(5, rowsOf.count); ++i) best += rowsOf.values(metric.key)[i];
  // Where many places own a little each, parts of the program say more.
  const wantsParts = rowsOf !== undefined && !owners.isWaiting && whole > 0 && best < whole / 2;
  const body = wantsParts ? { question: { ...question, by: "part" } } : null;
  const parts = useAsked("/api/ask", body, "parts", read);
  const isParts = wantsParts && parts.value !== undefined && !parts.isWaiting;
  const rows = isParts ? parts.value!.rows : rowsOf;
  const by = isParts ? "part" : "owner";
  if (owners.failure) return <Refused text={owners.failure.message} kind={owners.failure.kind} />;
  const dark = isDark();
  return (
    <section class="owners">
      <Head selection={present} recording={recording} asked={owners}>
        <button onClick={() => select({ view: "table", by })}>All as a table</button>
      </Head>
      <ol aria-label={isParts ? "Parts of the program" : "Lines to blame"}>
        {rows &&
          Array.from({ length: Math.min(10, rows.count) }, (_, i) => (
            <li key={i}>
              <button
                class={"owner" + (isPicked(present.picked, rows, i, by) ? " picked" : "")}
                onClick={() => select({ picked: rowPicked(rows, i, by) })}
              >
                <span class="amount">{figure(rows.values(metric.key)[i], metric.unit)}</span>
                <span class="share">{percent(rows.values(metric.key)[i], whole)}</span>
                <Bar
                  share={whole > 0 ? rows.values(metric.key)[i] / whole : 0}
                  colour={barColour(rows.text("module", i), dark)}
                />
                <span class="name mono" title={rows.text("name", i)}>
                  {rows.text("function", i) || rows.text("name", i)}
                </span>
                <span class="quiet">{place(rows.file(i), rows.number("line", i))}</span>
              </button>
            </li>
          ))}
      </ol>
    </section>
  );
}
