// A view that fails says so, and leaves the rest of the page as it was.
import { h, type ComponentChildren } from "preact";
import { useEffect, useErrorBoundary } from "preact/hooks";

// `of`: what it shows; something else is tried anew.
export function Boundary({ of, children }: { of: string; children: ComponentChildren }) {
  const [error, reset] = useErrorBoundary((thrown) => reportError(thrown));
  useEffect(() => {
    if (error) reset();
  }, [of]);
  if (!error) return <div class="bounded">{children}</div>;
  return (
    <div class="empty" role="alert">
      <p>This could not be shown: {String(error?.message ?? error)}</p>
      <button onClick={reset}>Try again</button>
    </div>
  );
}
