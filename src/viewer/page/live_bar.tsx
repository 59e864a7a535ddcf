// The bar of a recording that goes on: how far it is, whether the cursor follows it, a marker to set in
// it; and of a heap that is looked at now and then the looks there were, to go back to.
import { Fragment, h } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Canvas, useSize } from "./canvas";
import { bytes, duration } from "./format";
import { chooseReading, chosenReading, setMarker } from "./live";
import { theme } from "./palette";
import type { Look, Recording } from "./recording";
import { select, useSelection } from "./selection";
import "./live_bar.css";

export function LiveBar({ recording }: { recording: Recording }) {
  const { goes_on, readings, ended, can_mark } = recording;
  if (!goes_on && !readings) return null;
  return (
    <section class="live" aria-label="Live">
      <span class={goes_on ? "dot" : "dot over"} aria-hidden="true" />
      <span class="state" role="status">
        {goes_on ? "recording…" : (ended ?? "ended")}
      </span>
      <span class="now">{duration(recording.duration_ns)}</span>
      {readings ? <Looks recording={recording} looks={readings} /> : <Follow recording={recording} />}
      {can_mark && <MarkerButton />}
    </section>
  );
}

// The cursor stays at the end until it is moved.
function Follow({ recording }: { recording: Recording }) {
  const { at, range } = useSelection();
  const follows = at === "end" && range === null;
  const stay = () => select({ at: `${recording.duration_ns}ns`, range: null });
  return (
    <label>
      <input
        type="checkbox"
        checked={follows}
        onChange={() => (follows ? stay() : select({ at: "end", range: null }))}
      />{" "}
      follow
    </label>
  );
}

function Looks({ recording, looks }: { recording: Recording; looks: Look[] }) {
  const [box, size] = useSize<HTMLDivElement>();
  const place = Math.max(0, looks.findIndex((look) => look.number === recording.number));
  const shown = looks[place];
  const most = Math.max(1, ...looks.map((look) => look.live_bytes));
  const draw = (g: CanvasRenderingContext2D) => {
    const t = theme();
    const width = size.width / looks.length;
    looks.forEach((look, i) => {
      const height = Math.max(1, (look.live_bytes / most) * size.height);
      g.fillStyle = i === place ? t.cursor : t.live;
      g.fillRect(i * width, size.height - height, Math.max(1, width - 1), height);
    });
  };
  const choose = (i: number) => chooseReading(i === looks.length - 1 ? 0 : looks[i].number);
  return (
    <>
      <label>
        <input
          type="checkbox"
          checked={chosenReading() === 0}
          onChange={() => chooseReading(chosenReading() === 0 ? (recording.number ?? 0) : 0)}
        />{" "}
        follow
      </label>
      <div class="looks" ref={box as any}>
        <Canvas size={size} draw={draw} of={[looks, place]} />
        <input
          type="range"
          min={0}
          max={looks.length - 1}
          value={place}
          aria-label="What was read"
          aria-valuetext={shown && `${duration(shown.time_ns)}, ${bytes(shown.live_bytes)} live`}
          onInput={(event) => choose(Number(event.currentTarget.value))}
        />
      </div>
      {shown && <span class="shown">{bytes(shown.live_bytes)} live</span>}
    </>
  );
}

function MarkerButton() {
  const [name, setName] = useState("");
  const [said, say] = useState("");
  useEffect(() => {
    if (!said) return;
    const timer = setTimeout(() => say(""), 8000);
    return () => clearTimeout(timer);
  }, [said]);
  const mark = (event: Event) => {
    event.preventDefault();
    const text = name.trim();
    if (!text) return;
    say("…");
    setMarker(text).then(
      () => {
        say(`“${text}” is set`);
        setName("");
      },
      (failure) => say(String(failure.message)),
    );
  };
  return (
    <form class="mark" onSubmit={mark}>
      <input
        value={name}
        placeholder="marker"
        aria-label="Name of a marker"
        maxLength={100}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <button type="submit">Set marker</button>
      <span role="status" class="quiet" title={said}>
        {said}
      </span>
    </form>
  );
}
