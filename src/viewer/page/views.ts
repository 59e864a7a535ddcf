// The views, in the order of their tabs and digits.
import type { ComponentType } from "preact";
import { AdviceView } from "./advice";
import { BlocksView } from "./blocks";
import { CallersView } from "./callers";
import { CohortsView } from "./cohorts";
import { CompareView } from "./compare";
import { FlameView } from "./flame";
import { GrowthView } from "./growth";
import { MapView } from "./map";
import { Overview } from "./overview";
import { ProcessesView } from "./processes";
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
const kInFiles = new Set(["overview", "flame", "table", "compare", "processes", "recorded"]);

// What there is where calls were counted only; and what only a run has, not the heap of one moment.
const kOfCounts = new Set(["overview", "rss", "processes", "recorded"]);
const kOfRuns = new Set(["compare", "growth", "cohorts", "map", "advice"]);

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
    { word: "cohorts", title: "Cohorts", show: CohortsView },
    { word: "rss", title: "RSS", show: RssView },
    { word: "blocks", title: "Blocks", show: BlocksView },
    { word: "map", title: "Map", show: MapView },
    { word: "processes", title: "Processes", show: ProcessesView },
    { word: "advice", title: "Advice", show: AdviceView },
    { word: "recorded", title: "Recording", show: RecordedView },
  ];
  const isThere = ({ word }: View): boolean => {
    if (word === "processes" && recording.processes.length < 2) return false;
    if (recording.only_counts) return kOfCounts.has(word);
    if (recording.live && recording.earlier && word === "compare") return true;
    if (recording.live) return !kOfRuns.has(word);
    if (recording.only) return kInFiles.has(word);
    return word !== "rss" || recording.rss_peak_bytes > 0;
  };
  return views.filter(isThere);
}
