// The playground, and a shared result: what plain HTML and htmx leave to do. The page works without this file, which
// needs common.js.
//
// - one current token, marked both in the text and among the ids, by pointer, focus and arrow keys
// - its details on click or Enter
// - the slider beside the number, examples without leaving the page, texts that a tab keeps
"use strict";

(() => {
  const { byId, markWrong, placeAfter, refresh, replaceText } = Tokenscope;
  const form = byId("playground");
  const text = byId("text");
  const slider = byId("slider");
  const size = byId("size");

  // ── Tokens and ids ──────────────────────────────────────────────────────────────────────────────────────────────

  const highlight = window.Highlight && CSS.highlights ? new Highlight() : null;
  if (highlight) CSS.highlights.set("token", highlight);
  const numberStarts = new WeakMap(); // an .ids element → where each of its numbers begins and ends
  let marked = null; // the token under the pointer or the focus
  let wanted = false; // details were asked for
  let current = null; // the token that the arrow keys move from
  let pressed = null; // the label of the button that was pressed in the details, which are replaced

  const isToken = (node) => node instanceof Element && node.parentElement?.classList.contains("chunk");
  const indexOf = (token) => {
    const chunk = token.parentElement;
    return Number(chunk.dataset.first) + Array.prototype.indexOf.call(chunk.children, token);
  };

  // The last child of #tokens or #ids that begins at or before token `index`.
  const holder = (parent, index) => {
    let found = null;
    for (const child of parent.children) {
      if (Number(child.dataset.first) > index) break;
      found = child;
    }
    return found;
  };
  const tokenAt = (index) => {
    const chunk = holder(byId("tokens"), index);
    return chunk?.children[index - Number(chunk.dataset.first)] ?? null;
  };
  const numbersOf = (line) => {
    if (!numberStarts.has(line)) {
      numberStarts.set(line, Array.from(line.textContent.matchAll(/\d+/g), (m) => [m.index, m.index + m[0].length]));
    }
    return numberStarts.get(line);
  };

  const mark = (token, reveal) => {
    if (marked === token) return;
    marked?.classList.remove("on");
    highlight?.clear();
    marked = token;
    if (!token) return;
    token.classList.add("on");
    const index = indexOf(token);
    const line = byId("ids") && holder(byId("ids"), index);
    const place = line && numbersOf(line)[index - Number(line.dataset.first)];
    if (!place || !highlight) return;
    const range = new Range();
    range.setStart(line.firstChild, place[0]);
    range.setEnd(line.firstChild, place[1]);
    highlight.add(range);
    if (reveal) scrollWithin(byId("ids"), range.getBoundingClientRect());
  };

  const scrollWithin = (pane, box) => {
    const frame = pane.getBoundingClientRect();
    if (box.top < frame.top) pane.scrollTop -= frame.top - box.top + 8;
    else if (box.bottom > frame.bottom) pane.scrollTop += box.bottom - frame.bottom + 8;
  };

  const tokenAtPoint = (event) => {
    const target = event.target;
    if (isToken(target)) return target;
    if (!target.closest?.("#ids")) return null;
    const position = document.caretPositionFromPoint?.(event.clientX, event.clientY);
    const fallback = position ? null : document.caretRangeFromPoint?.(event.clientX, event.clientY);
    const node = position?.offsetNode ?? fallback?.startContainer;
    const offset = position?.offset ?? fallback?.startOffset;
    const line = node?.parentElement;
    if (!line?.classList.contains("ids")) return null;
    const n = numbersOf(line).findIndex(([start, end]) => start <= offset && offset <= end);
    return n < 0 ? null : tokenAt(Number(line.dataset.first) + n);
  };

  document.addEventListener("pointermove", (event) => {
    if (event.pointerType !== "touch" && event.target.closest?.("#tokens, #ids")) mark(tokenAtPoint(event), event.target.closest("#tokens"));
    else if (marked && !marked.contains(document.activeElement)) mark(null);
  }, { passive: true });

  // Show the details of a token; of none if it is null.
  const choose = (token) => {
    const number = byId("token");
    if (!number) return;
    byId("tokens").querySelector("[aria-current]")?.removeAttribute("aria-current");
    token?.setAttribute("aria-current", "true");
    // Where the details are a sheet over the page, it comes from the side of the screen that the token is not on.
    if (token) byId("details").classList.toggle("above", token.getBoundingClientRect().bottom > innerHeight * .54);
    number.value = token ? indexOf(token) : "";
    wanted = true;
    number.dispatchEvent(new Event("change", { bubbles: true }));
  };

  // Previous, next and close, in the details.
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("button[data-token]");
    if (!button || !byId("token")?.hasAttribute("data-htmx-powered")) return;
    event.preventDefault();
    const shown = byId("tokens").querySelector("[aria-current]");
    const token = button.value === "" ? null : tokenAt(Number(button.value));
    if (token) scrollWithin(byId("tokens"), token.getBoundingClientRect());
    pressed = button.getAttribute("aria-label");
    choose(token);
    if (!token) focusToken(shown);
  });

  const focusToken = (token) => {
    if (!token) return;
    current?.removeAttribute("tabindex");
    current = token;
    token.tabIndex = 0;
    if (!token.hasAttribute("href")) token.setAttribute("role", "button");
    token.focus();
  };

  document.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || !getSelection().isCollapsed) return;
    const token = tokenAtPoint(event);
    // Until htmx is at work a link is a link.
    if (!token || !byId("token")?.hasAttribute("data-htmx-powered")) return;
    event.preventDefault();
    if (isToken(event.target)) focusToken(token);
    else mark(token);
    choose(token);
  });

  document.addEventListener("focusin", (event) => {
    if (isToken(event.target)) mark(event.target, true);
  });

  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.matches("#token[data-htmx-powered]")) {
      // Enter means this token, not the whole form again.
      event.preventDefault();
      event.target.dispatchEvent(new Event("change", { bubbles: true }));
    }
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter" && event.target.form === form) form.requestSubmit();
    const pane = event.target.closest?.("#tokens, #ids");
    if (!pane || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = isToken(event.target) ? indexOf(event.target) : marked ? indexOf(marked) : -1;
    const next = placeAfter(event.key, at, Number(byId("figures").dataset.tokens));
    if (next !== null) move(pane, next);
    else if ((event.key === "Enter" || event.key === " ") && at >= 0) choose(tokenAt(at));
    else if (event.key === "Escape" && isToken(event.target)) byId("tokens").focus();
    else return;
    event.preventDefault();
  });

  const move = (pane, index) => {
    const token = tokenAt(index);
    if (pane.id === "tokens") focusToken(token);
    else mark(token, true);
  };

  // Links cost the keyboard one stop each: with this script the arrows walk them, and only one is a stop. Not before the
  // first key: marking all would compute the styles of all before the first tokens are painted.
  document.addEventListener("keydown", (event) => {
    if (event.key === "Tab") for (const link of document.querySelectorAll("#tokens a:not([tabindex])")) link.tabIndex = -1;
  });

  // ── Panels ──────────────────────────────────────────────────────────────────────────────────────────────────────

  const load = (panel) => new Promise((resolve) => {
    document.head.append(Object.assign(document.createElement("script"), { src: panel.dataset.script, onload: resolve, onerror: resolve }));
  });
  // The script of panels and files loads when the first panel opens, or at its first use, which waits for it.
  const LATER = { click: "button:is([name=pick], [data-copy], [data-whole-page])", change: "#vocabulary-file" };
  let loading, loaded;
  const loadPanels = () => loading ??= load(byId("export")).then(() => { loaded = true; });
  const later = async (event) => {
    const target = event.target.closest?.(LATER[event.type]);
    if (!target || loaded) return;
    event.preventDefault();
    await loadPanels();
    event.type === "click" ? target.click() : target.dispatchEvent(new Event(event.type, { bubbles: true }));
  };
  for (const type of Object.keys(LATER)) document.addEventListener(type, later);
  document.addEventListener("toggle", loadPanels, { capture: true, once: true });

  document.addEventListener("htmx:after:swap", () => {
    mark(null);
    current = null;
    if (wanted && pressed) {
      // At the first and the last token the pressed button is disabled: its neighbour gets the focus.
      const again = `button[aria-label="${CSS.escape(pressed)}"]:enabled`;
      (byId("details").querySelector(again) ?? byId("details").querySelector("button[data-token]:enabled"))?.focus();
    }
    wanted = false;
    pressed = null;
  });
  // A shared result has tokens to walk through, and nothing to type.
  if (!text) return;

  // ── The form ────────────────────────────────────────────────────────────────────────────────────────────────────

  slider.addEventListener("input", () => {
    size.value = slider.value;
    size.dispatchEvent(new Event("input", { bubbles: true }));
  });
  size.addEventListener("input", () => { slider.value = size.value; });

  // Pieces and merges have sliders of different length; a choice between them starts where the new one starts.
  const fitSlider = () => {
    const { least, most, start } = form.querySelector("[name=algorithm]:checked").dataset;
    if (start === undefined) return; // nothing is trained for this algorithm
    if (slider.min !== least || slider.max !== most) {
      const before = size.value;
      slider.min = size.min = least;
      slider.max = size.max = most;
      if (before === "" || Number(before) < Number(least) || Number(before) > Number(most) || slider.dataset.fitted) size.value = start;
    }
    slider.dataset.fitted = "yes";
    if (size.value === "") size.value = start;
    slider.value = size.value;
  };
  form.addEventListener("input", (event) => {
    if (event.target.name === "algorithm" || event.target.name === "vocabulary") fitSlider();
  }, { capture: true });

  // What stands under the tokens is chosen in the result, outside the form's elements.
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("button[name=view]");
    if (!button) return;
    event.preventDefault();
    byId("view").value = button.value;
    pressedView = button.value;
    refresh();
  });
  let pressedView = null;
  document.addEventListener("change", (event) => {
    if (event.target.id === "show") refresh();
  });

  // The same text with another algorithm, without leaving the page.
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("[data-algorithm]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const radio = byId(`a-${link.dataset.algorithm}`);
    radio.checked = true;
    const list = form.querySelector(`select.list-${radio.dataset.list}`);
    list.value = link.dataset.vocabulary;
    radio.dispatchEvent(new Event("input", { bubbles: true }));
  });

  document.addEventListener("click", (event) => {
    const example = event.target.closest?.("a.example");
    if (!example || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    replaceText(new URL(example.href).searchParams.get("text"));
    if (!example.matches(".surprise")) return;
    text.focus({ preventScroll: true });
    text.select(); // what is typed takes its place
  });

  byId("vocabulary-file").value = ""; // which a browser may have put back

  // The script for sharing loads when the visitor opens that panel, or if this tab still has a new link.
  if (sessionStorage.getItem("link")) load(byId("share"));
  else byId("share").addEventListener("toggle", ({ target }) => load(target), { once: true });

  // ── htmx ────────────────────────────────────────────────────────────────────────────────────────────────────────

  // Compare, in the site's navigation, keeps the text as the button of the result does.
  const carryText = () => {
    const compare = document.querySelector(".tools a[href*='/compare?']");
    for (const link of document.querySelectorAll(".nav a[href*='/compare']")) {
      link.href = compare ? compare.href : link.href.split("?")[0];
    }
  };
  carryText();

  // The button that opens the switch where there is no room for it has the name of the chosen algorithm.
  const nameAlgorithm = () => {
    const chosen = form.querySelector("[name=algorithm]:checked");
    document.querySelector(".current > span").textContent = form.querySelector(`label[for=${chosen.id}]`).textContent;
  };
  form.addEventListener("input", (event) => {
    if (event.target.name !== "algorithm") return;
    nameAlgorithm();
    if (byId("algorithms").matches(":popover-open")) byId("algorithms").hidePopover();
  });

  // ── Back and forward ────────────────────────────────────────────────────────────────────────────────────────────

  // A choice is an entry of its own in the history; typing, and walking from token to token, changes the current one.
  let typing = true;
  form.addEventListener("input", (event) => {
    typing = Boolean(event.inputType) || event.target.matches("[type=number], [type=range], #corpus, #dictionary");
  }, { capture: true });
  form.addEventListener("submit", (event) => { typing = !event.submitter?.name; }, { capture: true });
  document.addEventListener("change", (event) => {
    if (event.target.id === "token") typing = new URL(location.href).searchParams.has("token") && event.target.value !== "";
  }, { capture: true });
  document.addEventListener("htmx:before:history:update", ({ detail: { history: update } }) => {
    if (!typing && new URL(update.path, location.href).href !== location.href) update.type = "push";
    typing = true;
  });
  // Back to an entry of this page: its result takes the place of this one, and its form fills the fields. A text that
  // is too long for an address stays.
  document.addEventListener("htmx:before:history:restore", (event) => {
    event.preventDefault();
    htmx.ajax("GET", location.href, { source: "#status", target: "#result", select: "#result > *", swap: "innerHTML" });
  });
  document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
    if (ctx?.sourceElement !== byId("status")) return;
    const page = new DOMParser().parseFromString(ctx.text, "text/html");
    const [fields, stored] = [document, page].map((one) => one.querySelectorAll("#playground :is(input, select, textarea):not([type=file]), #view"));
    fields.forEach((field, n) => {
      if (boxes.includes(field) && !addressHoldsText()) return;
      if (field.type === "radio" || field.type === "checkbox") field.checked = stored[n].checked;
      else field.value = stored[n].value;
    });
    byId("undo").hidden = true;
    fitSlider();
    nameAlgorithm();
    if (!addressHoldsText()) form.dispatchEvent(new Event("send"));
  });

  const status = byId("status");
  let spoken = 0;
  let others = byId("others");
  document.addEventListener("htmx:after:swap", () => {
    // The last row of other tokenizers stays until the new one is here.
    const row = byId("others");
    if (row?.ariaBusy && others) row.replaceChildren(...others.children);
    others = row ?? others;
    markWrong(form);
    nameAlgorithm();
    byId("dictionary-skipped").replaceChildren(...(byId("skipped-lines")?.cloneNode(true).childNodes ?? []));
    if (pressedView) document.querySelector(`button[name=view][value=${pressedView}]`)?.focus();
    pressedView = null;
    carryText();
    for (const example of document.querySelectorAll("a.example")) {
      const address = new URL(example.href);
      const { value } = form.elements.algorithm;
      if (address.searchParams.get("algorithm") !== value) address.searchParams.delete("vocabulary");
      address.searchParams.set("algorithm", value);
      example.href = address;
    }
    clearTimeout(spoken);
    spoken = setTimeout(() => {
      const figures = byId("figures");
      if (figures && !byId("trouble")?.childElementCount) status.textContent = status.dataset.tokens.replace("{}", figures.dataset.tokens);
    }, 1000);
  });

  // This tab alone keeps what is in the boxes, which would be lost where the URL does not hold it.
  const boxes = ["text", "corpus", "dictionary"].map(byId);
  const addressHoldsText = () => new URL(location.href).searchParams.has("text");
  window.addEventListener("pagehide", () => {
    try {
      sessionStorage.setItem("texts", JSON.stringify([location.search, ...boxes.map((box) => box.value)]));
    } catch {
      // No room or no permission: then the text lives as long as the page.
    }
  });
  const remember = () => {
    if (addressHoldsText() || boxes.some((box) => box.value !== box.defaultValue)) return;
    // A visitor who returns from another page of the site with a vocabulary wants it for the same text.
    const sentHere = document.referrer.startsWith(location.origin) && new URL(location.href).searchParams.has("vocabulary");
    try {
      const [search, ...kept] = JSON.parse(sessionStorage.getItem("texts") ?? "[]");
      if (search === location.search || (sentHere && kept.length)) boxes.forEach((box, n) => { box.value = kept[n]; });
    } catch {
      // As above.
    }
  };

  remember();
  fitSlider();
  // What was typed or chosen, or restored by the browser, before this ran has not been seen by the server yet.
  const changed = (field) =>
    field.type === "radio" || field.type === "checkbox" ? field.checked !== field.defaultChecked
    : field.tagName === "SELECT" ? field.selectedIndex !== Math.max(Array.from(field.options).findIndex((o) => o.defaultSelected), 0)
    : field.tagName === "TEXTAREA" && field.value !== field.defaultValue;
  // htmx takes up its work in a task of its own, before this one. What the browser itself puts back into the boxes,
  // on the way back or at a reload, is there at the latest when the page is shown.
  const catchUp = () => {
    if (!Array.from(form.elements).some(changed)) return;
    window.removeEventListener("pageshow", catchUp);
    setTimeout(() => form.dispatchEvent(new Event("send")));
  };
  window.addEventListener("pageshow", catchUp);
  catchUp();
})();
