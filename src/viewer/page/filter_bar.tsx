// The filter: its conditions as chips, and a line to type more.
import { h } from "preact";
import { useState } from "preact/hooks";
import { conditionsOf, plainCondition, withCondition, withoutCondition } from "./filter";
import type { Recording } from "./recording";
import { select, useSelection } from "./selection";

const kExamples = "function=parse, size>=1k, thread=worker*, lifetime<1ms, module=libfoo*";

export function FilterBar({ recording }: { recording: Recording }) {
  const { filter, process } = useSelection();
  const only = process === null ? undefined : recording.processes[process];
  const [typed, setTyped] = useState("");
  const add = (event: Event) => {
    event.preventDefault();
    if (!typed.trim()) return;
    // A word alone is a function: what people type most.
    const isCondition = /[<>=]/.test(typed);
    const condition = isCondition ? typed.trim() : `function=${typed.trim()}`;
    select({ filter: withCondition(filter, condition), zoom: [] });
    setTyped("");
  };
  return (
    <form class="filter" onSubmit={add} role="search" aria-label="Filter">
      {only && (
        <button
          type="button"
          class="chip"
          title={`${only.command}\nAll processes again`}
          onClick={() => select({ process: null, zoom: [] })}
        >
          <span>
            process {only.title} {only.pid}
          </span>{" "}
          ✕
        </button>
      )}
      {conditionsOf(filter).map((condition) => (
        <button
          key={condition}
          type="button"
          class="chip"
          title={`${plainCondition(condition)}\nTake it away`}
          onClick={() => select({ filter: withoutCondition(filter, condition), zoom: [] })}
        >
          <span>{plainCondition(condition)}</span> ✕
        </button>
      ))}
      <input
        id="filter"
        value={typed}
        placeholder={filter ? "and …" : "filter: " + kExamples}
        title={"Conditions as after --filter: " + kExamples}
        aria-label="A condition to filter by"
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
    </form>
  );
}
