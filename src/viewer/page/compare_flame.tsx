// The calls of two moments, or of two recordings, in one picture: boxes as wide as what they have in the later
// one, or in the earlier one, coloured by what came and what went.
import { Fragment, h } from "preact";
import { useMemo, useState } from "preact/hooks";
import { Flame, Trail, useTree } from "./flame";
import { FlameTree } from "./flame_tree";
import { bytes, change } from "./format";
import { Waiting } from "./head";
import { kMetrics, momentOf, scopeOf } from "./metrics";
import { changeColour } from "./palette";
import type { Recording } from "./recording";
import { select, useSelection } from "./selection";

// For each node of `tree` what the other tree has at the same path.
function matchesIn(tree: FlameTree, other: FlameTree): Float64Array {
  const places = new Int32Array(tree.count).fill(-1);
  const values = new Float64Array(tree.count);
  const named = other.children.map((children) => {
    const names = new Map<string, number>();
    for (const child of children) names.set(other.name(child), child);
    return names;
  });
  for (let i = 0; i < tree.count; ++i) {
    const parent = places[tree.parents[i]];
    if (i === 0) places[i] = other.count > 0 ? 0 : -1;
    else places[i] = parent < 0 ? -1 : (named[parent].get(tree.name(i)) ?? -1);
    if (places[i] >= 0) values[i] = other.values[places[i]];
  }
  return values;
}

interface Side {
  at: string;
  of?: string; // another recording
}

export function CompareFlame(props: { recording: Recording; before: Side; after: Side }) {
  const { recording } = props;
  const selection = useSelection();
  const [isOfAfter, setOfAfter] = useState(true);
  const question = (at: string) => ({
    at: momentOf(selection, recording, at),
    sort: "live",
    tree: selection.inverted ? "bottom-up" : "top-down",
    ...scopeOf(selection),
  });
  const before = useTree(question(props.before.at), "before-tree", props.before.of);
  const after = useTree(question(props.after.at), "after-tree", props.after.of);
  const trees = useMemo(() => {
    if (!before.value || !after.value) return null;
    const one = new FlameTree(before.value.tree, "live_bytes");
    const two = new FlameTree(after.value.tree, "live_bytes");
    const tree = isOfAfter ? two : one;
    return { tree, others: matchesIn(tree, isOfAfter ? one : two) };
  }, [before.value, after.value, isOfAfter]);
  if (!trees) return <Waiting asked={before.value ? after : before} />;
  const { tree, others } = trees;
  const grown = (node: number) => (tree.values[node] - others[node]) * (isOfAfter ? 1 : -1);
  let most = 1;
  for (let i = 0; i < tree.count; ++i) most = Math.max(most, Math.abs(grown(i)));
  const describe = (node: number) => {
    const [x, y] = isOfAfter ? [others[node], tree.values[node]] : [tree.values[node], others[node]];
    return [tree.name(node), `${change(y - x, "bytes")}: from ${bytes(x)} to ${bytes(y)}`];
  };
  return (
    <>
      <p class="note">
        <span class="more">orange</span> has come, <span class="less">blue</span> has gone; as wide as{" "}
        <button class={isOfAfter ? "chosen" : ""} onClick={() => setOfAfter(true)}>
          after
        </button>{" "}
        <button class={isOfAfter ? "" : "chosen"} onClick={() => setOfAfter(false)}>
          before
        </button>
      </p>
      {selection.zoom.length > 0 && <Trail names={selection.zoom} />}
      <Flame
        tree={tree}
        focus={tree.follow(selection.zoom)}
        metric={kMetrics[0]}
        whole={tree.values[0]}
        zoom={(node) => select({ zoom: tree.path(node) })}
        zoomOut={() => select({ zoom: selection.zoom.slice(0, -1) })}
        label={`Changes of ${recording.title}`}
        colour={(node, isDark) => changeColour(grown(node) / most, isDark)}
        describe={describe}
      />
    </>
  );
}
