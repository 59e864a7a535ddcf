// Questions of the views: asked once, kept while the page is open, and given up when the view has moved
// on. While a newer answer is under way the one before stays on the screen, so that nothing jumps.
import { useEffect, useRef, useState } from "preact/hooks";
import { endProgress } from "./progress";
import { Failure, type Post } from "./server";

let post: Post = () => Promise.reject(new Failure("lost", "Nothing was opened."));
const kept = new Map<string, Promise<unknown>>();
const kMostKept = 200;

export function askThrough(way: Post): void {
  post = way;
  kept.clear();
}

// A word of this tab: others of the same server must not give up its questions.
const kTab = Math.random().toString(36).slice(2, 8);

export const isOfThisTab = (lane: unknown) => String(lane).startsWith(kTab + " ");

const listeners = new Set<() => void>();

// The index is there: what could not be answered, or only by reading, is asked anew.
export function askAnew(): void {
  kept.clear();
  for (const listener of listeners) listener();
}

function useVersion(): number {
  const [version, setVersion] = useState(0);
  useEffect(() => {
    const listener = () => setVersion((before) => before + 1);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return version;
}

export function ask(path: string, body: object, lane?: string): Promise<unknown> {
  const key = path + JSON.stringify(body);
  let answer = kept.get(key);
  if (!answer) {
    const whole = lane ? `${kTab} ${lane}` : "";
    const asked = post(path, whole ? { ...body, lane: whole } : body);
    kept.set(key, asked);
    const ended = () => endProgress(whole);
    asked.then(ended, () => {
      if (kept.get(key) === asked) kept.delete(key);
      ended();
    });
    answer = asked;
    if (kept.size > kMostKept) kept.delete(kept.keys().next().value!);
  }
  return answer;
}

export interface Asked<T> {
  value?: T;
  failure?: Failure;
  isWaiting: boolean; // `value`, if any, is of the question before
}

const failureOf = (error: any): Failure =>
  error instanceof Failure ? error : new Failure("system", String(error?.message ?? error));

// A newer question of the same lane gives up an older one, here and in the server.
export function useAsked<T>(
  path: string,
  body: object | null,
  lane: string,
  read: (answer: any) => T,
): Asked<T> {
  const key = body && path + JSON.stringify(body);
  // What is known, and which question that is the answer to.
  const [state, setState] = useState<Asked<T> & { key?: string | null }>({ isWaiting: true });
  const version = useVersion();
  const latest = useRef(key);
  latest.current = key;
  useEffect(() => {
    if (body === null) {
      setState({ isWaiting: false, key });
      return;
    }
    setState((before) => ({ ...before, isWaiting: true }));
    const settle = (next: Asked<T>) => {
      if (latest.current === key) setState({ ...next, key });
    };
    const attempt = (again: number): Promise<void> =>
      ask(path, body, lane).then(
        (answer) => settle({ value: read(answer), isWaiting: false }),
        (error) => {
          const failure = failureOf(error);
          // Given up for a newer question, and that one for this: somebody went there and back.
          if (failure.kind !== "cancelled") settle({ failure, isWaiting: false });
          else if (latest.current === key && again > 0) return attempt(again - 1);
          return undefined;
        },
      );
    void attempt(3);
  }, [key, version]);
  // Between a new question and the moment that it is asked, too.
  return { ...state, isWaiting: body !== null && (state.isWaiting || state.key !== key) };
}
