// What leaves the page through the clipboard.
import type { ColumnOf } from "./rows";
import type { Table } from "./wire";

// Copies, and says so on the button for a moment.
export function copyText(event: MouseEvent, text: string): void {
  const button = event.currentTarget as HTMLElement;
  const words = button.textContent;
  const say = (what: string) => {
    button.textContent = what;
    setTimeout(() => (button.textContent = words), 1200);
  };
  navigator.clipboard?.writeText(text).then(
    () => say("Copied"),
    () => say("Not allowed"),
  );
}

function quoted(value: string | number): string {
  const text = String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// The rows as they are sorted and searched, figures exact.
export function rowsAsCsv(rows: Table, columns: ColumnOf[], order: number[]): string {
  const head = [...columns.map((column) => column.title), "file", "line", "module"];
  const lines = order.map((i) => [
    ...columns.map((column) => column.value(i)),
    rows.file(i),
    rows.number("line", i) || "",
    rows.text("module", i),
  ]);
  return [head, ...lines].map((line) => line.map(quoted).join(",")).join("\n") + "\n";
}
