// The comparison page: everything here makes it more comfortable, nothing here is needed.
(() => {
  "use strict";
  const byId = (id) => document.getElementById(id);
  const form = byId("compare");
  const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

  // ── Walking through the stretches: one lights up in every row, and is read out row by row ────────────────────────

  let lit = null;
  const stretches = () => Array.from(document.querySelectorAll("#aligned .paragraph > .s, #aligned .column:first-child > .s"));
  const cellsOf = (stretch) => {
    const column = stretch.closest(".column");
    if (!column) return Array.from(stretch.children);
    const at = Array.from(column.children).indexOf(stretch);
    return Array.from(column.parentElement.children, (other) => other.children[at]);
  };
  const tell = (stretch) => {
    const names = document.querySelectorAll("#aligned .row-names .row-number");
    byId("told").replaceChildren(...cellsOf(stretch).flatMap((row, n) => {
      const line = document.createElement("span");
      const number = Object.assign(document.createElement("b"), { className: "row-number", textContent: names[n].textContent });
      const tokens = Object.assign(document.createElement("bdi"), {
        textContent: Array.from(row.querySelectorAll("i"), (cell) => cell.textContent).join(" | ") || "–",
      });
      line.append(number, " ", tokens);
      return [line, " "];
    }));
  };
  const light = (stretch, show) => {
    lit?.classList.remove("on");
    lit = stretch;
    if (!stretch) return;
    stretch.classList.add("on");
    tell(stretch);
    if (show) stretch.scrollIntoView({ block: "nearest" });
  };
  document.addEventListener("keydown", (event) => {
    if (event.target.id !== "aligned" || event.ctrlKey || event.metaKey || event.altKey) return;
    const all = stretches();
    const at = all.indexOf(lit);
    if (event.key in STEPS) {
      // Up and down leave a pane that nothing is lit in to scrolling.
      if (at < 0 && (event.key === "ArrowUp" || event.key === "ArrowDown")) return;
      light(all[Math.min(Math.max(at + STEPS[event.key], 0), all.length - 1)], true);
    } else if (event.key === "Home" || event.key === "End") {
      light(all.at(event.key === "Home" ? 0 : -1), true);
    } else if (event.key === "Escape") {
      light(null);
      byId("told").replaceChildren();
    } else {
      return;
    }
    event.preventDefault();
  });
  const under = (event) => event.target.closest?.("#aligned .s");
  document.addEventListener("click", (event) => { if (under(event)) light(under(event)); });
  document.addEventListener("mouseover", (event) => { if (under(event)) tell(under(event)); });

  if (!form) return;

  // ── The form ────────────────────────────────────────────────────────────────────────────────────────────────────

  const text = byId("text");
  const file = byId("file");
  const refresh = () => text.dispatchEvent(new Event("input", { bubbles: true }));
  const take = async (chosen) => {
    try {
      text.value = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await chosen.arrayBuffer());
      file.value = "";
      refresh();
    } catch {
      form.requestSubmit(); // not UTF-8: the server is shown the file and names the offset
    }
  };
  file.addEventListener("change", () => { if (file.files[0]) take(file.files[0]); });
  text.addEventListener("dragover", () => text.classList.add("dropping"));
  text.addEventListener("dragleave", () => text.classList.remove("dropping"));
  text.addEventListener("drop", (event) => {
    text.classList.remove("dropping");
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    file.files = event.dataTransfer.files;
    take(file.files[0]);
  });

  // The other language: with the text, which the address may be too short for.
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[data-lang]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    form.append(Object.assign(document.createElement("input"), { type: "hidden", name: "lang", value: link.dataset.lang }));
    form.submit();
  });

  // A row that is moved keeps the focus on its button; one that is removed hands it to the next.
  let wanted = null;
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.(".row-buttons button");
    if (!button) return;
    const at = Number(button.value);
    const moves = { up: -1, down: 1, remove: 0 };
    wanted = [button.name, at + moves[button.name]];
  });

  // What has been found and added is not searched for any more.
  document.addEventListener("click", (event) => {
    if (!event.target.closest?.("button[name=add]")) return;
    byId("find").value = "";
    byId("finder").open = false;
  });
  form.addEventListener("keydown", (event) => {
    if (event.target.id !== "find" || (event.key !== "Enter" && event.key !== "ArrowDown")) return;
    event.preventDefault();
    byId("choices").querySelector("button")?.focus();
  });

  const unreachable = byId("unreachable");
  document.addEventListener("htmx:after:swap", () => {
    unreachable.hidden = true;
    lit = null;
    if (!wanted) return;
    const [name, at] = wanted;
    const other = { up: "down", down: "up", remove: "remove" }[name];
    const button = [byId(`${name}-${at}`), byId(`${other}-${at}`), byId(`with-${at - 1}`)].find((one) => one && !one.disabled);
    if (button) button.focus();
    wanted = null;
  });
  document.addEventListener("htmx:error", () => { unreachable.hidden = false; });
  document.addEventListener("htmx:finally:request", () => { if (file.files.length) file.value = ""; });

  // What folds out over the page folds in again.
  document.addEventListener("click", (event) => {
    for (const open of document.querySelectorAll(".options[open], .finder[open]")) {
      if (!open.contains(event.target)) open.open = false;
    }
  });
  document.addEventListener("keydown", (event) => {
    const open = event.key === "Escape" && document.querySelector(".options[open], .finder[open]");
    if (!open) return;
    open.open = false;
    open.querySelector("summary").focus();
  });
})();
