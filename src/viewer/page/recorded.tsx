// What was recorded: the run, its processes with their time, threads, and what there is to know about the
// recording itself.
import { h } from "preact";
import { shortPaths } from "./command";
import { bytes, count, duration } from "./format";
import type { Process, Recording } from "./recording";
import { select } from "./selection";

export function RecordedView({ recording }: { recording: Recording }) {
  const started = new Date(recording.start_wall_ns / 1e6);
  const facts: [string, string][] = [
    ["command", recording.command],
    ["on", recording.host],
    ["started", started.toISOString().replace(/\.\d+Z$/, "Z")],
    ["ran", duration(recording.duration_ns)],
    ["mode", recording.mode + (recording.sampled ? ", sampled: figures are estimates" : "")],
    ["calls", count(recording.totals.calls ?? 0)],
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
        <Processes recording={recording} />
      </div>
    </div>
  );
}

// Children below their parents, in the order in which they began.
function inOrder(processes: Process[]): { process: Process; depth: number }[] {
  const known = new Set(processes.map((process) => process.pid));
  const found: { process: Process; depth: number }[] = [];
  const visit = (parent: number | null, depth: number) => {
    for (const process of processes) {
      const isRoot = !known.has(process.parent_pid) || process.parent_pid === process.pid;
      if (parent === null ? !isRoot : isRoot || process.parent_pid !== parent) continue;
      if (found.some((one) => one.process === process)) continue;
      found.push({ process, depth });
      visit(process.pid, depth + 1);
    }
  };
  visit(null, 0);
  for (const process of processes) {
    if (!found.some((one) => one.process === process)) found.push({ process, depth: 0 });
  }
  return found;
}

function Processes({ recording }: { recording: Recording }) {
  const all = Math.max(1, recording.duration_ns);
  const most = Math.max(1, ...recording.processes.map((process) => process.peak_bytes));
  return (
    <section class="processes">
      <h3 class="quiet">{recording.processes.length === 1 ? "1 process" : `${count(recording.processes.length)} processes`}</h3>
      <table>
        <thead>
          <tr>
            <th class="text">process</th>
            <th class="text span">time</th>
            <th>peak</th>
            <th>never freed</th>
            <th>calls</th>
          </tr>
        </thead>
        <tbody>
          {inOrder(recording.processes).slice(0, 180).map(({ process, depth }) => (
            <tr title={process.command}>
              <td class="text" style={{ paddingLeft: `${10 + depth * 14}px` }}>
                {process.title} <span class="quiet">{process.pid}</span>
              </td>
              <td class="span">
                <button
                  aria-label={`Only the time of ${process.title} ${process.pid}`}
                  style={{
                    marginLeft: `${(100 * process.begin_ns) / all}%`,
                    width: `${(100 * (process.end_ns - process.begin_ns)) / all}%`,
                    opacity: 0.35 + (0.65 * process.peak_bytes) / most,
                  }}
                  onClick={() =>
                    select({ window: [Math.floor(process.begin_ns), Math.ceil(process.end_ns)] })
                  }
                />
              </td>
              <td>{bytes(process.peak_bytes)}</td>
              <td>{bytes(process.end_bytes)}</td>
              <td>{count(process.calls)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
