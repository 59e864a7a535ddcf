// Threads by name, and with their numbers where several have the same.
import { exactly } from "./filter";
import type { Recording } from "./recording";

export function threadName(recording: Recording, place: number): string {
  const thread = recording.threads[place];
  if (!thread) return "";
  const same = recording.threads.filter((one) => one.name === thread.name);
  return same.length > 1 || !thread.name ? `${thread.name} #${thread.tid}`.trim() : thread.name;
}

// What a filter says of such a name.
export function threadPattern(name: string): string {
  return /#(\d+)$/.exec(name)?.[1] ?? exactly(name);
}
