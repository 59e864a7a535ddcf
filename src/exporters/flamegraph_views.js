// The stacks that a flame graph brings with it, and what can be drawn of them: any of the metrics,
// from the outermost functions inwards or from those that allocate to their callers.

// A promise of the stacks; of null where the browser cannot unpack them.
async function readStacks(element) {
  if (!element || typeof DecompressionStream === 'undefined') return null;
  const bytes = Uint8Array.from(atob(element.textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  const data = await new Response(stream).json();
  // Node 0 is everything; parents come before their children.
  const count = data.nodes.length / 2 + 1;
  const names = new Int32Array(count).fill(-1);
  const parents = new Int32Array(count);
  for (let node = 1; node < count; ++node) {
    let parent = node - 1;
    for (let up = data.nodes[2 * node - 1]; up > 0; --up) parent = parents[parent];
    names[node] = data.nodes[2 * node - 2];
    parents[node] = parent;
  }
  const step = 2 + data.metrics.length;
  const stacks = [];
  for (let at = 0, node = 0; at < data.stacks.length; at += step) {
    node += data.stacks[at];
    let owner = node;
    for (let inside = data.stacks[at + 1]; inside > 0; --inside) owner = parents[owner];
    stacks.push({ node, owner, values: data.stacks.slice(at + 2, at + step) });
  }
  return { names, parents, stacks, functions: data.names, metrics: data.metrics,
           totals: data.totals, least: data.least, cut: data.cut };
}

// One view: its frames as the picture has them, and a search over all of it.
function makeView(all, metric, inverted) {
  const MOST = 40000;
  const total = all.totals[metric];
  const sums = new Float64Array(all.names.length);
  for (const stack of all.stacks) sums[stack.node] += stack.values[metric];
  for (let node = sums.length - 1; node > 0; --node) sums[all.parents[node]] += sums[node];
  sums[0] = total;

  // What a frame has inside, the largest first. A frame is a node, or inverted: a list of nodes that
  // stacks have reached on their way outwards, each with what it brings.
  let next;
  let first;
  if (inverted) {
    first = all.stacks.map((stack) => [stack.owner, stack.values[metric]]).filter((one) => one[1] > 0);
    next = (reached) => {
      const groups = new Map();
      for (const [node, value] of reached) {
        if (node === 0) continue;
        const group = groups.get(all.names[node]) ||
            { name: all.names[node], value: 0, inside: [] };
        groups.set(group.name, group);
        group.value += value;
        group.inside.push([all.parents[node], value]);
      }
      return [...groups.values()];
    };
  } else {
    const children = [];
    for (let node = 1; node < all.names.length; ++node) {
      if (sums[node] > 0) (children[all.parents[node]] ||= []).push(node);
    }
    first = 0;
    next = (node) => (children[node] || []).map(
        (child) => ({ name: all.names[child], value: sums[child], inside: child }));
  }

  function place(least) {
    const frames = [];
    const waiting = [{ name: -1, value: total, inside: first, begin: 0, depth: 0 }];
    while (waiting.length > 0 && frames.length <= MOST) {
      const frame = waiting.pop();
      frames.push(frame);
      if (frame.smaller) continue;
      const inside = next(frame.inside).sort((a, b) => b.value - a.value);
      const drawn = [];
      let begin = frame.begin;
      let narrow = 0;
      let room = 0;
      for (const child of inside) {
        if (child.value >= least) {
          drawn.push(Object.assign(child, { begin, depth: frame.depth + 1 }));
          begin += child.value;
        } else {
          ++narrow;
          room += child.value;
        }
      }
      if (room >= least) drawn.push({ value: room, smaller: narrow, begin, depth: frame.depth + 1 });
      waiting.push(...drawn.reverse());
    }
    return frames;
  }

  function draw() {
    let least = Math.max(all.least * total, 1);
    let frames = place(least);
    while (frames.length > MOST) {
      least *= 2;
      frames = place(least);
    }
    return frames;
  }

  // What is on stacks with a function that matches, each stack once.
  function find(matches) {
    const hits = all.functions.map((one) => matches(one[0]));
    const below = new Uint8Array(all.names.length);
    for (let node = 1; node < below.length; ++node) {
      below[node] = below[all.parents[node]] || (hits[all.names[node]] ? 1 : 0);
    }
    let sum = 0;
    for (const stack of all.stacks) {
      if (below[inverted ? stack.owner : stack.node]) sum += stack.values[metric];
    }
    return sum;
  }

  return { total, draw, find };
}
