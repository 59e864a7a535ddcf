// The text of a filter as the command line takes it after --filter, and its conditions one by one. What
// a condition means is the server's to say; here they are only put together and taken apart.

// Commas inside brackets belong to a pattern: f(int, long), map<a, b>.
export function conditionsOf(filter: string): string[] {
  const conditions: string[] = [];
  let depth = 0;
  let inValue = false;
  let word = "";
  for (const c of filter) {
    if (c === "(" || (c === "<" && inValue)) ++depth;
    if ((c === ")" || (c === ">" && inValue)) && depth > 0) --depth;
    if (c === "=" || c === "<" || c === ">") inValue = true;
    if (c === "," && depth === 0) {
      conditions.push(word.trim());
      word = "";
      inValue = false;
    } else {
      word += c;
    }
  }
  conditions.push(word.trim());
  return conditions.filter((condition) => condition !== "");
}

export function withCondition(filter: string, condition: string): string {
  const conditions = conditionsOf(filter);
  return conditions.includes(condition) ? filter : [...conditions, condition].join(",");
}

export function withoutCondition(filter: string, condition: string): string {
  return conditionsOf(filter).filter((one) => one !== condition).join(",");
}

function isBalanced(name: string): boolean {
  let depth = 0;
  let inValue = 0;
  for (const c of name) {
    if (c === "(") ++depth;
    if (c === "<") ++inValue;
    if (c === ")" && --depth < 0) return false;
    if (c === ">" && --inValue < 0) return false;
  }
  return depth === 0 && inValue === 0;
}

// A pattern that only this very name fits. One with *, ? or [ has to match the whole name, so the first
// character becomes a set of one.
export function exactly(name: string): string {
  let pattern = name.replace(/[*?[\\]/g, "\\$&");
  if (!/[*?[]/.test(pattern)) pattern = pattern.replace(/^\w/, "[$&]");
  return isBalanced(name) ? pattern : pattern.replace(/[,<>()]/g, "?");
}

// The name that such a pattern was made of, for people.
export function plainCondition(condition: string): string {
  return condition.replace(/=(!?)\[(\w)\]/, "=$1$2").replace(/\\(.)/g, "$1");
}
