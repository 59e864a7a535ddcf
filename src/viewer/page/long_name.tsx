// A name that may be too long for its place: what is cut is the scope that it stands in and what it
// takes, not the name itself, which tells one row from the next.
import { Fragment, h } from "preact";

// "a::b<c::d>::", "f", "(g::h)".
export function partsOfName(text: string): [string, string, string] {
  let depth = 0;
  let begin = 0;
  for (let i = 0; i < text.length; ++i) {
    if ("<([{".includes(text[i])) ++depth;
    else if (">)]}".includes(text[i])) --depth;
    else if (depth === 0 && text.startsWith("::", i)) begin = i + 2;
  }
  const own = /^(?:operator(?:\(\)|[^\s\w(]+|\s[\w ]+)|[^<(]+)/.exec(text.slice(begin))?.[0];
  const end = own === undefined ? text.length : begin + own.length;
  return [text.slice(0, begin), text.slice(begin, end), text.slice(end)];
}

export function LongName({ text }: { text: string }) {
  const [scope, name, rest] = partsOfName(text);
  return (
    <>
      {scope && <span class="scope mono">{scope}</span>}
      <span class="own mono">{name}</span>
      {rest && <span class="rest mono">{rest}</span>}
    </>
  );
}
