// Who frees what whom has allocated: blocks that go from thread to thread. It takes a pass, so it is asked for
// only when somebody wants to know.
import { h } from "preact";
import { useState } from "preact/hooks";
import { useAsked } from "./asked";
import { Refused, Waiting } from "./head";
import { selected } from "./metrics";
import type { Recording } from "./recording";
import { useSelection } from "./selection";
import { threadName } from "./threads";

type Thread = [ledger: number, place: number];

interface Hands {
  from: string;
  to: string[];
}

function handsOf(recording: Recording, wire: any): Hands[] {
  const { rows } = wire.answer;
  const numberOf = ([ledger, place]: Thread) =>
    recording.threads.findIndex((thread) => thread.ledger === ledger) + place;
  const freeing = (rows.all?.freeing_threads ?? []) as (Thread[] | null)[];
  return Array.from({ length: rows.count }, (_, i) => {
    const from = rows.thread?.[i] ?? 0;
    const to = (freeing[i] ?? []).map(numberOf).sort((a, b) => Number(b === from) - Number(a === from) || a - b);
    return {
      from: threadName(recording, from),
      to: to.map((number) => (number === from ? "itself" : threadName(recording, number))),
    };
  });
}

export function Freeing({ recording }: { recording: Recording }) {
  const selection = useSelection();
  const [isWanted, want] = useState(false);
  const question: Record<string, any> = { ...selected(selection, recording), by: "thread", top: 60 };
  question.wanted = [...(question.wanted ?? []), "threads"];
  const asked = useAsked("/api/ask", isWanted ? { question } : null, "freeing", (wire) => handsOf(recording, wire));
  if (recording.threads.length < 2) return null;
  if (!isWanted) {
    return (
      <button class="link" onClick={() => want(true)}>
        Which threads free their blocks?
      </button>
    );
  }
  if (asked.failure) return <Refused text={asked.failure.message} kind="data" />;
  if (!asked.value) return <Waiting asked={asked} />;
  return (
    <table class="hands">
      <thead>
        <tr>
          <th>blocks of</th>
          <th>are freed by</th>
        </tr>
      </thead>
      <tbody>
        {asked.value.map(({ from, to }) => (
          <tr>
            <td>{from}</td>
            <td>{to.length > 0 ? to.join(", ") : "nobody"}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
