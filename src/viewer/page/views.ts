// The views, in the order of their tabs and digits.
import type { ComponentType } from "preact";
import { FlameView } from "./flame";
import { Overview } from "./overview";
import type { Recording } from "./recording";
import { TableView } from "./table";

export interface View {
  word: string;
  title: string;
  show: ComponentType<{ recording: Recording }>;
}

export function viewsOf(_recording: Recording): View[] {
  return [
    { word: "overview", title: "Overview", show: Overview },
    { word: "flame", title: "Flame graph", show: FlameView },
    { word: "table", title: "Table", show: TableView },
  ];
}
