// The map: addresses by time. What stays keeps its place, what is churned is a haze, and holes that are
// left between are what fragmentation looks like. A click asks which block was there.
import { Fragment, h } from "preact";
import { useMemo, useState } from "preact/hooks";
import { useAsked } from "./asked";
import { hex, LifeOf, useLife } from "./block_life";
import { Canvas, useSize } from "./canvas";
import { bytes, duration, percent } from "./format";
import { Waiting } from "./head";
import { cellOf, drawMap, mapFrame, mapOf, regionOf, type HeapMap } from "./map_draw";
import { momentOf, scopeOf, whenText } from "./metrics";
import { theme } from "./palette";
import { timeOf, type Recording } from "./recording";
import { Rows, type ColumnOf } from "./rows";
import { select, useSelection } from "./selection";

export function MapView({ recording }: { recording: Recording }) {
  const selection = useSelection();
  const { range } = selection;
  const between = range?.map((moment) => momentOf(selection, recording, moment));
  const question = { ...scopeOf(selection), ...(between && { between }) };
  const asked = useAsked("/api/map", { question, rows: 150, columns: 320 }, "map", mapOf);
  const map = asked.value;
  if (!map) return <Waiting asked={asked} />;
  const cursor = timeOf(recording, range ? range[1] : selection.at);
  const at = map.columnAt(cursor);
  const live = map.columnSum(at);
  return (
    <div class="view">
      <div class={"head" + (asked.isWaiting ? " waiting" : "")}>
        <h2 aria-live="polite">
          <b class="total">{bytes(live)} live</b>{" "}
          <span class="when">
            on average in the {duration(map.columnNs)} around {duration(cursor)};{" "}
            {range ? whenText({ ...selection, metric: "bytes" }, recording) : "the map is of the whole run"}
          </span>
        </h2>
        <span class="spring" />
        <span class="quiet">a cell is {bytes(map.cellBytes)}</span>
      </div>
      {map.rows === 0 ? (
        <p class="empty">Nothing of it is here. Fewer conditions?</p>
      ) : (
        <>
          <Picture map={map} recording={recording} cursor={cursor} />
          <Regions map={map} column={at} recording={recording} />
        </>
      )}
      {selection.block && <LifeOf recording={recording} block={selection.block} />}
    </div>
  );
}

function Picture({ map, recording, cursor }: { map: HeapMap; recording: Recording; cursor: number }) {
  const { block } = useSelection();
  const life = useLife(block).value?.block ?? null;
  const [box, size] = useSize<HTMLDivElement>();
  const [hover, setHover] = useState<[number, number] | null>(null);
  const frame = useMemo(() => mapFrame(size.width, size.height, map), [size, map]);
  const point = (event: MouseEvent) => cellOf(frame, map, event.offsetX, event.offsetY);
  const choose = (event: MouseEvent) => {
    const cell = point(event);
    const region = cell && regionOf(map, cell[0]);
    if (!cell || !region) return;
    const address = map.addressOf(cell[0]) + map.cellBytes / 2;
    const ns = Math.round(map.beginNs + (cell[1] + 0.5) * map.columnNs);
    select({ block: { address, ns, process: region.ledger } });
  };
  const marked = life && block ? { ...life, ledger: block.process } : null;
  const text = hover
    ? `${hex(map.addressOf(hover[0]))}, ${duration(map.beginNs + hover[1] * map.columnNs)}: ` +
      `${bytes(map.cell(hover[0], hover[1]))} of ${bytes(map.cellBytes)} live`
    : "";
  return (
    <div
      class="map"
      ref={box as any}
      role="img"
      aria-label="Addresses from top to bottom, time from left to right; the table below has the same by region"
      data-marked={marked ? map.rowOf(marked.ledger, marked.address) : undefined}
      onClick={choose}
      onPointerMove={(event) => setHover(point(event))}
      onPointerLeave={() => setHover(null)}
    >
      <Canvas
        size={size}
        draw={(g) => drawMap(g, frame, map, { cursor, hover, marked, processes: recording.processes.length }, theme())}
        of={[map, frame, cursor, hover?.join(), JSON.stringify(marked)]}
      />
      {hover && <p class="readout">{text}</p>}
    </div>
  );
}

function Regions({ map, column, recording }: { map: HeapMap; column: number; recording: Recording }) {
  const { regions } = map;
  const live = regions.map((region) => map.regionSum(region, column));
  const most = regions.map((region) => map.regionMost(region));
  const columns: ColumnOf[] = [
    {
      key: "name",
      title: "addresses",
      isText: true,
      value: (i) => regions[i].begin,
      text: (i) => `${hex(regions[i].begin)} – ${hex(regions[i].end)}`,
      more: (i) =>
        recording.processes.length > 1 ? (recording.processes[regions[i].ledger]?.title ?? "") : "",
    },
    { key: "live", title: "live here", value: (i) => live[i], text: (i) => bytes(live[i]) },
    {
      key: "used",
      title: "in use",
      help: "of the addresses from the first to the last that were ever used",
      value: (i) => live[i],
      text: (i) => percent(live[i], regions[i].end - regions[i].begin),
    },
    { key: "most", title: "at most", value: (i) => most[i], text: (i) => bytes(most[i]) },
    {
      key: "size",
      title: "extent",
      value: (i) => regions[i].end - regions[i].begin,
      text: (i) => bytes(regions[i].end - regions[i].begin),
    },
  ];
  return (
    <div class="regions">
      <Rows
        label="Regions of addresses"
        columns={columns}
        order={regions.map((_, i) => i)}
        sort=""
        isPicked={() => false}
        pick={() => undefined}
      />
    </div>
  );
}
