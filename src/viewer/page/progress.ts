// How far the server is with what this page waits for, as its events tell.
import { useEffect, useState } from "preact/hooks";

interface Progress {
  done: number;
  total: number;
}

const kForget = 800; // ms without news: what was waited for is there, or given up

let share: number | null = null;
let timer = 0;
const listeners = new Set<() => void>();

function tell(next: number | null): void {
  share = next;
  for (const listener of listeners) listener();
}

export function heardProgress({ done, total }: Progress): void {
  clearTimeout(timer);
  timer = window.setTimeout(() => tell(null), kForget);
  tell(total > 0 ? Math.min(1, done / total) : null);
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
