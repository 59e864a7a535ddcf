// The one selection that every view obeys: a time, a filter, a metric, and how it is looked at. It
// stands in the URL's query, so that reload, back, forward and a link restore it; nothing else of the
// page's state is kept anywhere.
import { useEffect, useState } from "preact/hooks";

export interface Picked {
  name: string; // a function, or a group by its name
  by: string; // the group it is one of: "function", "owner", "module", …
  file: string;
  line: number;
  site: number;
}

// A block: whoever has the address at that time.
export interface BlockAt {
  address: number;
  ns: number;
  process: number;
}

// A part of the plane of births and ends, in its cells, both ends included.
export interface Cohort {
  born: [number, number];
  died: [number, number];
}

export interface Selection {
  view: string;
  at: string; // a moment: "peak", "end", "marker:x", "123ns"
  range: [string, string] | null;
  window: [number, number] | null; // of the timeline, in ns
  filter: string; // as after --filter
  process: number | null; // only this one of the run, by its place
  block: BlockAt | null;
  cohort: Cohort | null;
  metric: string;
  by: string;
  sort: string; // key of a figure, "name", or empty: the metric
  inverted: boolean;
  zoom: string[]; // names from the root on
  search: string;
  picked: Picked | null;
  ofTwo: boolean; // compared with the other recording, where there is one, not with another moment
  flags: number[]; // set on the timeline, in ns
}

export const kFirstSelection: Selection = {
  view: "overview",
  at: "peak",
  range: null,
  window: null,
  filter: "",
  process: null,
  block: null,
  cohort: null,
  metric: "live",
  by: "owner",
  sort: "",
  inverted: false,
  zoom: [],
  search: "",
  picked: null,
  ofTwo: true,
  flags: [],
};

const kTexts = ["view", "at", "filter", "metric", "by", "sort", "search"] as const;

export function toQuery(selection: Selection): string {
  const query = new URLSearchParams();
  for (const name of kTexts) {
    if (selection[name] !== kFirstSelection[name]) query.set(name, selection[name]);
  }
  if (selection.range) query.set("between", selection.range.join(" "));
  if (selection.window) query.set("window", selection.window.join("-"));
  if (selection.process !== null) query.set("process", String(selection.process));
  if (selection.block) {
    const { address, ns, process } = selection.block;
    query.set("block", [address, ns, process].join("-"));
  }
  if (selection.cohort) {
    query.set("cohort", [...selection.cohort.born, ...selection.cohort.died].join("-"));
  }
  if (selection.inverted) query.set("inverted", "1");
  if (!selection.ofTwo) query.set("compare", "moments");
  for (const name of selection.zoom) query.append("zoom", name);
  if (selection.picked) {
    const { name, by, file, line, site } = selection.picked;
    query.set("pick", [by, name].join(":"));
    if (file) query.set("file", file);
    if (line) query.set("line", String(line));
    if (site) query.set("site", String(site));
  }
  if (selection.flags.length) query.set("flags", selection.flags.join("-"));
  const text = query.toString();
  return text ? "?" + text : "";
}

function numbersIn(text: string | null): number[] {
  return (text ?? "").split("-").filter((word) => /^\d+$/.test(word)).map(Number);
}

export function fromQuery(text: string): Selection {
  const query = new URLSearchParams(text);
  const selection = { ...kFirstSelection };
  for (const name of kTexts) selection[name] = query.get(name) ?? kFirstSelection[name];
  selection.range = rangeFrom(query.get("between"));
  const window = numbersIn(query.get("window"));
  if (window.length === 2 && window[0] < window[1]) selection.window = [window[0], window[1]];
  const [process] = numbersIn(query.get("process"));
  if (process !== undefined) selection.process = process;
  const block = numbersIn(query.get("block"));
  if (block.length === 3) selection.block = { address: block[0], ns: block[1], process: block[2] };
  const cohort = numbersIn(query.get("cohort"));
  if (cohort.length === 4 && cohort[0] <= cohort[1] && cohort[2] <= cohort[3]) {
    selection.cohort = { born: [cohort[0], cohort[1]], died: [cohort[2], cohort[3]] };
  }
  selection.inverted = query.get("inverted") === "1";
  selection.ofTwo = query.get("compare") !== "moments";
  selection.zoom = query.getAll("zoom");
  selection.flags = numbersIn(query.get("flags"));
  const pick = query.get("pick");
  const colon = pick?.indexOf(":") ?? -1;
  if (pick && colon > 0) {
    selection.picked = {
      by: pick.slice(0, colon),
      name: pick.slice(colon + 1),
      file: query.get("file") ?? "",
      line: Number(query.get("line") ?? 0) || 0,
      site: Number(query.get("site") ?? 0) || 0,
    };
  }
  return selection;
}

// Two moments; names of markers may have spaces, so the place where the second begins is looked for.
function rangeFrom(text: string | null): [string, string] | null {
  const moment = String.raw`(?:start|peak|rss-peak|end|\d+ns|marker:.+?)`;
  const found = new RegExp(`^(${moment}) (${moment})$`).exec(text ?? "");
  return found ? [found[1], found[2]] : null;
}

let current = fromQuery(location.search);
const listeners = new Set<() => void>();

function tell() {
  for (const listener of listeners) listener();
}

addEventListener("popstate", () => {
  current = fromQuery(location.search);
  tell();
});

export function selection(): Selection {
  return current;
}

// A step of its own in the history; with "quietly" the present one changes, as while something is
// dragged.
export function select(change: Partial<Selection>, how: "step" | "quietly" = "step"): void {
  const next = { ...current, ...change };
  const query = toQuery(next);
  if (query === toQuery(current)) return;
  current = next;
  const url = location.pathname + query;
  if (how === "step") history.pushState(null, "", url);
  else history.replaceState(null, "", url);
  tell();
}

export function useSelection(): Selection {
  const [seen, see] = useState(current);
  useEffect(() => {
    const listener = () => see(current);
    listeners.add(listener);
    listener();
    return () => void listeners.delete(listener);
  }, []);
  return seen;
}
