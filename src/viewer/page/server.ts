// The way to the analyzer: one function, post(), that asks the server, or the file that the page is. The
// token comes in the URL's fragment and is moved to the session's storage at once, so that it is in no
// address that anybody copies.

export class Failure extends Error {
  constructor(
    readonly kind: "question" | "data" | "system" | "cancelled" | "lost" | "token",
    text: string,
  ) {
    super(text);
  }
}

export type Post = (path: string, body: object) => Promise<unknown>;

const kTokenName = "heapledger-token";

export async function takeToken(): Promise<string> {
  const fragment = location.hash.slice(1);
  history.replaceState(history.state, "", location.pathname + location.search);
  const token = fragment || sessionStorage.getItem(kTokenName) || (await tokenOfAnotherTab());
  if (token) {
    sessionStorage.setItem(kTokenName, token);
    tellOtherTabs(token);
  }
  return token;
}

// A tab that is opened by a link has no fragment. Those that are open already hear what it asks, and only
// pages of this very server do.
const kWait = 400; // ms

function tokenOfAnotherTab(): Promise<string> {
  const channel = new BroadcastChannel(kTokenName);
  return new Promise((resolve) => {
    const end = (token: string) => {
      channel.close();
      resolve(token);
    };
    channel.onmessage = (event) => event.data.token && end(event.data.token);
    channel.postMessage({ wanted: true });
    setTimeout(() => end(""), kWait);
  });
}

function tellOtherTabs(token: string): void {
  const channel = new BroadcastChannel(kTokenName);
  channel.onmessage = (event) => event.data.wanted && channel.postMessage({ token });
}

// What goes wrong on the way, in words with what to do.
const kLost = "The server has ended. Run heapledger view again, and open the address that it prints.";
const kNoToken =
  "This page was opened without its token. Open the whole address that heapledger view printed, " +
  "with what comes after the #.";

export function httpPost(token: string): Post {
  return async (path, body) => {
    const response = await request(token, path, body);
    const answer = await response.json().catch(() => null);
    if (response.ok && answer !== null) return answer;
    const error = answer?.error;
    throw new Failure(error?.kind ?? "system", error?.text ?? `${path}: ${response.status}`);
  };
}

async function request(token: string, path: string, body: object): Promise<Response> {
  if (!token) throw new Failure("token", kNoToken);
  let response: Response;
  try {
    response = await fetch(path, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  } catch {
    throw new Failure("lost", kLost);
  }
  if (response.status === 401 || response.status === 403) throw new Failure("token", kNoToken);
  return response;
}

// Calls `heard` with each line of the stream of events until it ends.
export async function hearEvents(token: string, heard: (event: any) => void): Promise<void> {
  const response = await request(token, "/api/events", {});
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const part = await reader?.read();
    if (!part || part.done) return;
    const lines = (rest + part.value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim()) heard(JSON.parse(line));
  }
}
