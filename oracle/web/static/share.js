// Sharing a view: an address or a picture.

import { download, tell } from "./dom.js";
import { t } from "./text.js";
import { pngOf } from "./views/picture.js";

/** Copy the address of the view, or show it if copying is not allowed. */
export async function copyLink() {
  try {
    await navigator.clipboard.writeText(location.href);
    tell(t("share.copied"));
  } catch {
    tell(t("share.address", { address: location.href }));
  }
}

/** Copy a position as a picture, or save it if copying is not allowed. */
export async function copyPicture(position) {
  const png = await pngOf(position);
  if (!png) {
    tell(t("share.noPicture"));
    return;
  }
  try {
    await navigator.clipboard.write([new ClipboardItem({ "image/png": png })]);
    tell(t("share.pictured"));
  } catch {
    download("position.png", png);
    tell(t("share.saved"));
  }
}
