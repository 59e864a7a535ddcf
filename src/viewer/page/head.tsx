// The head of a view: what is selected, with its total, which is the same in every view; and what is shown
// while there is no answer, or none can be had.
import { h, type ComponentChildren } from "preact";
import type { Asked } from "./asked";
import { totalText, whenText } from "./metrics";
import type { Recording } from "./recording";
import { select, type Selection } from "./selection";
import type { Answer } from "./wire";

interface HeadProps {
  selection: Selection;
  recording: Recording;
  asked: Asked<Answer>;
  children?: ComponentChildren;
}

export function Head({ selection, recording, asked, children }: HeadProps) {
  const totals = asked.value?.totals;
  return (
    <div class={"head" + (asked.isWaiting ? " waiting" : "")}>
      <h2 aria-live="polite">
        <b class="total">{totals ? totalText(selection, totals) : " "}</b>{" "}
        <span class="when">{whenText(selection, recording)}</span>
      </h2>
      <span class="spring" />
      {children}
    </div>
  );
}

export function Waiting({ asked }: { asked: Asked<unknown> }) {
  if (asked.failure) return <Refused text={asked.failure.message} kind={asked.failure.kind} />;
  return (
    <div class="empty" aria-busy="true">
      <span class="turning" />
    </div>
  );
}

export function Refused({ text, kind }: { text: string; kind: string }) {
  return (
    <div class="empty" role="alert">
      <p>{text}</p>
      {kind === "question" && (
        <button onClick={() => select({ filter: "", process: null, range: null, zoom: [] })}>
          Show everything again
        </button>
      )}
    </div>
  );
}
