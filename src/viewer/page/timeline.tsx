// The timeline: always on top, and the one place where the time is chosen. A click sets the cursor, a drag
// a range; the wheel looks closer. For those who listen it is a slider with the same figures.
import { h } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { useAsked } from "./asked";
import { Canvas, useSize } from "./canvas";
import { isInGap, namedMoments, seriesAt, snapped, stepped } from "./edges";
import { bytes, count, duration } from "./format";
import { scopeOf } from "./metrics";
import { bornOf, planeOf, type Plane } from "./plane";
import { theme } from "./palette";
import { momentText, timeOf, type Recording } from "./recording";
import { select, selection as present, useSelection, type Selection } from "./selection";
import { drawTimeline, type Shown } from "./timeline_draw";
import { frameOf, timeAt, xOf, type Frame } from "./timeline_frame";

const kReach = 7; // pixels within which a named moment is meant
const kDrag = 4; // pixels before a click is a drag

function useFiltered(selection: Selection): Shown["filtered"] {
  const question = scopeOf(selection);
  const isAll = Object.keys(question).length === 0;
  const body = isAll ? null : { question };
  const asked = useAsked("/api/timeline", body, "timeline", (wire) => {
    const columns = wire.timeline ?? wire;
    return {
      width: Number(columns.width_ns ?? 0),
      live: Float64Array.from((columns.live_bytes as number[] | undefined) ?? []),
    };
  });
  return !isAll && asked.value && asked.value.width > 0 ? asked.value : undefined;
}

// Blocks by when they were allocated and when they were freed, of what the filter selects.
function useBorn(selection: Selection, recording: Recording): Shown["born"] {
  const isThere = recording.has_index && !recording.live && !recording.only;
  const body = isThere ? { question: scopeOf(selection) } : null;
  const asked = useAsked("/api/cohorts", body, "born", planeOf);
  return isThere && !asked.failure ? asked.value : undefined;
}

export function Timeline({ recording }: { recording: Recording }) {
  const selection = useSelection();
  const [box, size] = useSize<HTMLDivElement>();
  const [hover, setHover] = useState<number | null>(null);
  const drag = useRef<{ x: number; begin: string; isRange: boolean } | null>(null);
  const filtered = useFiltered(selection);
  const born = useBorn(selection, recording);
  const [begin, end] = selection.window ?? [0, Math.max(1, recording.duration_ns)];
  const frame = useMemo(() => frameOf(size, begin, end), [size, begin, end]);
  const cursor = timeOf(recording, selection.range ? selection.range[1] : selection.at);
  const range = selection.range
    ? (selection.range.map((moment) => timeOf(recording, moment)) as [number, number])
    : null;

  const momentAt = (x: number) => {
    const reach = (kReach / (frame.right - frame.left)) * (end - begin);
    return snapped(recording, Math.min(end, Math.max(begin, timeAt(frame, x))), reach);
  };
  const down = (event: PointerEvent) => {
    if (event.button !== 0) return;
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    drag.current = { x: event.offsetX, begin: momentAt(event.offsetX), isRange: false };
    if (!event.shiftKey) select({ at: drag.current.begin, range: null });
  };
  const move = (event: PointerEvent) => {
    const moment = momentAt(event.offsetX);
    setHover(timeOf(recording, moment));
    const { current } = drag;
    if (!current) return;
    if (Math.abs(event.offsetX - current.x) > kDrag) current.isRange = true;
    if (current.isRange && (!recording.only || present().view === "compare")) select(rangeOf(recording, current.begin, moment), "quietly");
  };
  const shown: Shown = { recording, cursor, range, hover, filtered, born, flags: selection.flags };
  return (
    <section class="timeline" aria-label="Timeline">
      <div
        class="plot"
        ref={box as any}
        role="slider"
        tabIndex={0}
        id="timeline"
        aria-label="Moment"
        aria-valuemin={0}
        aria-valuemax={Math.round(recording.duration_ns / 1000)}
        aria-valuenow={Math.round(cursor / 1000)}
        aria-valuetext={spoken(recording, selection, cursor)}
        onPointerDown={down}
        onPointerMove={move}
        onPointerUp={() => (drag.current = null)}
        onPointerLeave={() => setHover(null)}
        onDblClick={() => select({ window: null })}
        onWheel={(event) => zoomBy(event, frame, recording)}
      >
        <Canvas
          size={size}
          draw={(context) => drawTimeline(context, frame, shown, theme())}
          of={[recording, frame, cursor, range?.join(), hover, filtered, born, selection.flags.join()]}
        />
        {hover !== null && <Readout shown={shown} frame={frame} ns={hover} />}
      </div>
      <Moments recording={recording} selection={selection} />
    </section>
  );
}

function rangeOf(recording: Recording, one: string, other: string): Partial<Selection> {
  const [a, b] = [timeOf(recording, one), timeOf(recording, other)];
  if (a === b) return { range: null, at: one };
  const range: [string, string] = a < b ? [one, other] : [other, one];
  return { range, at: range[1] };
}

function zoomBy(event: WheelEvent, frame: Frame, recording: Recording) {
  event.preventDefault();
  const all = recording.duration_ns;
  const span = frame.end - frame.begin;
  let { begin, end } = frame;
  if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) {
    const move = ((event.deltaX || event.deltaY) / 800) * span;
    begin = Math.min(Math.max(0, begin + move), all - span);
    end = begin + span;
  } else {
    const factor = Math.exp(Math.min(0.5, Math.max(-0.5, event.deltaY / 400)));
    const at = timeAt(frame, Math.min(frame.right, Math.max(frame.left, event.offsetX)));
    begin = Math.max(0, at - (at - begin) * factor);
    end = Math.min(all, at + (end - at) * factor);
  }
  if (end - begin < Math.min(all, recording.series.width_ns * 4)) return;
  const isAll = begin <= 0 && end >= all;
  select({ window: isAll ? null : [Math.round(begin), Math.round(end)] }, "quietly");
}

function spoken(recording: Recording, selection: Selection, cursor: number): string {
  const { max } = seriesAt(recording, cursor);
  const words = momentText(selection.range ? selection.range[1] : selection.at);
  const range = selection.range
    ? `range from ${duration(timeOf(recording, selection.range[0]))} to ${duration(cursor)}, `
    : "";
  const gap = isInGap(recording, cursor) ? ", not recorded here" : "";
  return `${range}${words ? words + ", " : ""}${duration(cursor)}, up to ${bytes(max)} live${gap}`;
}

function Readout({ shown, frame, ns }: { shown: Shown; frame: Frame; ns: number }) {
  const { recording, born, cursor } = shown;
  const { min, max, rss, calls, width } = seriesAt(recording, ns);
  const named = namedMoments(recording).find((moment) => moment.ns === ns);
  const x = xOf(frame, ns);
  const isRight = x > (frame.left + frame.right) / 2;
  const style = isRight
    ? { right: `${Math.round(frame.right + 76 - x + 10)}px` }
    : { left: `${Math.round(x + 10)}px` };
  return (
    <div class="readout" style={style}>
      <b>{named ? `${named.title}, ${duration(ns)}` : duration(ns)}</b>
      <span>
        {min === max ? bytes(max) : `${bytes(min)} – ${bytes(max)}`} live
      </span>
      {isInGap(recording, ns) && <span class="quiet">not recorded here</span>}
      {rss > 0 && <span class="rss">{bytes(rss)} RSS</span>}
      <span class="quiet">
        {count(calls)} calls in {duration(width)}
      </span>
      {born && bornTexts(born, ns, cursor).map((text) => <span class="quiet">{text}</span>)}
    </div>
  );
}

// Of the stretch of time that it lies in.
function bornTexts(born: Plane, ns: number, cursor: number): string[] {
  const cell = Math.min(born.count - 1, Math.floor(ns / born.width));
  const { all, alive } = bornOf(born, cursor);
  const here = `${bytes(all[cell])} allocated in ${duration(born.width)}`;
  return cell * born.width > cursor ? [here] : [here, `≈ ${bytes(alive[cell])} of it alive at the cursor`];
}

// The moments that have names, as buttons, and what is chosen.
function Moments({ recording, selection }: { recording: Recording; selection: Selection }) {
  const all = namedMoments(recording);
  const shown = all.slice(0, 12);
  return (
    <div class="moments">
      {shown.map((named) => (
        <button
          key={named.moment}
          class={!selection.range && selection.at === named.moment ? "chosen" : ""}
          aria-pressed={!selection.range && selection.at === named.moment}
          title={`${named.title}, ${duration(named.ns)}${named.key ? `   g ${named.key}` : ""}`}
          onClick={() => select({ at: named.moment, range: null })}
        >
          {named.key ? "" : "⚑ "}
          {named.title}
        </button>
      ))}
      {all.length > shown.length && <span class="quiet">{all.length - shown.length} more markers</span>}
      <span class="spring" />
      {recording.only && (
        <span class="quiet">a file with {count(recording.only.length)} moments inside</span>
      )}
      {selection.window && (
        <button onClick={() => select({ window: null })}>whole run</button>
      )}
      {selection.range && (
        <button onClick={() => select({ range: null })}>
          range {duration(timeOf(recording, selection.range[0]))} –{" "}
          {duration(timeOf(recording, selection.range[1]))} ✕
        </button>
      )}
    </div>
  );
}

// What arrow keys do, here and wherever nothing else takes them.
export function moveCursor(recording: Recording, steps: number): void {
  const now = present();
  select({ at: stepped(recording, now, steps), range: null }, "quietly");
}
