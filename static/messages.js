// The page of messages, which works without this script: keeps the focus where it was when the form comes back from the
// server, copies the link, and lets downloads and the other language take the form along. Needs common.js.
"use strict";

(() => {
  const { byId } = Tokenscope;
  const area = byId("conversation");
  if (!area) return;
  const form = () => byId("messages");

  // ── Focus: a message that is moved takes it along, one that is removed hands it to the next ─────────────────────────

  let wanted = null;
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("#conversation button[type=submit]");
    if (!button) return;
    const at = Number(button.value);
    const other = { up: "down", down: "up" }[button.name];
    const next = at + { up: -1, down: 1 }[button.name];
    if (other) wanted = [`${button.name}-${next}`, `${other}-${next}`];
    else if (button.name === "remove") wanted = [`remove-${at}`, `remove-${at - 1}`, "add"];
    else if (button.name === "add") wanted = ["last"];
    else if (button.name === "paste") wanted = ["json", "count"];
    else wanted = [button.id];
  });
  document.addEventListener("htmx:after:swap", () => {
    const status = byId("status");
    const said = byId("summary")?.textContent ?? "";
    if (status && said) status.textContent = said;
    if (!wanted) return;
    const boxes = form().querySelectorAll("textarea[name=content]");
    const found = wanted.map((id) => (id === "last" ? boxes[boxes.length - 1] : byId(id)));
    const usable = found.filter((one) => one && !one.disabled && one.getClientRects().length);
    wanted = null;
    (usable[0] ?? byId("count")).focus();
  });

  // ── The keyboard: Control and Enter count ─────────────────────────────────────────────────────────────────────────────

  area.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    wanted = event.target.id ? [event.target.id] : null;
    form().requestSubmit(byId("count"));
  });

  // ── Whole pages: downloads leave the page as it is, the other language takes the form along ─────────────────────────

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("button[data-whole-page]");
    if (!button) return;
    event.preventDefault();
    const own = form().action;
    form().action = button.formAction;
    form().submit(); // not requestSubmit, which htmx would answer with a part of the page
    form().action = own;
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[data-lang]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    form().append(Object.assign(document.createElement("input"), { type: "hidden", name: "lang", value: link.dataset.lang }));
    form().submit();
  });

  // ── Copy link: the address of the page has the whole state ─────────────────────────────────────────────────────────────

  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("#copy-link");
    if (!button) return;
    const address = `${location.origin}${location.pathname}${location.search}`;
    try {
      await navigator.clipboard.writeText(address);
    } catch {
      const field = document.body.appendChild(Object.assign(document.createElement("textarea"), { value: address }));
      field.select();
      document.execCommand("copy"); // no permission, or no TLS: the old way
      field.remove();
    }
    button.classList.add("copied");
    byId("status").textContent = button.dataset.copied;
    setTimeout(() => button.classList.remove("copied"), 2000);
  });
})();
