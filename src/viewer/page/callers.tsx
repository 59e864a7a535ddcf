// A function with its callers above it and what it calls below: where it stands in the program.
import { h } from "preact";
import { useMemo } from "preact/hooks";
import type { Asked } from "./asked";
import { exactly } from "./filter";
import { Flame, useTree } from "./flame";
import { figure, percent } from "./format";
import { FlameTree } from "./flame_tree";
import { Head, Waiting } from "./head";
import { metricOf, metricOfTree, selectedTree, type Metric } from "./metrics";
import type { Recording } from "./recording";
import { useSelection } from "./selection";
import type { Answer } from "./wire";

export function CallersView({ recording }: { recording: Recording }) {
  const selection = useSelection();
  const name = selection.picked?.name ?? "";
  const question = { ...selectedTree(selection, recording), function: exactly(name) };
  const callers = useTree(name ? { ...question, tree: "callers" } : null, "callers");
  const callees = useTree(name ? { ...question, tree: "callees" } : null, "callees");
  const metric = metricOf(metricOfTree(selection));
  if (!name) {
    return <p class="empty">Choose a function in the flame graph or the table to see its callers.</p>;
  }
  if (!callers.value) return <Waiting asked={callers} />;
  const whole = callers.value.totals[metric.key] ?? 0;
  const through = callers.value.tree.values(metric.key)[0] ?? 0;
  return (
    <div class="view">
      <Head selection={metricOfTree(selection)} recording={recording} asked={callers}>
        <span>
          <b>{figure(through, metric.unit)}</b>, {percent(through, whole)} of it through
        </span>
        <code class="cut" title={name}>
          {name}
        </code>
      </Head>
      <div class="sandwich">
        <Half asked={callers} metric={metric} title="who calls it" isUp />
        <Half asked={callees} metric={metric} title="what it calls" />
      </div>
    </div>
  );
}

interface HalfProps {
  asked: Asked<Answer>;
  metric: Metric;
  title: string;
  isUp?: boolean;
}

function Half({ asked, metric, title, isUp }: HalfProps) {
  const tree = useMemo(
    () => (asked.value ? new FlameTree(asked.value.tree, metric.key) : null),
    [asked.value, metric.key],
  );
  return (
    <section>
      <h3 class="quiet">{title}</h3>
      {!tree ? (
        <Waiting asked={asked} />
      ) : tree.values[0] > 0 ? (
        <Flame
          tree={tree}
          focus={0}
          metric={metric}
          whole={tree.values[0]}
          zoom={() => undefined}
          label={title}
          isUp={isUp}
        />
      ) : (
        <p class="empty">Nothing of it is here.</p>
      )}
    </section>
  );
}
