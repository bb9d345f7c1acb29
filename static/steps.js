// The steps: arrow keys, and playing the steps automatically. The rest are links; the page works without this script.
"use strict";

(() => {
  const show = document.getElementById("show");
  const status = document.getElementById("status");
  const unreachable = document.getElementById("unreachable");
  let timer = 0; // shows the next step while playing
  let focused = ""; // the control that had the focus when its step was requested
  let scrolled = []; // how far the pictures were scrolled then

  const link = (rel) => show.querySelector(`.player a[rel=${rel}]`);
  const control = (name) => (name === "play" ? document.getElementById("play") : link(name));
  const playing = () => timer !== 0;

  const label = () => {
    const play = document.getElementById("play");
    if (!play) return;
    play.classList.toggle("playing", playing());
    play.title = playing() ? play.dataset.pause : play.dataset.play;
    play.setAttribute("aria-label", play.title);
  };
  const stop = () => {
    clearTimeout(timer);
    timer = 0;
    label();
  };
  // Time to read the sentence: longer for a longer one, and for characters that are words.
  const pace = () => {
    const said = show.querySelector(".say")?.textContent ?? "";
    const wide = (said.match(/\p{Script=Han}/gu) ?? []).length;
    return Math.min(6000, 1200 + 18 * said.length + 60 * wide);
  };
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (link("next")) link("next").click();
      else stop();
    }, pace());
    label();
  };

  const KEYS = { ArrowRight: "next", ArrowLeft: "prev", Home: "first", End: "last" };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || !(event.key in KEYS)) return;
    // A picture that is wider than its frame scrolls with these keys.
    const region = event.target.closest?.("[role=region]");
    if (event.target.closest?.("input, select, textarea") || (region && region.scrollWidth > region.clientWidth)) return;
    event.preventDefault();
    stop();
    link(KEYS[event.key])?.click();
  });

  show.addEventListener("click", (event) => {
    if (event.target.closest?.("#play")) {
      if (playing()) return stop();
      if (link("next")) return later();
      focused = "play";
      link("first")?.click(); // from the end, start again
      return later();
    }
    const pressed = event.target.closest?.(".player a");
    if (!pressed) return;
    if (event.isTrusted) stop(); // stepping by hand
    const active = document.activeElement;
    if (active?.closest?.(".player")) focused = active.id || active.rel;
  });

  // A picture wider than the screen keeps its place, unless the position of the step is outside.
  const pictures = () => [...show.querySelectorAll("[data-focus]")];
  const follow = (before) => {
    pictures().forEach((picture, at) => {
      const drawing = picture.querySelector(".diagram");
      const spare = picture.scrollWidth - picture.clientWidth;
      if (!drawing || spare <= 0) return;
      picture.scrollLeft = before[at] ?? 0;
      const frame = picture.getBoundingClientRect();
      const box = drawing.getBoundingClientRect();
      const x = box.left - frame.left + (Number(picture.dataset.focus) * box.width) / drawing.viewBox.baseVal.width;
      const margin = Math.min(80, picture.clientWidth / 4);
      if (x < margin || x > picture.clientWidth - margin) picture.scrollLeft += x - picture.clientWidth * 0.6;
    });
  };

  document.addEventListener("htmx:before:swap", () => { scrolled = pictures().map((picture) => picture.scrollLeft); });
  document.addEventListener("htmx:after:swap", () => {
    unreachable.hidden = true;
    if (status) status.textContent = show.querySelector(".say")?.textContent ?? "";
    follow(scrolled);
    if (focused) (control(focused) ?? link("prev") ?? link("next"))?.focus({ preventScroll: true });
    focused = "";
    if (playing()) {
      if (link("next")) later();
      else stop();
    }
  });
  document.addEventListener("htmx:error", () => {
    stop();
    unreachable.hidden = false;
  });

  follow([]);
})();
