// The frame of the page: what was opened, what is selected, the timeline, the views and the inspector.
import { Fragment, h, type ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Boundary } from "./boundary";
import { FilterBar } from "./filter_bar";
import { Help } from "./help";
import { Inspector } from "./inspector";
import { handleKeys } from "./keys";
import { LiveBar } from "./live_bar";
import { metricsOf } from "./metrics";
import { useProgress } from "./progress";
import type { Recording } from "./recording";
import { select, useSelection } from "./selection";
import { otherTheme } from "./theme";
import { Timeline } from "./timeline";
import { viewsOf } from "./views";

export function Shell({ recording }: { recording: Recording }) {
  const selection = useSelection();
  const [helps, setHelps] = useState(false);
  const views = viewsOf(recording);
  useEffect(() => handleKeys(recording, views, () => setHelps((before) => !before)), [recording]);
  useEffect(() => {
    document.title = `${recording.title} – Heapledger`;
  }, [recording]);
  const view = views.find((one) => one.word === selection.view) ?? views[0];
  return (
    <>
      <header class="top">
        <h1 title={recording.command}>
          {recording.title} <span class="quiet">{recording.command}</span>
        </h1>
        {recording.only ? <span class="spring" /> : <FilterBar recording={recording} />}
        <Search />
        <button onClick={otherTheme} aria-label="Dark or light" title="Dark or light">
          ◐
        </button>
        <button onClick={() => setHelps(true)} aria-label="Keys" title="Keys   ?">
          ?
        </button>
      </header>
      <LiveBar recording={recording} />
      <Timeline recording={recording} />
      <Tabs recording={recording}>
        {views.map((one, i) => (
          <button
            key={one.word}
            role="tab"
            id={`tab-${one.word}`}
            aria-selected={one === view}
            aria-controls="view"
            tabIndex={one === view ? 0 : -1}
            title={i < 9 ? `${one.title}   ${i + 1}` : one.title}
            onClick={() => select({ view: one.word })}
          >
            {one.title}
          </button>
        ))}
      </Tabs>
      <Reading />
      <div class="body">
        <main>
          <div id="view" role="tabpanel" aria-labelledby={`tab-${view.word}`} tabIndex={-1}>
            <Boundary of={location.search}>
              <view.show recording={recording} />
            </Boundary>
          </div>
        </main>
        <Boundary of={location.search}>
          <Inspector recording={recording} />
        </Boundary>
      </div>
      {helps && <Help close={() => setHelps(false)} />}
    </>
  );
}

function Tabs(props: { recording: Recording; children: ComponentChildren }) {
  const { recording, children } = props;
  const { metric, range } = useSelection();
  return (
    <nav class="tabs">
      <div role="tablist" aria-label="Views" onKeyDown={moveTab}>
        {children}
      </div>
      <span class="spring" />
      <label>
        <span class="quiet">measure</span>{" "}
        <select
          id="metric"
          value={metric}
          aria-label="Measure"
          onChange={(event) => select({ metric: event.currentTarget.value, sort: "" })}
        >
          {metricsOf(recording).map((one) => (
            <option value={one.word} title={one.help} disabled={one.word === "grown" && !range}>
              {one.title}
            </option>
          ))}
        </select>
      </label>
    </nav>
  );
}

// Arrows go from tab to tab, as people with screen readers expect.
function moveTab(event: KeyboardEvent): void {
  const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
  if (step === 0) return;
  const tabs = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>("[role=tab]")];
  const next = tabs[tabs.indexOf(document.activeElement as HTMLElement) + step];
  if (!next) return;
  event.preventDefault();
  event.stopPropagation();
  next.focus();
  next.click();
}

// A thin line while the ledger is read for an answer that the index does not have.
function Reading() {
  const share = useProgress();
  return (
    <div class="reading" hidden={share === null}>
      <div style={{ width: `${100 * (share ?? 0)}%` }} />
    </div>
  );
}

function Search() {
  const { search } = useSelection();
  return (
    <input
      id="search"
      type="search"
      value={search}
      placeholder="search   /"
      aria-label="Search for names"
      onInput={(event) => select({ search: event.currentTarget.value }, "quietly")}
    />
  );
}
