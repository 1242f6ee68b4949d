// What the page remembers from one visit to the next. A window without storage remembers nothing.

const PREFIX = "position-oracle.";

/** The value kept under a name, or null. */
export function kept(name) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + name));
  } catch {
    return null;
  }
}

export function keep(name, value) {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch { /* private windows may have no storage */ }
}
