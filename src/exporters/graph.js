// What a call graph does when it is looked at in a browser: it fills the window, the wheel or + and
// - zoom, dragging or the arrow keys move it, and a double click or 0 shows all of it again.
(function () {
  'use strict';

  const svg = document.documentElement;
  const whole = svg.viewBox.baseVal;
  const all = { x: whole.x, y: whole.y, width: whole.width, height: whole.height };
  const POINT = 96 / 72;  // graphviz measures in points
  let seen = null;        // the part that is shown
  let held = null;        // where it is dragged from

  function show(part) {
    seen = part;
    svg.setAttribute('viewBox', `${part.x} ${part.y} ${part.width} ${part.height}`);
  }

  // All of it; what is smaller than the window is not made larger.
  function showAll() {
    const scale = Math.min(window.innerWidth / all.width, window.innerHeight / all.height, POINT);
    const width = window.innerWidth / scale;
    const height = window.innerHeight / scale;
    show({ x: all.x - (width - all.width) / 2, y: all.y - Math.max((height - all.height) / 2, 0) / 4,
           width, height });
  }

  function zoom(factor, x, y) {
    const width = Math.min(Math.max(seen.width * factor, 40), all.width * 8);
    const real = width / seen.width;
    const atX = seen.x + seen.width * x / window.innerWidth;
    const atY = seen.y + seen.height * y / window.innerHeight;
    show({ x: atX - (atX - seen.x) * real, y: atY - (atY - seen.y) * real,
           width, height: seen.height * real });
  }

  function move(x, y) {
    show({ ...seen, x: seen.x + x * seen.width / window.innerWidth,
           y: seen.y + y * seen.height / window.innerHeight });
  }

  const STEP = 60;
  const KEYS = {
    '+': () => zoom(0.8, window.innerWidth / 2, window.innerHeight / 2),
    '=': () => KEYS['+'](),
    '-': () => zoom(1.25, window.innerWidth / 2, window.innerHeight / 2),
    0: showAll,
    ArrowLeft: () => move(-STEP, 0),
    ArrowRight: () => move(STEP, 0),
    ArrowUp: () => move(0, -STEP),
    ArrowDown: () => move(0, STEP),
  };

  svg.setAttribute('width', '100%');
  svg.setAttribute('height', '100%');
  svg.style.cursor = 'grab';
  showAll();
  window.addEventListener('resize', showAll);
  window.addEventListener('wheel', (event) => {
    event.preventDefault();
    zoom(Math.exp(event.deltaY * 0.0015), event.clientX, event.clientY);
  }, { passive: false });
  window.addEventListener('pointerdown', (event) => {
    held = { x: event.clientX, y: event.clientY };
    svg.style.cursor = 'grabbing';
    event.preventDefault();
  });
  window.addEventListener('pointermove', (event) => {
    if (!held) return;
    move(held.x - event.clientX, held.y - event.clientY);
    held = { x: event.clientX, y: event.clientY };
  });
  window.addEventListener('pointerup', () => {
    held = null;
    svg.style.cursor = 'grab';
  });
  window.addEventListener('dblclick', showAll);
  window.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
    event.preventDefault();
    KEYS[event.key]();
  });
})();
