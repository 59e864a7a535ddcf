// Advice: what the code could do better, a card for each, with its evidence; each leads to its place.
import { h } from "preact";
import { useAsked } from "./asked";
import { bytes, count, place, withoutArguments } from "./format";
import { Waiting } from "./head";
import type { Recording } from "./recording";
import { select } from "./selection";
import { rememberFiles } from "./wire";

interface Card {
  rule: string;
  title?: string;
  what: string;
  evidence: string;
  advice: string;
  function: string;
  file: number | string;
  line: number;
  saved?: { calls?: number; bytes?: number; peak_bytes?: number };
}

interface Cards {
  cards: Card[];
  files: Record<string, string>;
}

export function AdviceView({}: { recording: Recording }) {
  const asked = useAsked("/api/advice", {}, "advice", (wire): Cards => {
    rememberFiles(wire.files ?? {});
    return { cards: wire.cards ?? [], files: wire.files ?? {} };
  });
  if (!asked.value) return <Waiting asked={asked} />;
  const { cards, files } = asked.value;
  if (cards.length === 0) return <p class="empty">No advice: none of the rules found anything.</p>;
  return (
    <div class="view">
      <div class="head">
        <h2>
          <b class="total">{cards.length === 1 ? "1 piece" : `${count(cards.length)} pieces`} of advice</b>{" "}
          <span class="when">of the whole run, by rules; the largest first</span>
        </h2>
      </div>
      <div class="scrolled cards">
        {cards.map((card) => (
          <CardOf card={card} file={typeof card.file === "string" ? card.file : (files[card.file] ?? "")} />
        ))}
      </div>
    </div>
  );
}

function CardOf({ card, file }: { card: Card; file: string }) {
  const picked = { name: card.function, by: "owner", file, line: card.line, site: 0 };
  const { calls = 0, bytes: asked = 0, peak_bytes: peak = 0 } = card.saved ?? {};
  const saved = [
    calls > 0 && `${count(calls)} calls`,
    asked > 0 && `${bytes(asked)} allocated`,
    peak > 0 && `${bytes(peak)} of the peak`,
  ].filter(Boolean);
  return (
    <article>
      <header>
        <b>{card.title || card.rule}</b>
        <button class="link mono" title={card.function} onClick={() => select({ picked })}>
          {place(file, card.line) || withoutArguments(card.function)}
        </button>
      </header>
      <p>{card.what}</p>
      {card.evidence && <p class="quiet">{card.evidence}</p>}
      <p>{card.advice}</p>
      {saved.length > 0 && <p class="quiet">would save {saved.join(", ")}</p>}
    </article>
  );
}
