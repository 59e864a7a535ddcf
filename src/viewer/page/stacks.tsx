// The stacks behind a choice: the largest, each frame a way to its source.
import { h } from "preact";
import { useAsked } from "./asked";
import { baseName, counted, figure, place } from "./format";
import type { Metric } from "./metrics";
import { select } from "./selection";
import { rememberFiles, Table, type ColumnTable } from "./wire";

const kFirstFrames = 12;

export function StackList(props: { rows: Table; groups: number; metric: Metric }) {
  const { rows, groups, metric } = props;
  const sites = Array.from({ length: Math.min(3, rows.count) }, (_, i) => rows.number("site", i));
  const known = sites.filter((site) => site > 0);
  const asked = useAsked(
    "/api/frames",
    known.length > 0 ? { sites: known } : null,
    "frames",
    (wire) => {
      rememberFiles(wire.files ?? {});
      const stacks = wire.stacks as ColumnTable[];
      return stacks.map((stack, i) => ({
        stack: new Table(stack, wire.texts ?? [], wire.files ?? {}),
        amount: figure(rows.values(metric.key)[i] ?? 0, metric.unit),
      }));
    },
  );
  if (!asked.value) return null;
  return (
    <section class="stacks">
      <h4>{groups > 1 ? `the largest of ${counted(groups, "stack")}` : "its stack"}</h4>
      {asked.value.map(({ stack, amount }, i) => (
        <details key={i} open={i === 0}>
          <summary>{amount}</summary>
          <ol>
            {Array.from({ length: Math.min(stack.count, kFirstFrames) }, (_, frame) => (
              <Frame stack={stack} i={frame} />
            ))}
            {stack.count > kFirstFrames && (
              <li>
                <details>
                  <summary class="quiet">{stack.count - kFirstFrames} more</summary>
                  <ol>
                    {Array.from({ length: stack.count - kFirstFrames }, (_, frame) => (
                      <Frame stack={stack} i={frame + kFirstFrames} />
                    ))}
                  </ol>
                </details>
              </li>
            )}
          </ol>
        </details>
      ))}
    </section>
  );
}

function Frame({ stack, i }: { stack: Table; i: number }) {
  const name = stack.text("function", i) || stack.text("name", i) || "(unknown)";
  const file = stack.file(i);
  const line = stack.number("line", i);
  const where = place(file, line) || baseName(stack.text("module", i));
  const picked = { name, by: "function", file, line, site: 0 };
  return (
    <li>
      <button class={"frame mono" + (stack.number("wrapper", i) ? " quiet" : "")} title={name} onClick={() => select({ picked })}>
        {name}
      </button>
      {file ? (
        <button class="link" title={file} onClick={() => select({ picked, view: "source" })}>
          {where}
        </button>
      ) : (
        <span class="quiet">{where}</span>
      )}
    </li>
  );
}
