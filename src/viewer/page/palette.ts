// Colours: of the theme, from the style sheet, and of boxes, by what they stand for. The same name has
// the same colour in every view and on every day. Hues are some that people tell apart who see few of
// them; lightness alone tells neighbours of one hue apart, in print too.

export interface Theme {
  isDark: boolean;
  text: string;
  muted: string;
  faint: string;
  line: string;
  panel: string;
  ground: string;
  live: string;
  band: string;
  rss: string;
  calls: string;
  cursor: string;
  range: string;
  found: string;
}

export function theme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue("--" + name).trim();
  return {
    isDark: colour("scheme") === "dark",
    text: colour("text"),
    muted: colour("muted"),
    faint: colour("faint"),
    line: colour("line"),
    panel: colour("panel"),
    ground: colour("ground"),
    live: colour("live"),
    band: colour("band"),
    rss: colour("rss"),
    calls: colour("calls"),
    cursor: colour("cursor"),
    range: colour("range"),
    found: colour("found"),
  };
}

function hash(text: string): number {
  let value = 2166136261;
  for (let i = 0; i < text.length; ++i) {
    value = Math.imul(value ^ text.charCodeAt(i), 16777619) >>> 0;
  }
  return value;
}

// From OKLCH, in which equal steps look equal, to what canvases of all ages take.
export function oklch(lightness: number, chroma: number, hue: number): string {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  const channels = linear.map((value) => {
    const v = Math.min(1, Math.max(0, value));
    return Math.round(255 * (v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055));
  });
  return `rgb(${channels.join(",")})`;
}

const kHues = [250, 165, 290, 25, 205, 62, 330, 130];
// What every program stands on is grey, so that colour is for the program's own.
const kGrey = /^(lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s)([-.].*)?\.so.*|ld-linux.*|linux-vdso.*|)$/;

const baseOf = (module: string) => module.slice(module.lastIndexOf("/") + 1);

// Of a box with text in it.
export function moduleColour(module: string, name: string, isDark: boolean): string {
  const own = hash(name);
  const lightness = (isDark ? 0.425 : 0.86) + ((own % 5) - 2) * 0.013;
  if (kGrey.test(baseOf(module))) return oklch(lightness, 0.012, 250);
  const hue = kHues[hash(baseOf(module)) % kHues.length] + ((own >>> 8) % 37) - 18;
  return oklch(lightness, isDark ? 0.08 : 0.065, hue);
}

// Of a bar beside text.
export function barColour(module: string, isDark: boolean): string {
  const lightness = isDark ? 0.68 : 0.57;
  if (kGrey.test(baseOf(module))) return oklch(lightness, 0.02, 250);
  return oklch(lightness, 0.125, kHues[hash(baseOf(module)) % kHues.length]);
}

// Shares of change from -1 (blue, gone) over 0 (grey) to 1 (orange, come).
export function changeColour(share: number, isDark: boolean): string {
  const size = Math.min(1, Math.sqrt(Math.abs(share)));
  const hue = share < 0 ? 250 : 55;
  return isDark
    ? oklch(0.33 + 0.2 * size, 0.01 + 0.11 * size, hue)
    : oklch(0.92 - 0.2 * size, 0.01 + 0.12 * size, hue);
}
