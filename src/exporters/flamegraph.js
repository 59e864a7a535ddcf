// What a flame graph does when it is looked at in a browser: frames widen when they are clicked,
// names can be searched for, and the picture is as wide as the window. The names in it are only ever
// read and written as text.
(function () {
  'use strict';

  const SVG = 'http://www.w3.org/2000/svg';
  const XHTML = 'http://www.w3.org/1999/xhtml';
  const ROW = 18;         // as in the picture itself
  const MARGIN = 12;
  const CHARACTER = 7.23;  // the width of one, in the font of the frames
  const NARROWEST = 0.4;

  const svg = document.querySelector('svg.flamegraph');
  const body = svg.querySelector('.frames');
  const detail = svg.querySelector('.detail');
  const matched = svg.querySelector('.matched');
  let unit = svg.getAttribute('data-unit');
  const fixedWidth = svg.hasAttribute('data-fixed');

  // One object for each frame, outer ones first; also for the room of frames that are too narrow.
  let frames;
  let everything;
  let frameOfElement;
  let rows;
  function adoptFrames() {
    frames = Array.from(body.children, (element) => {
      const lines = element.querySelector('title').textContent.split('\n');
      return {
        element,
        box: element.querySelector('rect'),
        label: element.querySelector('text'),
        isRoom: element.classList.contains('rest'),
        name: lines[0],
        detail: lines.join('  ·  '),
        begin: Number(element.getAttribute('data-begin')),
        value: Number(element.getAttribute('data-value')),
        depth: Number(element.getAttribute('data-depth')),
      };
    });
    everything = frames[0];
    frameOfElement = new Map(frames.map((frame) => [frame.element, frame]));
    rows = frames.reduce((most, frame) => Math.max(most, frame.depth + 1), 0);
  }
  adoptFrames();
  if (!everything) return;

  // All stacks, when they are unpacked, and the view of them that is drawn.
  let stacks = null;
  let view = null;

  let width = Number(svg.getAttribute('width'));
  let zoomed = everything;
  let chosen = null;  // with the keyboard
  const before = [];  // what was zoomed before
  let room = 400;     // of the controls

  function valueText(value) {
    if (unit === 'calls' || unit === 'blocks') {
      return value.toLocaleString('en-US') + ' ' + (value === 1 ? unit.slice(0, -1) : unit);
    }
    const units = unit === 'bytes' ? ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] : ['ns', 'us', 'ms', 's'];
    const step = unit === 'bytes' ? 1024 : 1000;
    if (value < step) return value + ' ' + units[0];
    let at = 0;
    while (value >= step - 0.05 && at + 1 < units.length) {
      value /= step;
      ++at;
    }
    return value.toFixed(1) + ' ' + units[at];
  }

  function shareText(value) {
    return (100 * value / everything.value).toFixed(1) + '%';
  }

  function isWide(character) {
    return character.codePointAt(0) >= 0x1100;
  }

  // As much of a name as fits.
  function fitted(name, room) {
    let left = Math.floor((room - 6) / CHARACTER);
    if (left < 2) return '';
    let text = '';
    for (const character of name) {
      left -= isWide(character) ? 2 : 1;
      if (left < 0) return Array.from(text).slice(0, -1).join('') + '…';
      text += character;
    }
    return text;
  }

  function contains(outer, inner) {
    return outer.depth <= inner.depth && outer.begin <= inner.begin &&
        outer.begin + outer.value >= inner.begin + inner.value;
  }

  function placeFrame(frame) {
    const inside = contains(zoomed, frame);
    const outer = !inside && contains(frame, zoomed);
    const whole = width - 2 * MARGIN;
    const scale = whole / zoomed.value;
    const x = outer ? 0 : (frame.begin - zoomed.begin) * scale;
    const wide = outer ? whole : frame.value * scale;
    frame.shown = (inside || outer) && wide >= NARROWEST;
    frame.element.style.display = frame.shown ? '' : 'none';
    if (!frame.shown) return;
    frame.element.classList.toggle('outer', outer);
    frame.box.setAttribute('x', (MARGIN + x).toFixed(2));
    frame.box.setAttribute('width', Math.max(wide - 1, NARROWEST).toFixed(2));
    frame.label.setAttribute('x', (MARGIN + x + 3).toFixed(2));
    frame.label.textContent = fitted(frame.name, wide);
  }

  // The names of the modules, in as many rows as they need; returns where they end.
  function placeKeys(y) {
    let x = MARGIN;
    const keys = svg.querySelectorAll('.key');
    keys.forEach((key) => {
      const length = key.querySelector('text').getComputedTextLength() + 18 + 16;
      if (x + length > width - MARGIN && x > MARGIN) {
        x = MARGIN;
        y += ROW;
      }
      key.setAttribute('transform', `translate(${x},${y})`);
      x += length;
    });
    return keys.length > 0 ? y + ROW : y;
  }

  function shortened(element, room) {
    element.textContent = element.whole;
    let text = Array.from(element.whole);
    while (text.length > 1 && element.getComputedTextLength() > room) {
      text = text.slice(0, Math.min(text.length - 1, Math.ceil(text.length * 0.95)));
      element.textContent = text.join('') + '…';
    }
  }

  function say(element, text) {
    element.whole = text;
    const other = element === detail ? matched.getComputedTextLength() + 24 : 0;
    shortened(element, width - 2 * MARGIN - other);
  }

  function layOut() {
    if (!fixedWidth) width = Math.max(document.documentElement.clientWidth, 420);
    const controls = svg.querySelector('.place');
    const narrow = width < room + 360;
    controls.setAttribute('width', room);
    controls.setAttribute('x', width - MARGIN - room);
    controls.setAttribute('y', narrow ? 54 : 8);
    for (const element of svg.querySelectorAll('.heading, .what')) {
      shortened(element, width - 2 * MARGIN - (narrow ? 0 : room + 12));
    }
    const keys = placeKeys(Number(svg.getAttribute('data-keys')) + (narrow ? 34 : 0));
    detail.setAttribute('y', keys + 4);
    matched.setAttribute('x', width - MARGIN);
    matched.setAttribute('y', keys + 4);
    body.setAttribute('transform', `translate(0,${keys + 14})`);
    const height = keys + 14 + rows * ROW + MARGIN;
    svg.setAttribute('width', width);
    svg.setAttribute('height', height);
    svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    frames.forEach(placeFrame);
    back.disabled = before.length === 0;
    reset.disabled = zoomed === everything;
  }

  function zoom(frame, remember) {
    if (frame === zoomed) return;
    if (remember) before.push(zoomed);
    zoomed = frame;
    layOut();
    say(detail, frame.detail);
  }

  function zoomBack() {
    if (before.length > 0) zoom(before.pop(), false);
  }

  function zoomOut() {
    before.length = 0;
    zoom(everything, false);
    layOut();
  }

  // Text anywhere in a name, or /a regular expression/.
  function tester(wanted) {
    const expression = /^\/(.+?)\/?$/.exec(wanted);
    if (expression) {
      try {
        const regular = new RegExp(expression[1], 'u');
        return (name) => regular.test(name);
      } catch (error) {
        // Not finished yet: as text.
      }
    }
    const text = wanted.toLowerCase();
    return (name) => name.toLowerCase().includes(text);
  }

  // Frames inside a matching one are not counted again, so recursion counts once.
  function find(wanted) {
    const matches = wanted === '' ? () => false : tester(wanted);
    let sum = 0;
    let until = 0;
    for (const frame of frames) {
      const hit = frame !== everything && !frame.isRoom && matches(frame.name);
      frame.element.classList.toggle('hit', hit);
      if (hit && frame.begin >= until) {
        sum += frame.value;
        until = frame.begin + frame.value;
      }
    }
    // What is too narrow to be drawn counts, too.
    if (view && wanted !== '') sum = view.find(matches);
    svg.setAttribute('data-matched', sum);
    const least = view && stacks.cut > 0 ? 'at least ' : '';
    say(matched, wanted === '' ? '' : `Matched: ${least}${valueText(sum)}, ${shareText(sum)}`);
    say(detail, detail.whole || '');
  }

  function make(name, text, act) {
    const element = document.createElementNS(XHTML, name);
    element.textContent = text;
    if (act) element.addEventListener('click', act);
    return element;
  }

  function element(parent, name, attributes, text) {
    const made = document.createElementNS(SVG, name);
    for (const key of Object.keys(attributes)) made.setAttribute(key, attributes[key]);
    if (text !== undefined) made.textContent = text;
    parent.append(made);
    return made;
  }

  function valueAndBytes(value) {
    const text = valueText(value);
    if (unit !== 'bytes' || value < 1024) return text;
    return `${text} (${value.toLocaleString('en-US')} bytes)`;
  }

  // A frame of a view, as the picture has those of its own.
  function drawFrame(frame, total) {
    const [name, colour, shade, place] = frame.smaller ?
        [`… ${frame.smaller.toLocaleString('en-US')} smaller`, 0, 0, ''] :
        frame.name < 0 ? ['all', 9, 0, ''] : stacks.functions[frame.name];
    const group = element(body, 'g', {
      class: frame.smaller ? 'rest' : `frame m${colour} s${shade}`,
      'data-begin': frame.begin, 'data-value': frame.value, 'data-depth': frame.depth });
    const share = (100 * frame.value / total).toFixed(1);
    element(group, 'title', {}, `${name}\n${valueAndBytes(frame.value)}, ${share}% of all${place}`);
    element(group, 'rect', { y: frame.depth * ROW, height: ROW - 1, rx: 1.5 });
    element(group, 'text', { y: frame.depth * ROW + 13 });
  }

  function showView(metric, inverted, draw) {
    view = makeView(stacks, metric, inverted);
    if (draw) {
      unit = stacks.metrics[metric].unit;
      body.replaceChildren();
      view.draw().forEach((frame) => drawFrame(frame, view.total));
      adoptFrames();
      zoomed = everything;
      chosen = null;
      before.length = 0;
      svg.querySelector('.what').whole = stacks.metrics[metric].what +
          (inverted ? '; from those that allocate to their callers' : '');
      layOut();
      say(detail, everything.detail);
    }
    find(search.value);
  }

  // When the stacks are there: what else can be drawn of them.
  function addViews(row) {
    let inverted = svg.querySelector('.stacks').hasAttribute('data-inverted');
    const metrics = make('select', '');
    metrics.setAttribute('aria-label', 'What the frames are wide by');
    stacks.metrics.forEach((metric, number) => {
      const choice = make('option', metric.name);
      choice.value = number;
      choice.disabled = stacks.totals[number] === 0;
      metrics.append(choice);
    });
    const turn = make('button', 'Callers', () => {
      inverted = !inverted;
      turn.classList.toggle('on', inverted);
      showView(Number(metrics.value), inverted, true);
    });
    turn.setAttribute('title', 'From the functions that allocate to their callers');
    turn.classList.toggle('on', inverted);
    metrics.addEventListener('change', () => showView(Number(metrics.value), inverted, true));
    row.prepend(metrics, turn);
    room = 660;
    layOut();
    showView(0, inverted, false);
  }

  // Only here, so that a picture without scripts has no buttons that do nothing.
  const search = make('input', '');
  const back = make('button', 'Back', zoomBack);
  const reset = make('button', 'Reset zoom', zoomOut);
  function addControls() {
    const place = document.createElementNS(SVG, 'foreignObject');
    place.setAttribute('class', 'place');
    place.setAttribute('height', 30);
    const row = make('div', '');
    row.setAttribute('class', 'controls');
    search.setAttribute('type', 'search');
    search.setAttribute('placeholder', 'Search: text or /regex/');
    search.setAttribute('aria-label', 'Search for functions');
    search.addEventListener('input', () => find(search.value));
    row.append(search, back, reset);
    place.append(row);
    svg.append(place);
    readStacks(svg.querySelector('.stacks')).then((read) => {
      stacks = read;
      if (stacks) addViews(row);
    });
  }

  // The nearest frame in a direction, from the chosen one.
  function neighbour(key) {
    const shown = frames.filter((frame) => frame.shown && !frame.isRoom);
    if (!chosen || !chosen.shown) return zoomed;
    const row = (depth) => shown.filter((frame) => frame.depth === depth);
    if (key === 'ArrowUp') return row(chosen.depth - 1).find((frame) => contains(frame, chosen));
    if (key === 'ArrowDown') return row(chosen.depth + 1).find((frame) => contains(chosen, frame));
    const same = row(chosen.depth);
    return same[same.indexOf(chosen) + (key === 'ArrowLeft' ? -1 : 1)];
  }

  function choose(frame) {
    if (!frame) return;
    if (chosen) chosen.element.classList.remove('chosen');
    chosen = frame;
    chosen.element.classList.add('chosen');
    say(detail, chosen.detail);
    chosen.element.scrollIntoView({ block: 'nearest' });
  }

  function onKey(event) {
    const focused = document.activeElement;  // nothing, at first, where the picture is the page
    const searching = focused === search;
    if ((event.key === 'f' && (event.ctrlKey || event.metaKey) && !searching) ||
        (event.key === '/' && !searching)) {
      search.focus();  // with the focus there, Ctrl-F is the browser's own again
      search.select();
    } else if (event.key === 'Escape') {
      if (searching) {
        search.value = '';
        find('');
        search.blur();
      } else {
        zoomOut();
      }
    } else if (searching || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    } else if (event.key.startsWith('Arrow')) {
      choose(neighbour(event.key));
    } else if (event.key === 'Enter' && !(focused && focused.localName === 'button')) {
      if (chosen) zoom(chosen, true);
    } else if (event.key === 'Backspace') {
      zoomBack();
    } else {
      return;
    }
    event.preventDefault();
  }

  function frameOf(event) {
    return frameOfElement.get(event.target.closest('.frame, .rest'));
  }

  for (const element of [...svg.querySelectorAll('.heading, .what')]) {
    element.whole = element.textContent;
  }
  addControls();
  layOut();
  say(detail, everything.detail);
  body.addEventListener('click', (event) => {
    const frame = frameOf(event);
    if (frame && !frame.isRoom) zoom(frame, true);
  });
  body.addEventListener('mouseover', (event) => {
    const frame = frameOf(event);
    if (frame) say(detail, frame.detail);
  });
  window.addEventListener('resize', layOut);
  document.addEventListener('keydown', onKey);
})();
