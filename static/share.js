// Sharing a result, and copying its link: on every page that offers either.
(() => {
  "use strict";
  const byId = (id) => document.getElementById(id);

  // ── Copying ─────────────────────────────────────────────────────────────────────────────────────────────────────

  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("button[data-copy-field]");
    if (!button) return;
    const field = byId(button.dataset.copyField);
    const select = () => field.select ? field.select() : getSelection().selectAllChildren(field);
    if (field.select) select();
    try {
      await navigator.clipboard.writeText(field.value ?? field.textContent);
    } catch {
      select();
      document.execCommand("copy"); // no permission, or no TLS: the old way
    }
    button.classList.add("copied");
    setTimeout(() => button.classList.remove("copied"), 2000);
    const status = byId(button.dataset.status ?? "status");
    if (status) status.textContent = button.dataset.copied;
  });

  // Without htmx a new link has a page of its own: there it is selected, ready to be copied.
  document.querySelector("#link[autofocus]")?.select();

  // ── Sharing ─────────────────────────────────────────────────────────────────────────────────────────────────────

  // A link stays until it is put away or replaced. Where the page has moved on since, it says of what it is the link.
  const STATE = ["algorithm", "vocabulary", "with", "text", "size", "corpus", "dictionary", "runs", "lowercase", "special", "template", "hmm", "mode", "order", "smoothing", "edits", "show", "view", "role", "content", "extra", "messages", "tools", "source", "reply", "markers", "model", "context", "price"];
  const stateNow = () => {
    const values = new FormData(form);
    return JSON.stringify(STATE.map((name) => values.getAll(name)));
  };
  const share = byId("share");
  const form = share && byId("title")?.form;
  if (!form) return;
  let link = null; // the field with the link
  let asked = null; // the state that a link was last asked for
  let kept = null; // the state that the link is of
  const compare = () => { if (link) byId("link-before").hidden = stateNow() === kept; };
  form.addEventListener("input", compare);
  const until = form.elements.until;
  until.addEventListener("input", () => { if (until.value) share.querySelector("[name=keep][value=until]").checked = true; });
  share.addEventListener("click", (event) => {
    if (event.target.id === "create-link") asked = stateNow();
    if (event.target.id !== "another-link") return;
    link = null;
    sessionStorage.removeItem("link");
    byId("new-link").replaceChildren();
    byId("title").focus();
    if (document.activeElement === document.body) (byId("text") ?? byId("count")).focus(); // nothing to share: no form
  }, { capture: true });
  share.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.target.tagName !== "INPUT" || event.target.readOnly) return;
    event.preventDefault(); // the first button of the form is another one
    byId("create-link").click();
  });
  const [path, state, html] = JSON.parse(sessionStorage.getItem("link") ?? "[]");
  if (path === location.pathname) {
    byId("new-link").innerHTML = html; // from this site's own answer, in a storage that no other site can write
    link = byId("link");
    kept = state;
    compare();
  }
  document.addEventListener("htmx:after:swap", () => {
    const found = byId("link");
    if (found && found !== link) {
      link = found;
      kept = asked;
      // A page that is loaded anew in this tab still has the link, and with it the only way to delete the snapshot.
      try {
        sessionStorage.setItem("link", JSON.stringify([location.pathname, kept, byId("new-link").innerHTML]));
      } catch {
        // No room or no permission: then the link lives as long as the page.
      }
      byId("title").value = byId("note").value = ""; // they are the kept result's
      link.focus();
      link.select();
    }
    compare();
  });
})();
