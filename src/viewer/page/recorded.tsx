// What was recorded: the run, and what there is to know about the recording itself.
import { h } from "preact";
import { shortPaths } from "./command";
import { count, duration } from "./format";
import type { Recording } from "./recording";

export function RecordedView({ recording }: { recording: Recording }) {
  const started = new Date(recording.start_wall_ns / 1e6);
  const facts: [string, string][] = [
    ["command", recording.command],
    ["on", recording.host],
    ["started", started.toISOString().replace(/\.\d+Z$/, "Z")],
    ["ran", duration(recording.duration_ns)],
    ["mode", recording.mode + (recording.sampled ? ", sampled: figures are estimates" : "")],
    ["calls", count(recording.totals.calls ?? 0)],
    ["processes", count(recording.processes.length)],
    ["threads", count(recording.threads.length)],
    ["read from", shortPaths(recording.paths).join(" ")],
    ["Heapledger", recording.version],
  ];
  return (
    <div class="view">
      <div class="head">
        <h2>
          <b class="total">{recording.title}</b> <span class="when">of the whole run</span>
        </h2>
      </div>
      <div class="scrolled recorded">
        <dl>
          {facts.map(([what, text]) => (
            <div>
              <dt>{what}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
        {recording.warnings.length > 0 && (
          <ul class="warnings">
            {recording.warnings.map((warning) => (
              <li>{warning}</li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}
