// By what is compared, and whether as a table or as a picture.
import { Fragment, h } from "preact";
import { select } from "./selection";
import { kGroupTitles } from "./table";

interface CompareToolsProps {
  groups: string[];
  by: string;
  isFlame: boolean;
  setFlame: (isFlame: boolean) => void;
}

export function CompareTools({ groups, by, isFlame, setFlame }: CompareToolsProps) {
  return (
    <>
      {!isFlame && (
        <select value={by} aria-label="Group by" onChange={(e) => select({ by: e.currentTarget.value })}>
          {groups.map((group) => (
            <option value={group}>{kGroupTitles[group] ?? group}</option>
          ))}
        </select>
      )}
      <button aria-pressed={isFlame} class={isFlame ? "chosen" : ""} onClick={() => setFlame(!isFlame)}>
        Flame graph
      </button>
    </>
  );
}
