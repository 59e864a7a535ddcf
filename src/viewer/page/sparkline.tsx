// The course over time of what a filter selects, small.
import { h } from "preact";
import { useAsked } from "./asked";
import { Canvas, useSize } from "./canvas";
import { bytes, duration } from "./format";
import { scopeOf } from "./metrics";
import { theme } from "./palette";
import { timeOf, type Recording } from "./recording";
import { useSelection } from "./selection";

export function Sparkline({ recording, filter }: { recording: Recording; filter: string }) {
  const selection = useSelection();
  const [box, size] = useSize<HTMLDivElement>();
  const asked = useAsked("/api/timeline", { question: scopeOf({ ...selection, filter }) }, "sparkline", (wire) => {
    const columns = wire.timeline ?? wire;
    return {
      width: Number(columns.width_ns ?? 0),
      live: (columns.live_bytes as number[] | undefined) ?? [],
    };
  });
  if (asked.failure || (asked.value && asked.value.width === 0)) return null;
  const line = asked.value;
  const most = Math.max(1, ...(line?.live ?? []));
  // What is known is at the end of each bucket; between two edges there may have been more.
  const peak = line ? (line.live.indexOf(most) + 1) * line.width - 1 : 0;
  const cursor = timeOf(recording, selection.range ? selection.range[1] : selection.at);
  const draw = (g: CanvasRenderingContext2D) => {
    if (!line) return;
    const t = theme();
    const scale = size.width / Math.max(1, recording.duration_ns);
    const floor = size.height - 1;
    g.beginPath();
    g.moveTo(0, floor);
    line.live.forEach((value, i) => {
      const y = floor - (value / most) * (floor - 3);
      g.lineTo(i * line.width * scale, y);
      g.lineTo((i + 1) * line.width * scale, y);
    });
    g.lineTo(size.width, floor);
    g.fillStyle = t.live;
    g.globalAlpha = 0.7;
    g.fill();
    g.globalAlpha = 1;
    g.fillStyle = t.cursor;
    g.fillRect(Math.round(cursor * scale) - 0.5, 0, 1.5, size.height);
  };
  const text = line
    ? `most seen live: ${bytes(Math.max(0, ...line.live))}, at ${duration(peak)}`
    : " ";
  return (
    <figure class="spark">
      <div ref={box as any} role="img" aria-label={text}>
        <Canvas size={size} draw={draw} of={[line, cursor, recording]} />
      </div>
      <figcaption class="quiet">{text}</figcaption>
    </figure>
  );
}
