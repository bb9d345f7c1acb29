// The comparison, and a shared one: the page works without this file. Needs common.js.
(() => {
  "use strict";
  const { byId, placeAfter } = Tokenscope;

  // ── Walking through the spans: one lights up in every row, and is read out row by row ────────────────────────────

  let lit = null;
  const spans = () => Array.from(document.querySelectorAll("#aligned .paragraph > .s, #aligned .column:first-child > .s"));
  const cellsOf = (span) => {
    const column = span.closest(".column");
    if (!column) return Array.from(span.children);
    const at = Array.from(column.children).indexOf(span);
    return Array.from(column.parentElement.children, (other) => other.children[at]);
  };
  const tell = (span) => {
    const names = document.querySelectorAll("#aligned .row-names .row-number");
    byId("told").replaceChildren(...cellsOf(span).flatMap((row, n) => {
      const line = document.createElement("span");
      const number = Object.assign(document.createElement("b"), { className: "row-number", textContent: names[n].textContent });
      const tokens = Object.assign(document.createElement("bdi"), {
        textContent: Array.from(row.querySelectorAll("i"), (cell) => cell.textContent).join(" | ") || "–",
      });
      line.append(number, " ", tokens);
      return [line, " "];
    }));
  };
  const light = (span, show) => {
    lit?.classList.remove("on");
    lit = span;
    if (!span) return;
    span.classList.add("on");
    tell(span);
    if (show) span.scrollIntoView({ block: "nearest" });
  };
  document.addEventListener("keydown", (event) => {
    if (event.target.id !== "aligned" || event.ctrlKey || event.metaKey || event.altKey) return;
    const all = spans();
    const at = all.indexOf(lit);
    const next = placeAfter(event.key, at, all.length);
    if (next !== null) {
      light(all[next], true);
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

  if (!byId("compare")) return;

  // ── The form ────────────────────────────────────────────────────────────────────────────────────────────────────

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

  document.addEventListener("htmx:after:swap", () => {
    lit = null;
    if (!wanted) return;
    const [name, at] = wanted;
    const other = { up: "down", down: "up", remove: "remove" }[name];
    const button = [byId(`${name}-${at}`), byId(`${other}-${at}`), byId(`with-${at - 1}`)].find((one) => one && !one.disabled);
    if (button) button.focus();
    wanted = null;
  });
})();
