// The views, in the order of their tabs and digits.
import type { ComponentType } from "preact";
import { AdviceView } from "./advice";
import { BlocksView } from "./blocks";
import { CallersView } from "./callers";
import { CompareView } from "./compare";
import { FlameView } from "./flame";
import { GrowthView } from "./growth";
import { Overview } from "./overview";
import { RecordedView } from "./recorded";
import type { Recording } from "./recording";
import { RssView } from "./rss";
import { ShapesView } from "./shapes";
import { SourceView } from "./source";
import { TableView } from "./table";

export interface View {
  word: string;
  title: string;
  show: ComponentType<{ recording: Recording }>;
}

// What a page that is a file can answer.
const kInFiles = new Set(["overview", "flame", "table", "compare", "recorded"]);

// What there is where calls were counted only; and what only a run has, not the heap of one moment.
const kOfCounts = new Set(["overview", "rss", "recorded"]);
const kOfRuns = new Set(["compare", "growth", "advice"]);

export function viewsOf(recording: Recording): View[] {
  const views: View[] = [
    { word: "overview", title: "Overview", show: Overview },
    { word: "flame", title: "Flame graph", show: FlameView },
    { word: "table", title: "Table", show: TableView },
    { word: "callers", title: "Callers", show: CallersView },
    { word: "source", title: "Source", show: SourceView },
    { word: "compare", title: "Compare", show: CompareView },
    { word: "growth", title: "Growth", show: GrowthView },
    { word: "shapes", title: "Sizes & lifetimes", show: ShapesView },
    { word: "rss", title: "RSS", show: RssView },
    { word: "blocks", title: "Blocks", show: BlocksView },
    { word: "advice", title: "Advice", show: AdviceView },
    { word: "recorded", title: "Recording", show: RecordedView },
  ];
  if (recording.only_counts) return views.filter((view) => kOfCounts.has(view.word));
  if (recording.live) return views.filter((view) => !kOfRuns.has(view.word));
  if (recording.only) return views.filter((view) => kInFiles.has(view.word));
  return views.filter((view) => view.word !== "rss" || recording.rss_peak_bytes > 0);
}
