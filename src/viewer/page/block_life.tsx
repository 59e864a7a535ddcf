// The life of one block: when it came and went, what it was before it was resized and what it became, what
// lay beside it, and who else has had its address. Each of them can be chosen in turn.
import { h } from "preact";
import { useMemo } from "preact/hooks";
import { useAsked } from "./asked";
import { bytes, count, counted, duration, place } from "./format";
import { Waiting } from "./head";
import type { Recording } from "./recording";
import { Rows, type ColumnOf } from "./rows";
import { select, useSelection, type BlockAt } from "./selection";
import { threadName } from "./threads";
import { rememberFiles, Table, type ColumnTable } from "./wire";

export interface Life {
  role: string;
  address: number;
  size: number;
  site: number;
  birth: number;
  end: number;
  how: string; // freed, resized, lost, left
  thread: number;
  by: number;
  temporary: boolean;
}

export interface Lives {
  block: Life | null;
  all: Life[];
  resizesBefore: number;
  tenants: number;
}

function livesOf(wire: any, part: string, role: string): Life[] {
  const table = new Table((wire[part] ?? { count: 0 }) as ColumnTable, wire.texts ?? [], {});
  return Array.from({ length: table.count }, (_, i) => ({
    role,
    address: table.number("address", i),
    size: table.number("size", i),
    site: table.number("site", i),
    birth: table.number("birth_ns", i),
    end: table.number("end_ns", i),
    how: table.text("end", i),
    thread: table.number("thread", i),
    by: table.number("by", i),
    temporary: table.number("temporary", i) === 1 || (wire[part]?.temporary?.[i] ?? false) === true,
  }));
}

export function readLives(wire: any): Lives {
  const block = livesOf(wire, "block", "this block");
  const [at] = block;
  const side = (life: Life) => ({ ...life, role: at && life.address < at.address ? "below it" : "above it" });
  const turn = (life: Life) => ({ ...life, role: at && life.birth < at.birth ? "had it before" : "had it after" });
  return {
    block: at ?? null,
    all: [
      ...block,
      ...livesOf(wire, "before", "was, until a resize"),
      ...livesOf(wire, "after", "became, by a resize"),
      ...livesOf(wire, "neighbours", "").map(side),
      ...livesOf(wire, "tenants", "").map(turn),
    ],
    resizesBefore: wire.resizes_before ?? 0,
    tenants: (wire.tenants_before ?? 0) + (wire.tenants_after ?? 0),
  };
}

export function useLife(block: BlockAt | null) {
  const body = block && { address: block.address, time_ns: block.ns, ledger: block.process };
  return useAsked("/api/block_life", body, "life", readLives);
}

// The functions that asked for them.
function useNames(sites: number[]) {
  const body = sites.length > 0 ? { sites } : null;
  const asked = useAsked("/api/frames", body, "life-names", (wire) => {
    rememberFiles(wire.files ?? {});
    const names = new Map<number, { name: string; file: string; line: number }>();
    (wire.stacks as ColumnTable[]).forEach((stack, n) => {
      const frames = new Table(stack, wire.texts ?? [], wire.files ?? {});
      let i = 0;
      while (i + 1 < frames.count && frames.number("wrapper", i)) ++i;
      const name = frames.text("function", i) || frames.text("name", i);
      names.set(sites[n], { name, file: frames.file(i), line: frames.number("line", i) });
    });
    return names;
  });
  return { names: asked.value ?? new Map(), isWaiting: asked.isWaiting };
}

export const hex = (address: number) => "0x" + address.toString(16);

function endText(recording: Recording, life: Life): string {
  if (life.how === "left") return "never freed";
  if (life.how === "lost") return `its address was used again at ${duration(life.end)}`;
  const by = life.by !== life.thread ? ` by ${threadName(recording, life.by)}` : "";
  const soon = life.temporary ? ", at once" : "";
  return `${life.how} at ${duration(life.end)}${by}, after ${duration(life.end - life.birth)}${soon}`;
}

export function LifeOf({ recording, block }: { recording: Recording; block: BlockAt }) {
  const { picked, view } = useSelection();
  const asked = useLife(block);
  const lives = asked.value;
  const sites = useMemo(() => [...new Set(lives?.all.map((life) => life.site))].filter((site) => site > 0), [lives]);
  const { names, isWaiting } = useNames(sites);
  if (!lives) return <Waiting asked={asked} />;
  const { block: life, all } = lives;
  return (
    <section class="life" aria-label="The life of a block">
      <div class={"head" + (asked.isWaiting || isWaiting ? " waiting" : "")}>
        <h3 aria-live="polite">
          <b>{life ? `${bytes(life.size)} at ${hex(life.address)}` : `No block was at ${hex(block.address)}`}</b>{" "}
          <span class="when">
            {life
              ? `allocated at ${duration(life.birth)} by ${threadName(recording, life.thread)}, ${endText(recording, life)}`
              : `at ${duration(block.ns)}`}
            {lives.resizesBefore > 0 && `; resized ${counted(lives.resizesBefore, "time")} before`}
            {lives.tenants > 0 && `; ${count(lives.tenants)} others had its address`}
          </span>
        </h3>
        <span class="spring" />
        {view !== "map" && <button onClick={() => select({ view: "map" })}>On the map</button>}
        <button class="quiet" aria-label="Choose no block" onClick={() => select({ block: null })}>
          ✕
        </button>
      </div>
      {all.length > 0 && (
        <Rows
          label="The block and what was near"
          columns={columnsOf(recording, all, names)}
          order={all.map((_, i) => i)}
          sort=""
          isPicked={(i) => all[i].role === "this block" && picked !== null}
          pick={(i) => {
            const { site, address, birth } = all[i];
            const known = names.get(site);
            const at = { address, ns: Math.max(birth, all[i] === life ? block.ns : birth), process: block.process };
            select({ block: at, ...(known && { picked: { ...known, by: "site", site } }) });
          }}
        />
      )}
    </section>
  );
}

function columnsOf(
  recording: Recording,
  all: Life[],
  names: Map<number, { name: string; file: string; line: number }>,
): ColumnOf[] {
  const column = (title: string, text: (life: Life) => string): ColumnOf => ({
    key: title,
    title,
    value: (i) => text(all[i]),
    text: (i) => text(all[i]),
  });
  const nameOf = (i: number) => names.get(all[i].site)?.name ?? "";
  return [
    { ...column("which", (life) => life.role), tone: () => "quiet role" },
    {
      key: "name",
      title: "allocated by",
      isText: true,
      value: nameOf,
      text: nameOf,
      more: (i) => place(names.get(all[i].site)?.file ?? "", names.get(all[i].site)?.line ?? 0),
    },
    column("address", (life) => hex(life.address)),
    column("size", (life) => bytes(life.size)),
    column("allocated at", (life) => duration(life.birth)),
    column("end", (life) => (life.how === "left" ? "never freed" : `${life.how} at ${duration(life.end)}`)),
    column("thread", (life) => threadName(recording, life.thread)),
  ];
}
