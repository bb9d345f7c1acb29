// The comparison, and a shared one: the page works without this file. Needs common.js.
(() => {
  "use strict";
  const { byId, placeAfter } = Tokenscope;

  // ── Walking through the columns: one is lit in every row, and is read out row by row ─────────────────────────────

  let lit = null;
  const columns = () => Array.from(document.querySelectorAll("#aligned .col"));
  const tell = (column) => {
    const numbers = document.querySelectorAll("#aligned .passage:first-child .heads .no");
    byId("told").replaceChildren(...Array.from(column.children).flatMap((row, n) => {
      const line = document.createElement("span");
      const number = Object.assign(document.createElement("b"), { className: "no", textContent: numbers[n].textContent });
      const tokens = Object.assign(document.createElement("bdi"), {
        textContent: Array.from(row.querySelectorAll("i"), (cell) => cell.textContent).join(" | ") || "–",
      });
      line.append(number, " ", tokens);
      return [line, " "];
    }), ...(column.title ? [column.title] : []));
  };
  const light = (column, show) => {
    lit?.classList.remove("on");
    lit = column;
    if (!column) return;
    column.classList.add("on");
    tell(column);
    if (show) column.scrollIntoView({ block: "nearest" });
  };
  document.addEventListener("keydown", (event) => {
    if (event.target.id !== "aligned" || event.ctrlKey || event.metaKey || event.altKey) return;
    const all = columns();
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
  const under = (event) => event.target.closest?.("#aligned .col");
  document.addEventListener("click", (event) => { if (under(event)) light(under(event)); });

  const form = byId("compare");
  if (!form) return;

  // ── The form ────────────────────────────────────────────────────────────────────────────────────────────────────

  // A card that is moved takes its open menu and the focus along; one that is removed hands the focus to the next.
  let wanted = null;
  document.addEventListener("click", (event) => {
    const act = event.target.closest?.(".rival .act");
    if (act) wanted = [act.name, Number(act.value) + { up: -1, down: 1, remove: 0 }[act.name]];
    // What has been found and added is not searched for any more.
    if (!event.target.closest?.("button[name=add]")) return;
    byId("find").value = "";
    byId("finder").open = false;
    wanted = ["add"];
  });
  const focusWanted = () => {
    const [name, at] = wanted;
    wanted = null;
    if (name === "up" || name === "down") {
      const card = byId(`change-${at}`);
      for (const other of document.querySelectorAll(".change[open]")) other.open = false;
      card.open = true;
      [byId(`${name}-${at}`), byId(`${name === "up" ? "down" : "up"}-${at}`)].find((one) => !one.disabled).focus();
    } else if (name === "remove") {
      for (const other of document.querySelectorAll(".change[open]")) other.open = false;
      (byId(`change-${at}`) ?? byId(`change-${at - 1}`))?.querySelector("summary").focus();
    } else {
      (document.querySelector("#finder summary") ?? Array.from(document.querySelectorAll(".change summary")).at(-1)).focus();
    }
  };

  // Downloads leave the page as it is.
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("button[data-whole-page]");
    if (!button) return;
    event.preventDefault();
    const own = form.action;
    form.action = button.formAction;
    form.submit(); // not requestSubmit, which htmx would answer with a part of the page
    form.action = own;
  });

  // The result in a sentence is read out when it has changed; the aligned text is not.
  const status = byId("status");
  const summary = () => byId("summary")?.textContent ?? "";
  let said = summary();
  document.addEventListener("htmx:after:swap", () => {
    lit = null;
    if (summary() !== said) status.textContent = said = summary();
    if (wanted) focusWanted();
  });
})();
