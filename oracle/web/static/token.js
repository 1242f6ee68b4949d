// A field for the token that a server may ask for. The token is kept in memory only, until the page is closed.

import { button, field, h, tell, tools } from "./dom.js";
import { hasToken, useToken } from "./oracle.js";
import { t } from "./text.js";

/** The button that opens the field, as does the event "token". A new token opens the view again. */
export function createToken() {
  const input = h("input", { type: "password", autocomplete: "off", spellcheck: "false", autocapitalize: "off", name: "" });
  const dialog = h("dialog", { class: "card", "aria-label": t("token.title") },
    h("form", { on: { submit: (event) => { event.preventDefault(); use(input.value.trim()); } } },
      h("h2", {}, t("token.title")), h("p", {}, t("token.about")), field(t("token.field"), input),
      tools(h("button", { type: "submit", class: "primary" }, t("token.use")),
        button(t("token.forget"), () => use("")), button(t("close"), () => dialog.close()))));
  const opener = button("🔑", open, { class: "small", "aria-label": t("token.title"), title: t("token.title"), "aria-pressed": "false" });
  document.body.append(dialog);
  addEventListener("token", open);

  function open() {
    dialog.showModal();
    input.focus();
  }

  function use(value) {
    useToken(value);
    input.value = "";
    dialog.close();
    opener.setAttribute("aria-pressed", String(hasToken()));
    tell(t(value ? "token.used" : "token.gone"));
    dispatchEvent(new Event("hashchange"));
  }

  return opener;
}
