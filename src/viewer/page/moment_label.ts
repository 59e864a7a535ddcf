// A moment with its time, as lists of moments show it: "peak, 56.9 ms".
import { namedMoments } from "./edges";
import { duration } from "./format";
import { timeOf, type Recording } from "./recording";

export function momentLabel(recording: Recording, moment: string): string {
  const time = duration(timeOf(recording, moment));
  const named = namedMoments(recording).find((one) => one.moment === moment);
  return named ? `${named.title}, ${time}` : time;
}
