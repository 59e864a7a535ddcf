// What the resident memory was made of at moments all over the run, side by side. Each takes a pass over the
// ledger, so they are asked for only when somebody wants to see them, and come one by one.
import { h } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ask } from "./asked";
import { bytes, duration } from "./format";
import { colourOf, wordsOf, type WhereRss } from "./rss_parts";
import { snapped } from "./edges";
import { timeOf, type Recording } from "./recording";
import { select, useSelection } from "./selection";

const kMoments = 16;

// The middles of as many stretches of the run, each once.
function momentsOf(recording: Recording): string[] {
  const stretch = recording.duration_ns / kMoments;
  const moments = Array.from({ length: kMoments }, (_, i) => snapped(recording, (i + 0.5) * stretch, 0));
  return [...new Set(moments)];
}

export function RssOverTime({ recording }: { recording: Recording }) {
  const { at } = useSelection();
  const [isWanted, want] = useState(false);
  const [seen, see] = useState<{ at: string; where: WhereRss }[]>([]);
  const moments = momentsOf(recording);
  useEffect(() => {
    if (!isWanted) return;
    let goesOn = true;
    const read = async () => {
      for (const moment of moments) {
        const where = (await ask("/api/where_rss", { at: moment }, "rss-over-time")) as WhereRss;
        if (!goesOn) return;
        see((before) => [...before, { at: moment, where }]);
      }
    };
    see([]);
    read().catch(() => undefined); // what has come stays
    return () => void (goesOn = false);
  }, [isWanted, moments.join()]);
  if (!isWanted) {
    return (
      <button class="link" onClick={() => want(true)}>
        The same over time
      </button>
    );
  }
  const most = Math.max(1, ...seen.map(({ where }) => sumOf(where)));
  return (
    <section class={"rss-times" + (seen.length < moments.length ? " waiting" : "")}>
      <h3 class="quiet">over time, up to {bytes(most)}</h3>
      <div>
        {seen.map(({ at: moment, where }) => (
          <button
            key={moment}
            class={moment === at ? "picked" : ""}
            title={textOf(where)}
            aria-label={`${duration(where.time_ns)}: ${textOf(where)}`}
            onClick={() => select({ at: moment, range: null })}
          >
            <span class="column" style={{ height: `${(100 * sumOf(where)) / most}%` }}>
              {partsOf(where)
                .reverse()
                .map(({ part, bytes: size }) => (
                  <span style={{ flexGrow: size, background: colourOf(part) }} />
                ))}
            </span>
          </button>
        ))}
      </div>
      <p class="quiet">
        <span>0</span>
        <span>{duration(timeOf(recording, "end"))}</span>
      </p>
    </section>
  );
}

const partsOf = ({ parts }: WhereRss) => parts.filter((part) => part.bytes > 0);

const sumOf = (where: WhereRss) => partsOf(where).reduce((sum, part) => sum + part.bytes, 0);

const textOf = (where: WhereRss) =>
  partsOf(where)
    .map((part) => `${bytes(part.bytes)} ${wordsOf(part.part)}`)
    .join(", ");
