// Keeps the page itself for use without the oracle. Answers are not kept: they are asked by POST.

const KEPT = "position-oracle-shell";
const SHELL = [
  "/", "/static/style.css", "/static/icon.svg", "/static/manifest.json", "/static/analyse.js", "/static/app.js",
  "/static/bots.js", "/static/chance.js", "/static/chancebox.js", "/static/complaints.js", "/static/dom.js", "/static/facts.js",
  "/static/game.js", "/static/games.js", "/static/help.js", "/static/judge.js", "/static/kept.js", "/static/line.js",
  "/static/list.js", "/static/look.js", "/static/marks.js", "/static/measured.js", "/static/moves.js", "/static/movetable.js",
  "/static/oracle.js", "/static/panel.js", "/static/play.js", "/static/puzzles.js", "/static/record.js", "/static/result.js",
  "/static/rules/boxes.js", "/static/rules/chomp.js", "/static/rules/divisors.js", "/static/rules/graph.js",
  "/static/rules/heaps.js", "/static/rules/ordinals.js", "/static/rules/passes.js", "/static/rules/position.js",
  "/static/rules/served.js", "/static/rules/sum.js", "/static/rules/text.js", "/static/rules/toads.js", "/static/share.js",
  "/static/sheetpicture.js", "/static/sheets.js", "/static/text.js", "/static/texts/de.js", "/static/texts/en.js",
  "/static/texts/fr.js", "/static/token.js", "/static/variations.js", "/static/views/graph.js", "/static/views/grid.js",
  "/static/views/picture.js", "/static/views/scenes.js", "/static/views/sheet.js", "/static/views/surface.js", "/static/why.js",
  "/static/words.js", "/static/work.js",
];
// With a token alone some servers tell which games there are; it is kept once it was told.
const GAMES = "/v1/games?page_size=1000";

addEventListener("install", (event) => {
  event.waitUntil(caches.open(KEPT).then(async (cache) => {
    await cache.addAll(SHELL);
    await cache.add(GAMES).catch(() => {});
  }).then(() => skipWaiting()));
});

addEventListener("activate", (event) => event.waitUntil(clients.claim()));

// The oracle's own files first, so that a newer page is never mixed with an older one.
addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname, search } = new URL(request.url);
  const address = pathname + search;
  if (request.method !== "GET" || origin !== location.origin || ![...SHELL, GAMES].includes(address)) return;
  event.respondWith(fetch(request).then((response) => {
    if (response.ok) {
      const copy = response.clone();
      event.waitUntil(caches.open(KEPT).then((cache) => cache.put(address, copy)));
    }
    return response;
  }).catch(() => caches.match(address).then((kept) => kept ?? Response.error())));
});
