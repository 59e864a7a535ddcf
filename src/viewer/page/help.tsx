// The keys, on a card.
import { h } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { kKeys } from "./keys";

export function Help({ close }: { close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} onClose={close} onClick={() => dialog.current?.close()} aria-label="Keys">
      <h2>Keys</h2>
      <dl>
        {kKeys.map(([keys, what]) => (
          <div>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <button autofocus>Close</button>
    </dialog>
  );
}
