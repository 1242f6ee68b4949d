// Making elements, and announcements for screen readers.

const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(["svg", "path", "rect", "circle", "line", "g", "polyline", "text"]);

/** An element. `on` has listeners, `data` data attributes. Null and false are left out. */
export function h(tag, attributes = {}, ...children) {
  const element = SVG_TAGS.has(tag)
    ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) {
        element.addEventListener(event, listener);
      }
    } else if (name === "data") Object.assign(element.dataset, value);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export function button(label, onClick, attributes = {}) {
  return h("button", { type: "button", on: { click: onClick }, ...attributes }, label);
}

/** A part of the page with its title. */
export function card(title, ...children) {
  return h("section", { class: "card", "aria-label": title }, h("h2", {}, title), children);
}

/** Buttons and small controls in a row. */
export function tools(...children) {
  return h("div", { class: "tools" }, ...children);
}

/** A control with its label. */
export function field(label, control, attributes = {}) {
  return h("label", { class: "field", ...attributes }, h("span", {}, label), control);
}

/** A field for the text of a position. */
export function positionField(onChange) {
  return h("input", { type: "text", spellcheck: "false", autocapitalize: "off", autocomplete: "off",
    on: { change: (event) => onChange(event.target.value) } });
}

export function select(options, value, onChange, attributes = {}) {
  const element = h("select", { on: { change: (event) => onChange(event.target.value) }, ...attributes },
    options.map(([id, label]) => h("option", { value: id }, label)));
  element.value = value;
  return element;
}

/** Arrow keys move between the elements of a toolbar or list; tab reaches only one of them. */
export function roving(container, selector) {
  const items = () => [...container.querySelectorAll(selector)];
  const choose = (item) => items().forEach((each) => { each.tabIndex = each === item ? 0 : -1; });
  container.addEventListener("focusin", (event) => {
    const item = event.target.closest(selector);
    if (item) choose(item);
  });
  container.addEventListener("keydown", (event) => {
    const all = items();
    const at = all.indexOf(event.target.closest(selector));
    const steps = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };
    const to = { Home: 0, End: all.length - 1 }[event.key] ?? at + (steps[event.key] ?? 0);
    if (at < 0 || to === at || !all[to]) return;
    event.preventDefault();
    choose(all[to]);
    all[to].focus();
  });
  return () => choose(items().find((each) => each.getAttribute("aria-current")) ?? items()[0]);
}

/** Save a blob as a file. */
export function download(name, blob) {
  const link = h("a", { download: name, href: URL.createObjectURL(blob) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

let fading = 0;

/** Show everyone a message that belongs to no place on the page. */
export function tell(message) {
  const toast = document.getElementById("told");
  toast.textContent = message;
  toast.hidden = false;
  clearTimeout(fading);
  fading = setTimeout(() => { toast.hidden = true; }, 6000);
  say(message);
}

/** Tell screen readers about a visible change. */
export function say(message) {
  const region = document.getElementById("said");
  // A screen reader reads equal words again only if the text has changed.
  region.textContent = region.textContent === message ? `${message} ` : message;
}

/** Call after `wait` ms without a further call. */
export function settled(call, wait) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...values), wait);
  };
}
