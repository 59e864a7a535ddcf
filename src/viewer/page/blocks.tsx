// Single blocks that are live at the cursor, the largest first.
import { h } from "preact";
import { useMemo, useState } from "preact/hooks";
import { useAsked } from "./asked";
import { hex, LifeOf } from "./block_life";
import { bytes, count, duration } from "./format";
import { Waiting } from "./head";
import { momentOf, scopeOf, whenText } from "./metrics";
import type { Recording } from "./recording";
import { Rows, type ColumnOf } from "./rows";
import { select, useSelection, type BlockAt } from "./selection";
import { threadName } from "./threads";
import { readAnswer, Table, type ColumnTable } from "./wire";

const kMost = 1000;

interface Blocks {
  rows: Table;
  bytes: number;
  blocks: number;
  ns: number;
}

export function BlocksView({ recording }: { recording: Recording }) {
  const present = useSelection();
  // Blocks are of a moment; of a range, of its end.
  const selection = { ...present, metric: "live" };
  const at = momentOf(selection, recording, selection.range ? selection.range[1] : selection.at);
  const question = { at, top: kMost, ...scopeOf(selection) };
  const asked = useAsked("/api/blocks", { question }, "blocks", (wire): Blocks => ({
    rows: new Table((wire.blocks ?? { count: 0 }) as ColumnTable, [], {}),
    bytes: wire.live_bytes ?? 0,
    blocks: wire.live_blocks ?? 0,
    ns: wire.time_ns ?? 0,
  }));
  const bySite = { question: { ...question, by: "site", top: 5000 } };
  const sites = useAsked("/api/ask", bySite, "blocks-sites", (wire) => readAnswer(wire.answer));
  const names = useMemo(() => {
    const found = new Map<number, { name: string; file: string; line: number }>();
    const rows = sites.value?.rows;
    for (let i = 0; rows && i < rows.count; ++i) {
      const name = rows.text("function", i) || rows.text("name", i);
      found.set(rows.number("site", i), { name, file: rows.file(i), line: rows.number("line", i) });
    }
    return found;
  }, [sites.value]);
  const [sort, setSort] = useState("size");
  const rows = asked.value?.rows;
  const columns = useMemo(
    () => (rows ? columnsOf(rows, names, recording) : []),
    [rows, names, recording],
  );
  const order = useMemo(() => {
    if (!rows) return [];
    const column = columns.find((one) => one.key === sort.replace(/^-/, "")) ?? columns[0];
    const sign = sort.startsWith("-") !== (column.isText ?? false) ? 1 : -1;
    return Array.from({ length: rows.count }, (_, i) => i).sort((a, b) => {
      const [x, y] = [column.value(a), column.value(b)];
      return x < y ? -sign : x > y ? sign : a - b;
    });
  }, [rows, columns, sort]);
  if (!asked.value || !rows) return <Waiting asked={asked} />;
  const isOf = (block: BlockAt, i: number) => block.process === rows.number("ledger", i);
  return (
    <div class="view">
      <div class={"head" + (asked.isWaiting ? " waiting" : "")}>
        <h2>
          <b class="total">
            {bytes(asked.value.bytes)} live in {count(asked.value.blocks)} blocks
          </b>{" "}
          <span class="when">{whenText(selection, recording)}</span>
        </h2>
      </div>
      <Rows
        label="Live blocks"
        columns={columns}
        order={order}
        sort={sort}
        sortBy={setSort}
        isPicked={(i) => present.block?.address === rows.number("address", i) && isOf(present.block, i)}
        pick={(i) => {
          const site = rows.number("site", i);
          const known = names.get(site);
          const block = {
            address: rows.number("address", i),
            ns: asked.value!.ns,
            process: rows.number("ledger", i),
          };
          select({ block, ...(known && { picked: { ...known, by: "site", site } }) });
        }}
      />
      <p class="foot">
        {rows.count < asked.value.blocks
          ? `the largest ${count(rows.count)} of ${count(asked.value.blocks)}`
          : `${count(rows.count)} blocks`}
      </p>
      {present.block && <LifeOf recording={recording} block={present.block} />}
    </div>
  );
}

function columnsOf(
  rows: Table,
  names: Map<number, { name: string }>,
  recording: Recording,
): ColumnOf[] {
  const column = (key: string, title: string, text: (value: number) => string): ColumnOf => ({
    key,
    title,
    value: (i) => rows.number(key, i),
    text: (i) => text(rows.number(key, i)),
  });
  const nameOf = (i: number) => names.get(rows.number("site", i))?.name ?? "";
  return [
    { key: "name", title: "allocated by", isText: true, value: nameOf, text: nameOf },
    column("size", "size", bytes),
    column("age_ns", "age", duration),
    column("birth_ns", "allocated at", duration),
    column("address", "address", hex),
    column("thread", "thread", (value) => threadName(recording, value)),
  ];
}
