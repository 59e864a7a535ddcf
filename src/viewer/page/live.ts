// What goes on while it is shown: which reading of it is looked at, and how the page comes to the next.
import type { Post } from "./server";

let chosen = 0; // 0: the newest
let post: Post = () => Promise.reject(new Error("Nothing was opened."));
let reload: () => Promise<void> = () => Promise.resolve();

export const chosenReading = (): number => chosen;

// Every question is about the reading that was chosen.
export function throughReading(way: Post): Post {
  post = (path, body) => way(path, chosen ? { ...body, reading: chosen } : body);
  return post;
}

export function reloadWith(way: () => Promise<void>): void {
  reload = way;
}

export function chooseReading(number: number): void {
  chosen = number;
  // It may have gone meanwhile; then the newest is as good as any.
  reload().catch(() => number && chooseReading(0));
}

// Throws Failure.
export async function setMarker(text: string): Promise<void> {
  await post("/api/marker", { text });
}
