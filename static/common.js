// What all pages share: menus and the theme; and, for the playground and the comparison, the form with the text. It comes
// before app.js and compare.js, which use `Tokenscope`.
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

  // Another text in the box, until typing with a way back to the one before.
  const undo = byId("undo");
  let before = "";
  const replaceText = (value) => {
    before = text.value;
    text.value = value;
    if (undo) undo.hidden = before.trim() === "" || before === value;
    refresh();
  };
  undo?.addEventListener("click", () => {
    text.value = before;
    undo.hidden = true;
    text.focus();
    refresh();
  });
  if (undo) text.addEventListener("input", (event) => { if (event.inputType) undo.hidden = true; });

  // The server has not seen the text yet.
  const refresh = () => text.dispatchEvent(new Event("input", { bubbles: true }));

  // Typing waits for a pause; a paste, a drop, an example or a choice is sent at once.
  const PAUSE = 80; // milliseconds
  const TYPED = /^(insertText|insertCompositionText|insertLineBreak|delete)/;
  const sendChanges = (form) => {
    let waiting = 0;
    const send = () => form.dispatchEvent(new Event("send"));
    form.addEventListener("input", (event) => {
      if (!event.target.matches(".live, select, input[type=radio], input[type=checkbox]")) return;
      clearTimeout(waiting);
      const typed = TYPED.test(event.inputType ?? "") || event.target.type === "number";
      waiting = typed ? setTimeout(send, PAUSE) : send() && 0;
    });
  };

  // What is wrong, once, in the stage above the last result; without a message, that the server did not answer.
  const unreachable = byId("unreachable");
  const showTrouble = (message) => {
    const notice = unreachable.content.firstElementChild.cloneNode(true);
    if (message) {
      notice.querySelector("p").textContent = message;
      notice.querySelector(".line").remove();
    }
    notice.setAttribute("role", "alert");
    byId("trouble").replaceChildren(notice);
    return notice;
  };

  // Show what is wrong with a field, beside it or in the stage; "" if nothing is.
  const refuse = (field, message, error = byId(`${field.id}-error`)) => {
    if (message && (!error || error.closest("#trouble"))) (error = showTrouble(message)).id = `${field.id}-error`;
    else if (error) {
      error.textContent = message;
      error.hidden = !message;
    }
    for (const [name, value] of [["aria-invalid", "true"], ["aria-describedby", error?.id]]) {
      if (message) field.setAttribute(name, value);
      else field.removeAttribute(name);
    }
  };

  // Mark the fields that a message in the stage is about.
  const markWrong = (form) => {
    for (const field of form.elements) {
      const notice = field.name && document.querySelector(`#trouble [data-field="${field.name}"]`);
      if (notice) {
        field.setAttribute("aria-invalid", "true");
        field.setAttribute("aria-describedby", notice.id);
      } else if (field.id !== "vocabulary-file") {
        field.removeAttribute("aria-invalid");
        field.removeAttribute("aria-describedby");
      }
    }
  };

  // Refuse files that are larger than the field allows, before they are read or sent; true if they were.
  const refuseLarge = (field, files, error) => {
    const size = Array.from(files).reduce((sum, file) => sum + file.size, 0);
    const most = Number(field.dataset.most);
    const values = { name: files[0]?.name, size: size.toLocaleString(), limit: most.toLocaleString() };
    const message = size > most ? text.dataset.tooLong.replace(/\{(\w+)\}/g, (_all, name) => values[name]) : "";
    refuse(field, message, error);
    return Boolean(message);
  };

  const serveForm = (form) => {
    if (form.getAttribute("hx-trigger")?.startsWith("send")) sendChanges(form);
    // The box grows with the text; older engines need this for it.
    if (!CSS.supports("field-sizing", "content")) {
      const grow = () => {
        text.style.height = "auto";
        if (text.value.length < 10_000) text.style.height = `${text.scrollHeight}px`;
      };
      text.addEventListener("input", grow);
      grow();
    }

    const file = byId("file");
    const read = async (chosen) => {
      // A file of some megabytes would freeze the page while it is laid out in the box.
      if (refuseLarge(text, [chosen])) {
        file.value = "";
        return;
      }
      try {
        replaceText(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await chosen.arrayBuffer()));
        file.value = "";
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
    document.addEventListener("keydown", (event) => {
      const choices = Array.from(byId("choices")?.querySelectorAll("button") ?? []);
      const at = choices.indexOf(event.target);
      if (event.target.id === "find" && (event.key === "Enter" || event.key === "ArrowDown")) choices[0]?.focus();
      else if (at >= 0 && event.key in STEPS) (choices[at + STEPS[event.key]] ?? byId("find")).focus();
      // The enter key adds the word; without this it would press the first button of the form.
      else if (event.key === "Enter" && !event.isComposing && event.target.matches?.("[name^=edit_]")) byId("edit-add").click();
      else return;
      event.preventDefault();
    });

    if (!unreachable) return; // a form that is sent as a page
    document.addEventListener("htmx:error", () => {
      if (unreachable.content) showTrouble();
      else unreachable.hidden = false;
    });
    document.addEventListener("htmx:after:swap", () => { unreachable.hidden = true; });
  };

  // A click elsewhere and Escape close what opened over the page.
  const OPEN = ".pop[open]:not(.in-flow), .more[open]";
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

  // A button for files has their names, once they are chosen.
  document.addEventListener("change", ({ target: { files, previousElementSibling: title } }) => {
    if (files?.length && title?.matches("[data-names]")) title.textContent = Array.from(files, (file) => file.name).join(" · ");
  });

  // Without a script the choice of a theme is a form, after which the page is loaded anew.
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.(".themes button");
    if (!button) return;
    event.preventDefault();
    const theme = button.value === "system" ? "" : button.value;
    document.cookie = `theme=${theme}; path=/; max-age=${theme ? 31536000 : 0}; samesite=lax${location.protocol === "https:" ? "; secure" : ""}`;
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    for (const other of button.parentElement.children) other.removeAttribute("aria-current");
    button.setAttribute("aria-current", "true");
    button.closest("details").open = false;
    button.closest("details").querySelector("summary").focus();
  });

  // ── A busy site ─────────────────────────────────────────────────────────────────────────────────────────────────

  // The answer says when to send the same request again. A request of the visitor's own, or a tab that nobody looks at,
  // makes it wait; after some attempts in a row the visitor decides.
  const MOST_RETRIES = 5;
  let timer = 0;
  const retryAfter = (notice, tried, send) => {
    notice.querySelector("[data-will-retry]").hidden = tried >= MOST_RETRIES;
    notice.querySelector("[data-gave-up]").hidden = tried < MOST_RETRIES;
    if (tried >= MOST_RETRIES) return;
    let left = Number(notice.dataset.retry);
    timer = setInterval(() => {
      left -= 1;
      if (left > 0 || document.hidden) return;
      clearInterval(timer);
      if (notice.isConnected) send();
    }, 1000);
  };

  // A part of the page: what sent the request sends it again.
  let retries = 0;
  document.addEventListener("htmx:before:request", () => clearInterval(timer));
  document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
    if (ctx?.response?.status !== 503 && ctx?.response?.status !== 429) {
      retries = 0;
      return;
    }
    const [notice, ...earlier] = document.querySelectorAll("[data-retry]");
    for (const other of earlier) other.remove();
    if (!notice) return;
    const { sourceElement: source, sourceEvent: cause } = ctx;
    clearInterval(timer);
    retryAfter(notice, retries, () => {
      retries += 1;
      if (source.matches("form")) source.requestSubmit(cause?.submitter);
      else if (cause && source.isConnected) source.dispatchEvent(new Event(cause.type, { bubbles: true, cancelable: true }));
    });
  });

  // A whole page in place of another: it contains the form that was sent. Pages that were loaded say so to the browser.
  const again = document.querySelector("[data-retry] ~ form");
  const waiting = again && document.querySelector("[data-retry]");
  try {
    const tried = Number(sessionStorage.getItem("tried") ?? 0);
    if (waiting) retryAfter(waiting, tried, () => { sessionStorage.setItem("tried", tried + 1); again.requestSubmit(); });
    else sessionStorage.removeItem("tried");
  } catch {
    // Without storage, attempts cannot be counted: the visitor presses the button.
  }

  // A folded section opens when an address leads to it or into it.
  const reveal = () => {
    const fold = byId(decodeURIComponent(location.hash.slice(1)))?.closest("details");
    if (!fold || fold.open) return;
    fold.open = true;
    fold.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();

  // ── Files ───────────────────────────────────────────────────────────────────────────────────────────────────────

  // Of a large model only the beginning is sent, which has its tokenizer. Before the listeners of the field itself.
  document.addEventListener("change", ({ target: field }) => {
    const most = Number(field.dataset?.head);
    const isLarge = (file) => file.size > most && /\.gguf$/i.test(file.name);
    if (!most || !Array.from(field.files).some(isLarge)) return;
    const sent = new DataTransfer();
    for (const file of field.files) sent.items.add(isLarge(file) ? new File([file.slice(0, most)], file.name) : file);
    field.files = sent.files;
  }, true);

  // Shared results have nothing to type, and other pages send their forms as they are.
  if (text?.dataset.most) serveForm(text.form);

  return { byId, markWrong, placeAfter, refresh, refuse, refuseLarge, replaceText };
})();
