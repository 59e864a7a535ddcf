// Where things are on the timeline: from times to pixels and back, and the steps of its scales.
import type { Size } from "./canvas";

export interface Frame {
  left: number; // of the plot
  right: number;
  top: number;
  bottom: number;
  callsBottom: number;
  bornTop: number;
  bornBottom: number;
  begin: number; // ns at the left
  end: number;
}

const kBelow = 42; // pixels: times, and what was allocated above them

export function frameOf(size: Size, begin: number, end: number): Frame {
  return {
    left: 76,
    right: Math.max(77, size.width - 76),
    top: 14,
    bottom: size.height - kBelow - 22,
    callsBottom: size.height - kBelow,
    bornTop: size.height - kBelow + 4,
    bornBottom: size.height - 18,
    begin,
    end,
  };
}

export const xOf = (frame: Frame, ns: number) =>
  frame.left + ((ns - frame.begin) / (frame.end - frame.begin)) * (frame.right - frame.left);

export const timeAt = (frame: Frame, x: number) =>
  frame.begin + ((x - frame.left) / (frame.right - frame.left)) * (frame.end - frame.begin);

// Steps that people count in, at most `most` of them up to `value`.
export function niceStep(value: number, most: number, base: 10 | 2): number {
  if (value <= 0) return 1;
  if (base === 2) {
    let step = 1;
    while (value / step > most) step *= 2;
    return step;
  }
  const power = 10 ** Math.floor(Math.log10(value / most));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => value / step <= most)!;
}
