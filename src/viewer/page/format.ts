// Figures as people read them, exactly as the command line writes them: what is on the page can be
// searched for in the text of a report, and the other way round.

export type Unit = "bytes" | "count" | "nanoseconds";

// With so many digits behind the point, and ties to even: what the command line's library does.
function fixed(value: number, digits: number): string {
  const scale = 10 ** digits;
  const below = Math.floor(value * scale);
  const isTie = (below + 0.5) / scale === value;
  return isTie && below % 2 === 0 ? (below / scale).toFixed(digits) : value.toFixed(digits);
}

// 415 B, 12.3 MiB
export function bytes(value: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  if (value < 0) return "−" + bytes(-value);
  if (value < 1024) return `${Math.round(value)} B`;
  let unit = 0;
  for (; value >= 1023.95 && unit + 1 < units.length; ++unit) value /= 1024;
  return `${fixed(value, 1)} ${units[unit]}`;
}

// 35 ns, 1.2 ms, 2 min 3 s
export function duration(ns: number): string {
  if (ns < 0) return "−" + duration(-ns);
  if (ns < 1e3) return `${Math.round(ns)} ns`;
  if (ns < 999.95e3) return `${fixed(ns / 1e3, 1)} us`;
  if (ns < 999.95e6) return `${fixed(ns / 1e6, 1)} ms`;
  if (ns < 59.995e9) return `${fixed(ns / 1e9, 2)} s`;
  const seconds = Math.floor((ns + 5e8) / 1e9);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

// 1,234,567
export function count(value: number): string {
  if (value < 0) return "−" + count(-value);
  return Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, ",");
}

// "1 block", "3 blocks", "2 processes"
export function counted(value: number, what: string, several = what + "s"): string {
  return `${count(value)} ${value === 1 ? what : several}`;
}

// 12.3%
export function percent(part: number, whole: number): string {
  if (part < 0) return "−" + percent(-part, whole);
  return whole === 0 ? "0.0%" : `${fixed((100 * part) / whole, 1)}%`;
}

export function figure(value: number, unit: Unit): string {
  if (unit === "bytes") return bytes(value);
  return unit === "nanoseconds" ? duration(value) : count(value);
}

// "+12.3 MiB", "−4", and 0 without a sign.
export function change(value: number, unit: Unit): string {
  return (value > 0 ? "+" : "") + figure(value, unit);
}

// The last part of a path.
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

// shop.cpp:35; empty without a file.
export function place(file: string, line: number): string {
  if (!file) return "";
  return line > 0 ? `${baseName(file)}:${line}` : baseName(file);
}

// A word of a shell's command line.
export function shellWord(text: string): string {
  return /^[\w./+:,@%=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

// A function's name without what it takes: enough where there is little room.
export function withoutArguments(name: string): string {
  return name.replace(/^(.*?[\w>~])\(.*$/s, "$1");
}
