// Where the page begins.
import { h, render } from "preact";
import "./page.css";

render(<main>Heapledger</main>, document.getElementById("page")!);
