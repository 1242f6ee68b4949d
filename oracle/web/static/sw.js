// Keeps the page itself for use without the oracle. Answers are not kept: they are asked by POST.

const KEPT = "position-oracle-shell";
const SHELL = [
  "/", "/games.json", "/static/style.css", "/static/icon.svg", "/static/manifest.json",
  "/static/analyse.js", "/static/app.js", "/static/bots.js", "/static/chance.js",
  "/static/complaints.js", "/static/dom.js", "/static/games.js", "/static/help.js",
  "/static/judge.js", "/static/line.js", "/static/list.js", "/static/look.js", "/static/marks.js",
  "/static/moves.js", "/static/oracle.js", "/static/play.js", "/static/puzzles.js",
  "/static/record.js", "/static/rules/boxes.js", "/static/rules/chomp.js",
  "/static/rules/divisors.js", "/static/rules/graph.js", "/static/rules/heaps.js",
  "/static/rules/position.js", "/static/rules/served.js", "/static/rules/sum.js",
  "/static/rules/text.js", "/static/rules/toads.js", "/static/share.js", "/static/sheets.js",
  "/static/text.js", "/static/texts/de.js", "/static/texts/en.js", "/static/texts/fr.js", "/static/token.js", "/static/variations.js",
  "/static/views/graph.js", "/static/views/grid.js", "/static/views/picture.js",
  "/static/views/scenes.js", "/static/views/sheet.js", "/static/views/surface.js",
  "/static/why.js", "/static/words.js",
];

addEventListener("install", (event) => {
  event.waitUntil(caches.open(KEPT).then((cache) => cache.addAll(SHELL)).then(() => skipWaiting()));
});

addEventListener("activate", (event) => event.waitUntil(clients.claim()));

// The oracle's own files first, so that a newer page is never mixed with an older one.
addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin || !SHELL.includes(pathname) || new URL(request.url).search) return;
  event.respondWith(fetch(request).then((response) => {
    if (response.ok) {
      const copy = response.clone();
      event.waitUntil(caches.open(KEPT).then((cache) => cache.put(pathname, copy)));
    }
    return response;
  }).catch(() => caches.match(pathname).then((kept) => kept ?? Response.error())));
});
