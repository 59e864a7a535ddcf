// What the resident memory is made of: live blocks, what malloc adds, what is free but kept, and all that
// is not the heap.
import { h } from "preact";
import { useAsked } from "./asked";
import { bytes, duration, percent, place, withoutArguments } from "./format";
import { Waiting } from "./head";
import { oklch } from "./palette";
import { timeOf, type Recording } from "./recording";
import { select, useSelection } from "./selection";
import { isDark } from "./theme";

interface Owner {
  name: string;
  file: string | null;
  line: number;
  bytes: number;
}

interface WhereRss {
  time_ns: number;
  live_blocks: number;
  rss_bytes: number | null;
  sample_time_ns: number | null;
  other_malloc: string | null;
  parts: { part: string; bytes: number; owner: Owner | null }[];
}

const kWords: Record<string, string> = {
  live: "live blocks, as requested",
  rounding: "added by malloc to these blocks: headers, rounding",
  "not-resident": "of these, never touched or swapped out",
  pinned: "free, in pages that live blocks keep",
  free: "free, and held by the allocator",
  mappings: "mapped by the program itself",
  "thread-stacks": "stacks of threads",
  "main-stack": "stack of the first thread",
  code: "program and libraries: code and data",
  files: "other files mapped, and shared memory",
  recorder: "Heapledger itself: not there when nothing is recorded",
  unexplained: "unexplained",
};
const kLook: Record<string, [number, number]> = {
  live: [250, 0.11],
  rounding: [225, 0.08],
  "not-resident": [225, 0.04],
  pinned: [62, 0.11],
  free: [95, 0.09],
  mappings: [165, 0.08],
  "thread-stacks": [330, 0.07],
  "main-stack": [330, 0.05],
  code: [290, 0.06],
  files: [290, 0.04],
};

function colourOf(part: string): string {
  const [hue, chroma] = kLook[part] ?? [250, 0.01];
  return oklch(isDark() ? 0.62 : 0.66, chroma, hue);
}

export function RssView({ recording }: { recording: Recording }) {
  const { at } = useSelection();
  const asked = useAsked("/api/where_rss", { at }, "rss", (wire) => wire as WhereRss);
  const where = asked.value;
  if (!where) return <Waiting asked={asked} />;
  const whole = where.rss_bytes ?? where.parts.reduce((sum, part) => sum + part.bytes, 0);
  const parts = where.parts.filter((part) => part.bytes !== 0);
  return (
    <div class="view">
      <div class={"head" + (asked.isWaiting ? " waiting" : "")}>
        <h2>
          <b class="total">{where.rss_bytes === null ? "No sample of RSS" : `${bytes(whole)} resident`}</b>{" "}
          <span class="when">
            at {duration(where.time_ns)}
            {where.sample_time_ns !== null && where.sample_time_ns !== where.time_ns
              ? `, as sampled at ${duration(where.sample_time_ns)}`
              : ""}
          </span>
        </h2>
        <span class="spring" />
        {at !== "rss-peak" && recording.moments.rss_peak !== null && (
          <button onClick={() => select({ at: "rss-peak", range: null })}>
            To its peak, {duration(timeOf(recording, "rss-peak"))}
          </button>
        )}
      </div>
      <div class="scrolled">
        <div class="stacked" role="img" aria-label="Parts of the resident memory, as listed below">
          {parts
            .filter((part) => part.bytes > 0)
            .map((part) => (
              <span
                title={`${kWords[part.part] ?? part.part}: ${bytes(part.bytes)}`}
                style={{ flexGrow: part.bytes, background: colourOf(part.part) }}
              />
            ))}
        </div>
        <ol class="parts">
          {parts.map((part) => (
            <li>
              <span class="swatch" style={{ background: colourOf(part.part) }} />
              <span class="amount">{bytes(part.bytes)}</span>
              <span class="share">{percent(part.bytes, whole)}</span>
              <span>{kWords[part.part] ?? part.part}</span>
              {part.owner && <OwnerOf owner={part.owner} />}
            </li>
          ))}
        </ol>
        {where.other_malloc && <p class="note warn">Another malloc: {where.other_malloc}</p>}
      </div>
    </div>
  );
}

function OwnerOf({ owner }: { owner: Owner }) {
  const file = owner.file ?? "";
  const picked = { name: owner.name, by: "owner", file, line: owner.line, site: 0 };
  return (
    <button class="link" title={owner.name} onClick={() => select({ picked })}>
      {bytes(owner.bytes)} of it by {place(file, owner.line) || withoutArguments(owner.name)}
    </button>
  );
}
