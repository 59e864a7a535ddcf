// Where the page begins: the way to the answers is found, the recording asked for until it is there, and
// then the views take over.
import { h, render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { askAnew, askThrough, isOfThisTab } from "./asked";
import { snapped } from "./edges";
import { reloadWith, throughReading } from "./live";
import { heardProgress } from "./progress";
import { isReading, timeOf, type Reading, type Recording } from "./recording";
import { select, selection } from "./selection";
import { filePost, heldText, unpack, type Held } from "./one_file";
import { Failure, hearEvents, httpPost, takeToken, type Post } from "./server";
import { Shell } from "./shell";
import { applyTheme } from "./theme";
import "./page.css";

const kAskAgain = 400; // ms, while a ledger is still being read

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function readRecording(post: Post, tell: (reading: Reading) => void): Promise<Recording> {
  for (;;) {
    const answer = await post("/api/recording", {});
    if (!isReading(answer)) return answer as Recording;
    tell(answer.reading);
    await pause(kAskAgain);
  }
}

// The server ends when nobody listens any longer, so the stream of events stays open.
async function listen(token: string, heard: (event: any) => void): Promise<void> {
  for (let lost = 0; lost < 3; ++lost) {
    try {
      await hearEvents(token, heard);
    } catch {
      // The next question says what is wrong, in words.
    }
    await pause(1000);
  }
}

// `show` is called again when the index is there, and with it the edges that the cursor stands on.
async function open(
  tell: (reading: Reading) => void,
  show: (recording: Recording) => void,
): Promise<void> {
  const held = heldText();
  if (held) return show(openFile(await unpack(held)));
  const token = await takeToken();
  const post = throughReading(httpPost(token));
  askThrough(post);
  let shown: Recording | null = null;
  const indexed = async () => {
    if (!shown || shown.has_index) return;
    shown = await readRecording(post, tell);
    askAnew();
    show(shown);
  };
  // What goes on has gone on, or another reading of it was chosen.
  const reload = async () => {
    if (!shown) return;
    const before = shown.number;
    shown = await readRecording(post, tell);
    if (shown.number !== before) askAnew();
    show(shown);
  };
  reloadWith(reload);
  if (token) {
    void listen(token, (event) => {
      if (event.index) void indexed();
      if (event.grown) void reload().catch(() => undefined);
      if (event.progress && isOfThisTab(event.progress.lane)) heardProgress(event.progress);
    });
  }
  shown = await readRecording(post, tell);
  // The cursor stays with what is recorded until somebody moves it.
  if (shown.goes_on && selection().at === "peak") select({ at: "end" }, "quietly");
  show(shown);
}

function openFile(held: Held): Recording {
  askThrough(filePost(held));
  const only = held.moments.map(({ at, ns }) => ({ at, ns }));
  const recording = { ...held.recording, only };
  // A link may name a moment that is not inside; what is shown is said of the one that is.
  const inside = (moment: string) => snapped(recording, timeOf(recording, moment), 0);
  const { at, range } = selection();
  select({ at: inside(at), range: range && [inside(range[0]), inside(range[1])], filter: "" }, "quietly");
  return recording;
}

function Page() {
  const [recording, setRecording] = useState<Recording | null>(null);
  const [reading, setReading] = useState<Reading | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  useEffect(() => {
    open(setReading, setRecording).catch(setFailure);
  }, []);
  if (failure) return <Trouble failure={failure} />;
  if (!recording) return <Loading reading={reading} />;
  return <Shell recording={recording} />;
}

function Trouble({ failure }: { failure: Failure }) {
  return (
    <main class="whole">
      <h1>{failure.kind === "token" ? "Not allowed in" : "Nothing to show"}</h1>
      <p role="alert">{failure.message}</p>
    </main>
  );
}

function Loading({ reading }: { reading: Reading | null }) {
  const share = reading && reading.total > 0 ? reading.done / reading.total : 0;
  return (
    <main class="whole" aria-busy="true">
      <h1>{reading?.what || "Opening the ledger"}</h1>
      <progress max={1} value={share} aria-label="Read so far" />
      <p class="quiet">{share > 0 ? `${Math.floor(share * 100)}%` : " "}</p>
    </main>
  );
}

applyTheme();
render(<Page />, document.getElementById("page")!);
