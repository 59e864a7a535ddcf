// The page as one file to send: the answers are inside, packed, and nothing is asked of anybody. They are
// those of the moments that have names and of some between them; the cursor goes to the nearest of these.
import { timeOf, type Recording } from "./recording";
import { Failure, type Post } from "./server";
import type { WireAnswer } from "./wire";

export interface HeldMoment {
  at: string;
  ns: number;
  answers: Record<string, WireAnswer>; // "tree", "owner", "function", …
}

export interface Held {
  recording: Recording;
  moments: HeldMoment[];
  whole: Record<string, WireAnswer>;
}

// The block that a server put into the page; nothing when it comes from one.
export function heldText(): string {
  return document.getElementById("recording")?.textContent?.trim() ?? "";
}

export async function unpack(text: string): Promise<Held> {
  if (text.startsWith("{")) return JSON.parse(text);
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

const kNotInside =
  "This is not in the file: it has the moments on the timeline, without filters, sources and ranges. " +
  "heapledger view shows all of it from the ledger.";

function refuse(): never {
  throw new Failure("question", kNotInside);
}

// The moment whose answers are inside, nearest to the one that is asked for.
export function nearest(held: Held, ns: number): HeldMoment | undefined {
  let best: HeldMoment | undefined;
  for (const moment of held.moments) {
    if (!best || Math.abs(moment.ns - ns) < Math.abs(best.ns - ns)) best = moment;
  }
  return best;
}

const kOfRun = new Set(["bytes", "calls", "temporary", "reallocs", "freed", "peak"]);

function answerTo(held: Held, question: Record<string, any>): WireAnswer {
  if (question.filter || question.between || question.path || question.function) refuse();
  const name = question.tree && question.tree !== "none" ? treeName(question.tree) : question.by;
  if (kOfRun.has(question.sort) && held.whole[name]) return held.whole[name];
  const moment = nearest(held, timeOf(held.recording, question.at ?? "peak"));
  if (name === "nothing") {
    const any = moment && Object.values(moment.answers)[0];
    return any ? { ...any, rows: undefined, tree: undefined } : refuse();
  }
  return moment?.answers[name] ?? refuse();
}

const treeName = (shape: string) => (shape === "bottom-up" ? "bottom-up" : "tree");

export function filePost(held: Held): Post {
  return async (path, body: any) => {
    if (path === "/api/recording") return held.recording;
    if (path === "/api/ask") return { answer: answerTo(held, body.question), from: "file" };
    return refuse();
  };
}
