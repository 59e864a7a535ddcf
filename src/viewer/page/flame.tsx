// The flame graph: calls from the outermost function inwards, or from the ones that allocate outwards.
import { Fragment, h } from "preact";
import { useMemo } from "preact/hooks";
import { useAsked, type Asked } from "./asked";
import { FlameCanvas } from "./flame_canvas";
import { FlameTree } from "./flame_tree";
import { baseName, bytes, count, figure, percent, place } from "./format";
import { Head, Waiting } from "./head";
import { metricOf, metricOfTree, selectedTree, type Metric, type Question } from "./metrics";
import { moduleColour } from "./palette";
import type { Recording } from "./recording";
import { select, useSelection } from "./selection";
import { readAnswer, type Answer } from "./wire";

const kMostNodes = 4000; // of which an answer is half a megabyte at the most
const kLeastShare = 0.0004;

// `of`: another recording than the one that is shown.
export function useTree(question: Question | null, lane: string, of?: string): Asked<Answer> {
  const body = question && {
    question: { ...question, least_share: kLeastShare, most_nodes: kMostNodes },
    ...(of && { of }),
  };
  return useAsked("/api/ask", body, lane, (wire) => readAnswer(wire.answer));
}

// Lines about a node: its name, its figures, where it is.
export function describer(tree: FlameTree, metric: Metric, whole: number) {
  const blocks = tree.table.values("live_blocks");
  return (node: number): string[] => {
    const value = tree.values[node];
    const own = tree.own[node];
    const of = percent(value, whole);
    const lines = [tree.name(node), `${figure(value, metric.unit)}, ${of} of all`];
    if (metric.key === "live_bytes") lines[1] += `, ${count(blocks[node])} blocks`;
    if (own > 0 && own !== value) lines.push(`itself ${figure(own, metric.unit)}`);
    const where = place(tree.table.file(node), tree.table.number("line", node));
    const module = baseName(tree.table.text("module", node));
    if (where || module) lines.push([where, module].filter(Boolean).join("  ·  "));
    return lines;
  };
}

export function colourer(tree: FlameTree) {
  const kept = new Map<number, string>();
  return (node: number, isDark: boolean): string => {
    const key = node * 2 + (isDark ? 1 : 0);
    let colour = kept.get(key);
    if (!colour) {
      colour = moduleColour(tree.table.text("module", node), tree.name(node), isDark);
      kept.set(key, colour);
    }
    return colour;
  };
}

export function pickNode(tree: FlameTree, node: number): void {
  if (node === 0 && tree.depths[node] === 0 && !tree.table.text("module", node)) {
    select({ picked: null });
    return;
  }
  select({
    picked: {
      name: tree.name(node),
      by: "function",
      file: tree.table.file(node),
      line: tree.table.number("line", node),
      site: 0,
    },
  });
}

export function FlameView({ recording }: { recording: Recording }) {
  const selection = useSelection();
  const question = {
    ...selectedTree(selection, recording),
    tree: selection.inverted ? "bottom-up" : "top-down",
  };
  const asked = useTree(question, "flame");
  const deep = selection.zoom.length > 0;
  const inner = useTree(deep ? { ...question, path: selection.zoom } : null, "flame-zoom");
  const metric = metricOf(metricOfTree(selection));
  const outer = useMemo(
    () => (asked.value ? new FlameTree(asked.value.tree, metric.key) : null),
    [asked.value, metric.key],
  );
  // What was left out further in comes with the answer about the path alone.
  const nearer = useMemo(() => {
    const answer = deep && !inner.isWaiting ? inner.value : undefined;
    return answer && answer.tree.count > 0 ? new FlameTree(answer.tree, metric.key) : null;
  }, [deep, inner.value, inner.isWaiting, metric.key]);
  if (!asked.value || !outer) return <Waiting asked={asked} />;

  const isWaiting = asked.isWaiting || (deep && inner.isWaiting);
  const focusOut = outer.follow(selection.zoom);
  const isNearer = nearer !== null && nearer.count > 1;
  const tree = isNearer ? nearer! : outer;
  const focus = isNearer ? 0 : focusOut;
  const whole = asked.value.totals[metric.key] || outer.values[0] || 0;
  const zoomTo = (node: number) => {
    const inside = isNearer ? [...selection.zoom, ...nearer!.path(node)] : outer.path(node);
    select({ zoom: inside });
  };
  return (
    <div class="view">
      <Head selection={metricOfTree(selection)} recording={recording} asked={{ ...asked, isWaiting }}>
        <FlameTools tree={tree} whole={whole} metric={metric} />
      </Head>
      {selection.metric === "peak" && (
        <p class="note">Own peaks do not add up. This is what is live at the peak of all.</p>
      )}
      {deep && <Trail names={selection.zoom} />}
      {whole === 0 ? (
        <p class="empty">Nothing of it is here. Another moment, or fewer conditions?</p>
      ) : (
        <Flame
          tree={tree}
          focus={focus}
          metric={metric}
          whole={whole}
          zoom={zoomTo}
          zoomOut={() => select({ zoom: selection.zoom.slice(0, -1) })}
          label={selection.inverted ? "Callers of what allocates" : "Calls from the outermost"}
        />
      )}
    </div>
  );
}

interface FlameOf {
  tree: FlameTree;
  focus: number;
  metric: Metric;
  whole: number;
  zoom: (node: number) => void;
  zoomOut?: () => void;
  label: string;
  isUp?: boolean;
  colour?: (node: number, isDark: boolean) => string;
  describe?: (node: number) => string[];
}

// A tree as all views show it: found and picked boxes marked.
export function Flame(props: FlameOf) {
  const { tree, metric, whole } = props;
  const { search, picked } = useSelection();
  const isMatch = useMemo(() => matcher(tree, search), [tree, search]);
  const colour = useMemo(() => props.colour ?? colourer(tree), [tree, props.colour]);
  const describe = useMemo(
    () => props.describe ?? describer(tree, metric, whole),
    [tree, metric, whole, props.describe],
  );
  const isPicked = useMemo(
    () => (node: number) => node > 0 && picked !== null && tree.name(node) === picked.name,
    [tree, picked],
  );
  return (
    <FlameCanvas
      tree={tree}
      focus={props.focus}
      isUp={props.isUp}
      label={`${props.label}: ${bytesOr(whole, metric)} in all`}
      colour={colour}
      describe={describe}
      isMatch={isMatch}
      isPicked={isPicked}
      pick={(node) => pickNode(tree, node)}
      zoom={props.zoom}
      zoomOut={props.zoomOut}
    />
  );
}

const bytesOr = (value: number, metric: Metric) =>
  metric.unit === "bytes" ? bytes(value) : figure(value, metric.unit);

export function matcher(tree: FlameTree, search: string) {
  if (!search) return undefined;
  const wanted = search.toLowerCase();
  const isMatch = new Uint8Array(tree.count);
  for (let i = 1; i < tree.count; ++i) {
    isMatch[i] = tree.name(i).toLowerCase().includes(wanted) ? 1 : 0;
  }
  return (node: number) => isMatch[node] === 1;
}

function FlameTools({ tree, whole, metric }: { tree: FlameTree; whole: number; metric: Metric }) {
  const { search, inverted } = useSelection();
  const isMatch = useMemo(() => matcher(tree, search), [tree, search]);
  const found = isMatch ? tree.matched(isMatch) : 0;
  return (
    <>
      {search && (
        <span class="found" role="status">
          {percent(found, whole)} matches, {figure(found, metric.unit)}
        </span>
      )}
      <button
        aria-pressed={inverted}
        class={inverted ? "chosen" : ""}
        title="From the functions that allocate outwards   i"
        onClick={() => select({ inverted: !inverted, zoom: [] })}
      >
        Inverted
      </button>
    </>
  );
}

// The way to what is zoomed; each step leads back there.
export function Trail({ names }: { names: string[] }) {
  const shown = names.slice(-4);
  return (
    <nav class="trail" aria-label="Zoomed to">
      <button onClick={() => select({ zoom: [] })}>all</button>
      {names.length > shown.length && <span class="quiet">… {names.length - shown.length} more</span>}
      {shown.map((name, i) => (
        <button
          title={name}
          onClick={() => select({ zoom: names.slice(0, names.length - shown.length + i + 1) })}
        >
          {name}
        </button>
      ))}
    </nav>
  );
}
