// From classes of sizes and lifetimes, by their names, to the conditions of a filter that select them.

// What the names of classes say: "under 1 us", "16 B to <32 B", "10 min and more", "1 B".
function lowerBound(name: string): string {
  return /^(.+) (?:to <.+|and more)$/.exec(name)?.[1] ?? "";
}

function upperBound(name: string): string {
  return /^(?:.+ to <|under )(.+)$/.exec(name)?.[1] ?? "";
}

const isOne = (name: string) => !/^under | to <| and more$/.test(name);

// Whatever lives longest is never freed, so that a range which ends before has to say so.
function upperCondition(key: string, last: string): string {
  if (last === "never freed") return "";
  if (isOne(last)) return `${key}<=${last}`;
  const bound = upperBound(last);
  if (bound) return `${key}<${bound}`;
  return key === "lifetime" ? "lifetime<never" : "";
}

export function classConditions(key: string, first: string, last: string): string[] {
  if (first === "never freed") return [`${key}=never`];
  if (isOne(first) && first === last) return [`${key}=${first}`.replaceAll(" ", "")];
  const least = isOne(first) ? first : lowerBound(first);
  return [least && `${key}>=${least}`, upperCondition(key, last)]
    .filter((condition) => condition !== "")
    .map((condition) => condition.replaceAll(" ", ""));
}
