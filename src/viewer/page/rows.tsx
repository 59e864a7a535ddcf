// Rows of any table, of which those that can be seen are made: a scroll through thousands is as quick as
// through ten. The arrows move the choice, Enter opens it.
import { Fragment, h } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useSize } from "./canvas";
import { LongName } from "./long_name";

export interface ColumnOf {
  key: string;
  title: string;
  help?: string;
  isText?: boolean;
  value: (i: number) => number | string;
  text: (i: number) => string;
  more?: (i: number) => string; // of a name: where it is
  share?: (i: number) => number;
  shareText?: (i: number) => string;
  colour?: (i: number) => string;
  tone?: (i: number) => string; // a class
  indent?: (i: number) => number;
  span?: (i: number) => { begin: number; end: number; strength: number }; // shares of the width
}

interface RowsProps {
  label: string;
  columns: ColumnOf[];
  order: number[];
  sort: string;
  sortBy?: (key: string) => void; // none: in the order that they are in
  isPicked: (i: number) => boolean;
  pick: (i: number) => void;
}

const kHeight = 26;
const kBeyond = 8; // rows made above and below of what can be seen

export function Rows(props: RowsProps) {
  const { columns, order } = props;
  const [box, size] = useSize<HTMLDivElement>();
  const [top, setTop] = useState(0);
  const first = Math.max(0, Math.floor(top / kHeight) - kBeyond);
  const last = Math.min(order.length, Math.ceil((top + size.height) / kHeight) + kBeyond);
  const at = order.findIndex((i) => props.isPicked(i));
  useEffect(() => {
    // A new order begins at its top.
    if (box.current) box.current.scrollTop = 0;
  }, [props.sort, props.label]);
  const bringIntoView = (place: number) => {
    const view = box.current!;
    const y = place * kHeight;
    if (y < view.scrollTop) view.scrollTop = y;
    if (y + 2 * kHeight > view.scrollTop + size.height) view.scrollTop = y + 2 * kHeight - size.height;
  };
  useEffect(() => {
    // What is chosen stays in sight when something else takes a part of the room.
    if (at >= 0 && size.height > 0) bringIntoView(at);
  }, [size.height]);
  const move = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15 };
    if (!(event.key in steps) || order.length === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const next = Math.min(order.length - 1, Math.max(0, at + steps[event.key]));
    props.pick(order[next]);
    bringIntoView(next);
  };
  return (
    <div
      class="rows"
      ref={box as any}
      role="grid"
      tabIndex={0}
      aria-label={props.label}
      aria-rowcount={order.length + 1}
      onScroll={(event) => setTop((event.currentTarget as HTMLElement).scrollTop)}
      onKeyDown={move}
    >
      <table role="presentation">
        <thead role="rowgroup">
          <tr role="row" aria-rowindex={1}>
            {columns.map((column) => (
              <HeadCell column={column} sort={props.sort} sortBy={props.sortBy} />
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          <Gap rows={first} columns={columns.length} />
          {order.slice(first, last).map((i, place) => (
            <tr
              key={i}
              role="row"
              aria-rowindex={first + place + 2}
              aria-selected={props.isPicked(i)}
              class={props.isPicked(i) ? "picked" : ""}
              onClick={() => props.pick(i)}
            >
              {columns.map((column) => (
                <Cell column={column} i={i} />
              ))}
            </tr>
          ))}
          <Gap rows={order.length - last} columns={columns.length} />
        </tbody>
      </table>
    </div>
  );
}

function Gap({ rows, columns }: { rows: number; columns: number }) {
  if (rows <= 0) return null;
  return (
    <tr role="presentation" class="gap" style={{ height: `${rows * kHeight}px` }}>
      <td role="presentation" colSpan={columns} />
    </tr>
  );
}

interface HeadCellProps {
  column: ColumnOf;
  sort: string;
  sortBy?: (key: string) => void;
}

function HeadCell({ column, sort, sortBy }: HeadCellProps) {
  const isSorted = sort.replace(/^-/, "") === column.key;
  const isUp = sort.startsWith("-");
  const direction = isSorted ? (isUp !== (column.isText ?? false) ? "ascending" : "descending") : "none";
  return (
    <th role="columnheader" aria-sort={direction} class={column.isText || column.span ? "text" : ""}>
      {sortBy ? (
        <button
          title={column.help}
          onClick={() => sortBy(isSorted && !isUp ? "-" + column.key : column.key)}
        >
          {column.title}
          <span class="arrow">{isSorted ? (direction === "ascending" ? " ↑" : " ↓") : ""}</span>
        </button>
      ) : (
        <span class="plain" title={column.help}>
          {column.title}
        </span>
      )}
    </th>
  );
}

function Cell({ column, i }: { column: ColumnOf; i: number }) {
  const text = column.text(i);
  if (column.isText) {
    const more = column.more?.(i);
    return (
      <td role="gridcell" class="text" title={more ? `${text}\n${more}` : text}>
        <div class="name" style={column.indent && { paddingLeft: `${column.indent(i) * 16}px` }}>
          <LongName text={text} />
          {more && more !== text && !text.endsWith(more) && <span class={"quiet place" + (column.indent ? " long" : "")}> {more}</span>}
        </div>
      </td>
    );
  }
  if (column.span) return <SpanCell {...column.span(i)} text={text} />;
  return (
    <td role="gridcell" class={column.tone?.(i) ?? ""}>
      {column.share ? (
        <>
          <Bar share={column.share(i)} colour={column.colour?.(i)} />
          <span class="share">{column.shareText?.(i)}</span>
          <span class="value">{text}</span>
        </>
      ) : (
        text
      )}
    </td>
  );
}

// A stretch of something, as a bar.
function SpanCell(props: { begin: number; end: number; strength: number; text: string }) {
  const style = {
    marginLeft: `${100 * Math.min(0.995, props.begin)}%`,
    width: `${100 * Math.max(0, props.end - props.begin)}%`,
    opacity: 0.35 + 0.65 * props.strength,
  };
  return (
    <td role="gridcell" class="stretch" title={props.text}>
      <div>
        <span style={style} />
      </div>
      <span class="spoken">{props.text}</span>
    </td>
  );
}

export function Bar({ share, colour }: { share: number; colour?: string }) {
  const width = `${Math.min(100, Math.max(0, share * 100)).toFixed(2)}%`;
  return (
    <span class="bar" aria-hidden="true">
      <span style={{ width, background: colour }} />
    </span>
  );
}
