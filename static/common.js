// What the playground and the comparison share. Pages load it before app.js or compare.js, which use `Tokenscope`.
"use strict";

const Tokenscope = (() => {
  const byId = (id) => document.getElementById(id);
  const text = byId("text");

  // ── Arrow keys ──────────────────────────────────────────────────────────────────────────────────────────────────

  const STEPS = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1 };

  // The place among `count` that a key leads to from place `at` (-1: none); null when the key leads nowhere.
  const placeAfter = (key, at, count) => {
    if (key === "Home") return 0;
    if (key === "End") return count - 1;
    // Right and left follow the reading direction; up and down scroll a pane in which nothing is chosen yet.
    if (!(key in STEPS) || (at < 0 && (key === "ArrowUp" || key === "ArrowDown"))) return null;
    return Math.min(Math.max(at + STEPS[key], 0), count - 1);
  };

  // ── The form ────────────────────────────────────────────────────────────────────────────────────────────────────

  // The server has not seen the text yet.
  const refresh = () => text.dispatchEvent(new Event("input", { bubbles: true }));

  const serveForm = (form) => {
    const file = byId("file");
    const read = async (chosen) => {
      try {
        text.value = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await chosen.arrayBuffer());
        file.value = "";
        refresh();
      } catch {
        // Not UTF-8: the server gets the file and names the offset.
        form.requestSubmit();
      }
    };
    file.addEventListener("change", () => { if (file.files[0]) read(file.files[0]); });
    text.addEventListener("dragover", () => text.classList.add("dropping"));
    text.addEventListener("dragleave", () => text.classList.remove("dropping"));
    text.addEventListener("drop", (event) => {
      text.classList.remove("dropping");
      if (!event.dataTransfer.files.length) return;
      event.preventDefault();
      file.files = event.dataTransfer.files;
      read(file.files[0]);
    });
    // A file that was refused must not be sent again with the next letter.
    document.addEventListener("htmx:finally:request", () => { if (file.files.length) file.value = ""; });

    // The other language: the form takes the text along, which may be too long for the URL.
    document.addEventListener("click", (event) => {
      const link = event.target.closest?.("a[data-lang]");
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      form.append(Object.assign(document.createElement("input"), { type: "hidden", name: "lang", value: link.dataset.lang }));
      form.submit(); // not requestSubmit, which htmx would answer with a part of the page
    });

    // The search box of the finder: Enter and the arrow keys walk through what was found.
    form.addEventListener("keydown", (event) => {
      const choices = Array.from(byId("choices")?.querySelectorAll("button") ?? []);
      const at = choices.indexOf(event.target);
      if (event.target.id === "find" && (event.key === "Enter" || event.key === "ArrowDown")) choices[0]?.focus();
      else if (at >= 0 && event.key in STEPS) (choices[at + STEPS[event.key]] ?? byId("find")).focus();
      else return;
      event.preventDefault();
    });

    // A click elsewhere and Escape close what opened over the page.
    const OPEN = ".options[open], .finder[open]";
    document.addEventListener("click", (event) => {
      for (const open of document.querySelectorAll(OPEN)) {
        if (!open.contains(event.target)) open.open = false;
      }
    });
    document.addEventListener("keydown", (event) => {
      const open = event.key === "Escape" && document.querySelector(OPEN);
      if (!open) return;
      open.open = false;
      open.querySelector("summary").focus();
    });

    const unreachable = byId("unreachable");
    document.addEventListener("htmx:error", () => { unreachable.hidden = false; });
    document.addEventListener("htmx:after:swap", () => { unreachable.hidden = true; });
  };

  // A shared result has nothing to type.
  if (text) serveForm(text.form);

  return { byId, placeAfter, refresh };
})();
