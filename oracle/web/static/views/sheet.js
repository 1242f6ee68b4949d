// One sheet on a canvas, panned and zoomed by pointer, wheel and keys.

import { h } from "../dom.js";

/** The margin around the visible part that a window also loads, as a share of its size; smaller far away. */
const MARGIN = 0.25;
const FAR_MARGIN = 0.02;
const FAR = 4;
const SMALLEST_DOT = 3;
const LARGEST_SCALE = 48;

/**
 * Make a sheet view. Several views may share a frame {left, bottom, span}: the corner
 * and the width seen, in units of `unit()` cells. `load(window, block)` gives a picture of a window of
 * cells, or null; `overlay()` gives lines in cells, [[y, z], [y, z], name]; `onFrame` is called when the frame moves.
 */
export function createSheet({ frame, unit, load, overlay, onFrame, onCell }) {
  const canvas = h("canvas", { class: "sheet", tabindex: 0, role: "img", on: {
    wheel: onWheel, pointermove: onPointer, keydown: onKey, pointerdown: (event) => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, event);
    },
    pointerup: (event) => pointers.delete(event.pointerId), pointercancel: (event) => pointers.delete(event.pointerId),
    pointerleave: () => onCell(null),
  } });
  const note = h("p", { class: "sheetnote", hidden: true });
  const element = h("div", { class: "sheetbox" }, canvas, note);
  const pointers = new Map();
  let held = null;
  let wanted = 0;
  let timer = 0;

  new ResizeObserver(() => update()).observe(element);

  function onWheel(event) {
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.25 : 0.8, event.offsetX / canvas.clientWidth, 1 - event.offsetY / canvas.clientHeight);
  }

  function onKey(event) {
    const call = { ArrowLeft: () => pan(-0.1, 0), ArrowRight: () => pan(0.1, 0), ArrowUp: () => pan(0, 0.1), ArrowDown: () => pan(0, -0.1),
      "+": () => zoom(0.8), "=": () => zoom(0.8), "-": () => zoom(1.25) }[event.key];
    if (!call) return;
    event.preventDefault();
    call();
  }

  function onPointer(event) {
    const before = pointers.get(event.pointerId);
    if (!before) {
      const scale = pixelsPerCell();
      onCell({ y: Math.floor(left() + event.offsetX / scale),
        z: Math.floor(bottom() + (canvas.clientHeight - event.offsetY) / scale) });
      return;
    }
    const others = [...pointers.values()].filter((each) => each.pointerId !== event.pointerId);
    pointers.set(event.pointerId, event);
    if (others.length) {
      const gap = (one) => Math.hypot(one.clientX - others[0].clientX, one.clientY - others[0].clientY);
      zoom(gap(before) / Math.max(1, gap(event)));
    } else {
      pan((before.clientX - event.clientX) / canvas.clientWidth, (event.clientY - before.clientY) / canvas.clientWidth);
    }
  }

  function pan(right, up) {
    frame.left = Math.max(0, frame.left + right * frame.span);
    frame.bottom = Math.max(0, frame.bottom + up * frame.span);
    onFrame();
  }

  function zoom(factor, atX = 0.5, atY = 0.5) {
    const least = canvas.clientWidth / LARGEST_SCALE / unit();
    const span = Math.max(least, frame.span * factor);
    const shape = canvas.clientHeight / canvas.clientWidth;
    frame.left = Math.max(0, frame.left + (frame.span - span) * atX);
    frame.bottom = Math.max(0, frame.bottom + (frame.span - span) * atY * shape);
    frame.span = span;
    onFrame();
  }

  const left = () => frame.left * unit();
  const bottom = () => frame.bottom * unit();
  const pixelsPerCell = () => canvas.clientWidth / (frame.span * unit());

  /** Draw what is loaded at once, and ask for what is missing. */
  function update() {
    draw();
    clearTimeout(timer);
    timer = setTimeout(fetch, 30);
  }

  async function fetch() {
    const scale = pixelsPerCell();
    if (!canvas.clientWidth || !Number.isFinite(scale)) return;
    const block = Math.max(1, Math.ceil(1 / scale));
    const wide = canvas.clientWidth / scale;
    const high = canvas.clientHeight / scale;
    const margin = block > FAR ? FAR_MARGIN : MARGIN;
    const firstY = Math.max(0, Math.floor((left() - margin * wide) / block) * block);
    const firstZ = Math.max(0, Math.floor((bottom() - margin * high) / block) * block);
    const window = { firstY, firstZ,
      sizeY: Math.ceil(left() + wide * (1 + margin)) - firstY + 1,
      sizeZ: Math.ceil(bottom() + high * (1 + margin)) - firstZ + 1 };
    wanted += 1;
    const mine = wanted;
    const patience = setTimeout(() => element.classList.add("busy"), 400);
    const found = await load(window, block);
    clearTimeout(patience);
    if (mine !== wanted) return;
    element.classList.remove("busy");
    if (found) held = { ...found, window, block, bitmap: bitmapOf(found) };
    draw();
    element.dispatchEvent(new CustomEvent("drawn", { bubbles: true }));
  }

  function draw() {
    const dense = globalThis.devicePixelRatio || 1;
    const width = Math.max(1, Math.round(canvas.clientWidth * dense));
    const height = Math.max(1, Math.round(canvas.clientHeight * dense));
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const pen = canvas.getContext("2d");
    const scale = pixelsPerCell() * dense;
    const style = getComputedStyle(canvas);
    pen.fillStyle = style.getPropertyValue("--sheet");
    pen.fillRect(0, 0, width, height);
    const across = (y) => (y - left()) * scale;
    const up = (z) => height - (z - bottom()) * scale;
    if (held) {
      const { window, block, bitmap } = held;
      pen.imageSmoothingEnabled = false;
      // Single cells would be too small to be seen from far away.
      const wider = held.dots ? Math.max(0, Math.ceil((SMALLEST_DOT * dense - block * scale) / 2)) : 0;
      for (let right = -wider; right <= wider; right += 1) {
        for (let down = -wider; down <= wider; down += 1) {
          pen.drawImage(bitmap, across(window.firstY) + right, up(window.firstZ + bitmap.height * block) + down,
            bitmap.width * block * scale, bitmap.height * block * scale);
        }
      }
    }
    axes(pen, style, across, up, width, height, dense);
    for (const [from, to, name] of overlay()) {
      pen.strokeStyle = style.getPropertyValue(`--line-${name}`);
      pen.lineWidth = 1.5 * dense;
      pen.setLineDash([7 * dense, 7 * dense]);
      pen.beginPath();
      pen.moveTo(across(from[0] + 0.5), up(from[1] + 0.5));
      pen.lineTo(across(to[0] + 0.5), up(to[1] + 0.5));
      pen.stroke();
      pen.setLineDash([]);
    }
    Object.assign(canvas.dataset, { left: left(), bottom: bottom(), scale });
  }

  function axes(pen, style, across, up, width, height, dense) {
    const cells = frame.span * unit();
    const step = roundStep(cells / 5);
    const write = (text, at, base) => {
      pen.strokeStyle = style.getPropertyValue("--sheet");
      pen.lineWidth = 4 * dense;
      pen.strokeText(text, at, base);
      pen.fillText(text, at, base);
    };
    pen.fillStyle = style.getPropertyValue("--quiet");
    pen.font = `${11 * dense}px system-ui, sans-serif`;
    for (let y = Math.ceil(left() / step) * step; across(y) < width - 30 * dense; y += step) {
      if (across(y) < 24 * dense) continue;
      write(y.toLocaleString("en"), across(y) + 3 * dense, height - 4 * dense);
      pen.fillRect(across(y), height - 5 * dense, dense, 5 * dense);
    }
    for (let z = Math.ceil(bottom() / step) * step; up(z) > 26 * dense; z += step) {
      if (up(z) > height - 16 * dense) continue;
      write(z.toLocaleString("en"), 7 * dense, up(z) + 4 * dense);
      pen.fillRect(0, up(z), 5 * dense, dense);
    }
    write("z ↑", 7 * dense, 12 * dense);
    write("y →", width - 26 * dense, height - 4 * dense);
  }

  return {
    element, canvas, update, pan, zoom,
    /** Height over width. */
    get shape() { return canvas.clientHeight / Math.max(1, canvas.clientWidth) || 1; },
    /** Forget the picture, because another sheet is shown. */
    forget() { held = null; },
    describe(text) { canvas.setAttribute("aria-label", text); },
    complain(text) {
      note.hidden = !text;
      note.textContent = text;
    },
  };
}

function bitmapOf({ width, height, pixels }) {
  const canvas = h("canvas", { width, height });
  canvas.getContext("2d").putImageData(new ImageData(pixels, width, height), 0, 0);
  return canvas;
}

/** The least of 1, 2, 5, 10, ... that is not below a number. */
function roundStep(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map((each) => each * power).find((each) => each >= least) ?? 1;
}
