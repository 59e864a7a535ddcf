// What changed, row by row. What came is orange, what went is blue, and both have a sign, so that nobody has
// to tell colours apart.
import { Fragment, h } from "preact";
import { useMemo, useState } from "preact/hooks";
import { change, count, figure, place, type Unit } from "./format";
import { Rows, type ColumnOf } from "./rows";
import { select, type Selection } from "./selection";
import { kGroupTitles } from "./table";

export interface Changed {
  name: string;
  file: string;
  line: number;
  module: string;
  before: number;
  after: number;
  blocksBefore: number;
  blocksAfter: number;
  sides: number; // 1: before, 2: after, 3: both
}

interface ChangeTableProps {
  changed: Changed[];
  unit: Unit; // of what is compared
  foot: string; // what is to be said of those that are not here
  by: string;
  selection: Selection;
}

const blocksColumn = (changed: Changed[]): ColumnOf => ({
  key: "blocks",
  title: "blocks",
  value: (i) => changed[i].blocksAfter - changed[i].blocksBefore,
  text: (i) => change(changed[i].blocksAfter - changed[i].blocksBefore, "count"),
  tone: (i) => signTone(changed[i].blocksAfter - changed[i].blocksBefore),
});

const signTone = (value: number) => (value > 0 ? "more" : value < 0 ? "less" : "");

export function ChangeTable({ changed, unit, foot, by, selection }: ChangeTableProps) {
  const { search } = selection;
  const [sort, setSort] = useState("change");
  // Nothing where there is no such place at all.
  const sideColumn = (side: "before" | "after", bit: number): ColumnOf => ({
    key: side,
    title: side,
    value: (i) => changed[i][side],
    text: (i) => (changed[i].sides & bit ? figure(changed[i][side], unit) : "–"),
  });
  const columns: ColumnOf[] = [
    {
      key: "name",
      title: kGroupTitles[by] ?? by,
      isText: true,
      value: (i) => changed[i].name,
      text: (i) => changed[i].name || "(unknown)",
      more: (i) => place(changed[i].file, changed[i].line),
    },
    {
      key: "change",
      title: "change",
      value: (i) => changed[i].after - changed[i].before,
      text: (i) => change(changed[i].after - changed[i].before, unit),
      tone: (i) => signTone(changed[i].after - changed[i].before),
    },
    ...(unit === "bytes" ? [blocksColumn(changed)] : []),
    sideColumn("before", 1),
    sideColumn("after", 2),
  ];
  const order = useMemo(() => {
    const wanted = search.toLowerCase();
    const matching = changed
      .map((_, i) => i)
      .filter((i) => !wanted || (changed[i].name + changed[i].file).toLowerCase().includes(wanted));
    const column = columns.find((one) => one.key === sort.replace(/^-/, "")) ?? columns[1];
    const sign = sort.startsWith("-") !== (column.isText ?? false) ? 1 : -1;
    return matching.sort((x, y) => {
      const [u, v] = [column.value(x), column.value(y)];
      return u < v ? -sign : u > v ? sign : x - y;
    });
  }, [changed, search, sort]);
  const { picked } = selection;
  return (
    <>
      <Rows
        label="Changes"
        columns={columns}
        order={order}
        sort={sort}
        sortBy={setSort}
        isPicked={(i) => picked?.name === changed[i].name && (!picked.line || picked.line === changed[i].line)}
        pick={(i) => {
          const { name, file, line } = changed[i];
          select({ picked: { name, by, file, line, site: 0 } });
        }}
      />
      <p class="foot">
        {count(order.length)} changed{foot}
      </p>
    </>
  );
}
