// How far the server is with what this page waits for, as its events tell.
import { useEffect, useState } from "preact/hooks";

interface Progress {
  lane: string;
  done: number;
  total: number;
}

const kForget = 800; // ms without news: what was waited for is there, or given up

let share: number | null = null;
let timer = 0;
let heardOf = ""; // the lane that it was of
const listeners = new Set<() => void>();

function tell(next: number | null): void {
  share = next;
  for (const listener of listeners) listener();
}

export function heardProgress({ lane, done, total }: Progress): void {
  heardOf = lane;
  clearTimeout(timer);
  timer = window.setTimeout(() => tell(null), kForget);
  tell(total > 0 ? Math.min(1, done / total) : null);
}

// The answer is there, or was given up.
export function endProgress(lane: string): void {
  if (share === null || lane !== heardOf) return;
  clearTimeout(timer);
  tell(null);
}

// From 0 to 1; nothing while nobody reads.
export function useProgress(): number | null {
  const [seen, see] = useState(share);
  useEffect(() => {
    const listener = () => see(share);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return seen;
}
