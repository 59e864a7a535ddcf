// What there is to say about a recording, in a sentence each part of which leads to what it speaks of.
import { Fragment, h } from "preact";
import { bytes, count, counted, duration, percent, place, withoutArguments } from "./format";
import type { Earlier, Finding, Recording } from "./recording";
import { select, selection, toQuery, type Picked, type Selection } from "./selection";

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

type Kind = Finding["kind"] | "compare";

const kMeant: Record<Kind, Partial<Selection>> = {
  peak: { metric: "live", at: "peak" },
  never_freed: { metric: "never-freed", at: "end" },
  temporary: { metric: "temporary" },
  rss: { view: "rss", at: "rss-peak", metric: "live" },
  compare: { view: "compare", at: "peak", metric: "live", ofTwo: true },
};

// A clause of the sentence, as a way to what it speaks of.
function Clause(props: { finding?: Finding; kind: Kind; children: any }) {
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

export function Sentence({ recording }: { recording: Recording }) {
  if (recording.only_counts) return <Counted recording={recording} />;
  if (recording.live) return <Present recording={recording} />;
  return <Run recording={recording} />;
}

const findingOf = (recording: Recording, kind: Finding["kind"]) =>
  recording.findings.find((one) => one.kind === kind);

// Count mode: how many calls there were, and nothing of a single one.
function Counted({ recording }: { recording: Recording }) {
  const calls = recording.processes.reduce((sum, process) => sum + process.calls, 0);
  const asked = recording.processes.reduce((sum, process) => sum + process.bytes, 0);
  return (
    <p class="sentence">
      <b>{recording.title}</b> made <b>{count(calls)}</b> calls for <b>{bytes(asked)}</b>. They were
      counted only: what was live, and who asked for it, is in recordings of the mode trace, as
      heapledger run makes them by default. <Resident recording={recording} />
    </p>
  );
}

// The heap of one moment: of a program that ran, or of a core.
function Present({ recording }: { recording: Recording }) {
  const { totals } = recording;
  const most = findingOf(recording, "peak");
  return (
    <p class="sentence">
      <b>{recording.title}</b> holds{" "}
      <Clause kind="peak" finding={most}>
        <b>{bytes(totals.live_bytes ?? 0)}</b> in {count(totals.live_blocks ?? 0)} blocks
        <From finding={most} />
      </Clause>
      . <Resident recording={recording} />
    </p>
  );
}

function Resident({ recording }: { recording: Recording }) {
  if (recording.rss_peak_bytes === 0) return null;
  return (
    <>
      Resident memory reached{" "}
      <Clause kind="rss" finding={findingOf(recording, "rss")}>
        <b>{bytes(recording.rss_peak_bytes)}</b>
      </Clause>
      .
    </>
  );
}

function Run({ recording }: { recording: Recording }) {
  const { totals, moments, never_freed: never } = recording;
  const peak = findingOf(recording, "peak");
  const leak = findingOf(recording, "never_freed");
  const churn = findingOf(recording, "temporary");
  const about = recording.sampled ? "about " : "";
  const calls = totals.calls ?? 0;
  const temporary = totals.temporary_calls ?? 0;
  const few = temporary < calls / 100;
  return (
    <p class="sentence">
      The heap of <b>{recording.title}</b> was largest with{" "}
      <Clause kind="peak" finding={peak}>
        {about}
        <b>{bytes(totals.peak_bytes ?? 0)}</b> at {duration(moments.peak ?? moments.end)}
        <From finding={peak} />
      </Clause>
      .{" "}
      {never.bytes > 0 ? (
        <Clause kind="never_freed" finding={leak}>
          <b>{bytes(never.bytes)}</b> in {counted(never.blocks, "block")} {never.blocks === 1 ? "was" : "were"} never
          freed
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
            <b>{few ? count(temporary) : percent(temporary, calls)}</b> of {count(calls)} calls were temporary
            <From finding={churn} of="them" />
          </Clause>
          .{" "}
        </>
      )}
      <Resident recording={recording} />
      {recording.earlier && <Compared recording={recording} earlier={recording.earlier} />}
    </p>
  );
}

// How much more than in the recording that this one is compared with.
function Compared({ recording, earlier }: { recording: Recording; earlier: Earlier }) {
  const [before, after] = [earlier.totals.peak_bytes ?? 0, recording.totals.peak_bytes ?? 0];
  const word = after > before ? "higher" : "lower";
  return (
    <>
      {" "}
      Compared with <b title={earlier.command}>{earlier.title}</b>, the peak is{" "}
      <Clause kind="compare">
        {after === before ? (
          "the same"
        ) : (
          <>
            <b>{bytes(Math.abs(after - before))}</b> {word}
          </>
        )}
      </Clause>
      .
    </>
  );
}

function From({ finding, of = "it" }: { finding?: Finding; of?: string }) {
  if (!finding?.function) return null;
  const where = place(finding.file ?? "", finding.line ?? 0);
  return (
    <>
      , {finding.share !== undefined && finding.share > 0 && `${percent(finding.share, 1)} of ${of} `}from{" "}
      <span class="mono" title={finding.function}>
        {where || withoutArguments(finding.function)}
      </span>
    </>
  );
}
