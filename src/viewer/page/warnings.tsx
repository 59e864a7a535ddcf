// What people must know before they trust the figures.
import { h } from "preact";
import { gathered } from "./gathered";

export function Warnings({ warnings }: { warnings: string[] }) {
  if (warnings.length === 0) return null;
  return (
    <ul class="warnings" aria-label="Warnings">
      {gathered(warnings).map((warning) => (
        <li>{warning}</li>
      ))}
    </ul>
  );
}
