// What the resident memory is made of: live blocks, what malloc adds, what is free but kept, and all that
// is not the heap.
import { h } from "preact";
import { useAsked } from "./asked";
import { bytes, duration, percent, place, withoutArguments } from "./format";
import { Waiting } from "./head";
import { timeOf, type Recording } from "./recording";
import { RssOverTime } from "./rss_over_time";
import { colourOf, wordsOf, type Owner, type WhereRss } from "./rss_parts";
import { select, useSelection } from "./selection";

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
                title={`${wordsOf(part.part)}: ${bytes(part.bytes)}`}
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
              <span>{wordsOf(part.part)}</span>
              {part.owner && <OwnerOf owner={part.owner} />}
            </li>
          ))}
        </ol>
        {!recording.live && !recording.only_counts && <RssOverTime recording={recording} />}
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
