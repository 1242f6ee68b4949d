// Keeps the files of the page for use without the oracle, but no answers: these are asked by POST.

const KEPT = "position-oracle-shell";
// Some servers list their games only to callers with a token. The list is kept once it was read.
const GAMES = "/v1/games?page_size=1000";
const OTHER_LANGUAGES = ["/static/texts/de.js", "/static/texts/fr.js"];
const isKept = (address) => address === "/" || address === GAMES || address.startsWith("/static/");

/** Keep every file that the page names, and the other languages. */
async function keepAll() {
  const cache = await caches.open(KEPT);
  const page = await (await fetch("/")).text();
  await cache.addAll(["/", ...OTHER_LANGUAGES, ...[...page.matchAll(/"(\/static\/[^"]+)"/g)].map(([, address]) => address)]);
  await cache.add(GAMES).catch(() => {});
  await skipWaiting();
}

addEventListener("install", (event) => event.waitUntil(keepAll()));
addEventListener("activate", (event) => event.waitUntil(clients.claim()));

// The server's own files come first, so that files of two versions of the page never mix.
addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname, search } = new URL(request.url);
  const address = pathname + search;
  if (request.method !== "GET" || origin !== location.origin || !isKept(address)) return;
  event.respondWith(fetch(request).then((response) => {
    if (response.ok) {
      const copy = response.clone();
      event.waitUntil(caches.open(KEPT).then((cache) => cache.put(address, copy)));
    }
    return response;
  }).catch(() => caches.match(address).then((kept) => kept ?? Response.error())));
});
