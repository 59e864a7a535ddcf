// What was recorded: the run, and what there is to know about the recording itself.
import { h } from "preact";
import { shortPaths } from "./command";
import { bytes, count, counted, duration } from "./format";
import type { Histogram, Recording } from "./recording";
import { Warnings } from "./warnings";

function gapsText({ processes }: Recording): string {
  const gaps = processes.reduce((sum, process) => sum + process.gap_count, 0);
  const ns = processes.reduce((sum, process) => sum + process.gap_ns, 0);
  return gaps > 0 ? `${counted(gaps, "time")} not recorded, ${duration(ns)} together` : "none";
}

const lifetime = (ns: number) => (ns < 1000 ? "under 1 us" : duration(ns));

// "1 B to 4.0 MiB, half of them at most 48 B"
function histogramText(of: Histogram, text: (value: number) => string): string {
  if (!of || of.largest === 0) return "";
  return `${text(of.smallest)} to ${text(of.largest)}, half of them ${text(of.median).replace(/^(?!under)/, "at most ")}`;
}

export function RecordedView({ recording }: { recording: Recording }) {
  const started = new Date(recording.start_wall_ns / 1e6);
  const facts: [string, string][] = [
    ["command", recording.command],
    ["on", recording.host],
    ["started", started.toISOString().replace(/T(.*)\.\d+Z$/, " $1 UTC")],
    ["ran", duration(recording.duration_ns)],
    ["sizes", histogramText(recording.sizes, bytes)],
    ["lifetimes", histogramText(recording.lifetimes, lifetime)],
    ["mode", recording.mode + (recording.sampled ? ", sampled: figures are estimates" : "")],
    ["calls", count(recording.totals.calls ?? 0)],
    ["processes", count(recording.processes.length)],
    ["threads", count(recording.threads.length)],
    ["gaps", gapsText(recording)],
    ["read from", shortPaths(recording.paths).join(" ")],
    ["Heapledger", recording.version],
  ];
  const known = facts.filter(([, text]) => text !== "");
  return (
    <div class="view">
      <div class="head">
        <h2>
          <b class="total">{recording.title}</b> <span class="when">of the whole run</span>
        </h2>
      </div>
      <div class="scrolled recorded">
        <dl>
          {known.map(([what, text]) => (
            <div>
              <dt>{what}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
        <Warnings warnings={recording.warnings} />
      </div>
    </div>
  );
}
