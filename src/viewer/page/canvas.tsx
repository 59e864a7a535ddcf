// A canvas as large as the space it has, sharp on every screen, drawn anew when its size, the theme or
// what it shows changes.
import { h } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

export interface Size {
  width: number;
  height: number;
}

// The size of an element, as it changes.
export function useSize<E extends HTMLElement>(): [{ current: E | null }, Size] {
  const ref = useRef<E>(null);
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const look = () => {
      const { clientWidth: width, clientHeight: height } = element;
      setSize((before) =>
        before.width === width && before.height === height ? before : { width, height },
      );
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, size];
}

// Changes whenever colours do.
export function useScheme(): number {
  const [version, setVersion] = useState(0);
  useEffect(() => {
    const changed = () => setVersion((before) => before + 1);
    const query = matchMedia("(prefers-color-scheme: dark)");
    query.addEventListener("change", changed);
    addEventListener("heapledger-theme", changed);
    return () => {
      query.removeEventListener("change", changed);
      removeEventListener("heapledger-theme", changed);
    };
  }, []);
  return version;
}

export type Draw = (context: CanvasRenderingContext2D, size: Size) => void;

// `draw` is called with a clean canvas, whenever one of `of` has changed.
export function Canvas(props: { size: Size; draw: Draw; of: unknown[]; class?: string }) {
  const ref = useRef<HTMLCanvasElement>(null);
  const scheme = useScheme();
  const { width, height } = props.size;
  useLayoutEffect(() => {
    const canvas = ref.current;
    const context = canvas?.getContext("2d");
    if (!canvas || !context || width === 0 || height === 0) return;
    const ratio = devicePixelRatio || 1;
    const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== across || canvas.height !== down) {
      canvas.width = across;
      canvas.height = down;
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    props.draw(context, props.size);
  }, [width, height, scheme, ...props.of]);
  const style = { width: `${width}px`, height: `${height}px` };
  return <canvas ref={ref} class={props.class} style={style} aria-hidden="true" />;
}

export const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
