// The steps: keys, slider, playing them, and tiles that slide together. The rest are links; the page works without this script.
"use strict";

(() => {
  const show = document.getElementById("show");
  const status = document.getElementById("status");
  const unreachable = document.getElementById("unreachable");
  let timer = 0; // shows the next step while playing
  let focused = ""; // the control that had the focus when its step was requested
  let scrolled = []; // how far the pictures were scrolled then
  let rows = []; // the tiles of each row then
  let speed = 1;
  let shown = 0; // when the step was asked for
  const A_STEP = 800; // milliseconds, at speed 1
  const race = document.querySelector("main.race");
  const still = matchMedia("(prefers-reduced-motion: reduce)");

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
  // From one step to the next, whatever the server took.
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      shown = performance.now();
      if (link("next")) link("next").click();
      else stop();
    }, Math.max(0, A_STEP / speed - (performance.now() - shown)));
    label();
  };
  const play = () => {
    if (playing()) return stop();
    shown = performance.now();
    if (!link("next")) {
      focused = "play";
      link("first")?.click(); // from the end, start again
    }
    later();
  };
  const faster = (value) => {
    speed = value;
    for (const button of show.querySelectorAll(".speed button")) button.setAttribute("aria-pressed", Number(button.value) === speed);
    if (playing()) later();
  };

  // The slider shows its step while it is dragged. The page is morphed, so that the slider stays in the hand.
  let scrubbing = false;
  let wanted = 0;
  const scrub = async () => {
    if (scrubbing) return;
    scrubbing = true;
    for (let step = 0; step !== wanted; ) {
      step = wanted;
      const address = show.querySelector(".scrub").dataset.address.replace("999999999", step);
      await htmx.ajax("GET", address, { target: "#show", swap: "innerMorph" });
    }
    scrubbing = false;
  };
  show.addEventListener("input", (event) => {
    if (!event.target.matches?.(".scrub")) return;
    stop();
    wanted = event.target.value;
    scrub();
  });

  // Tiles that become one slide together; all others slide to their new place. Both rows have a start and an end in common.
  const tilesOf = (row) => [...row.querySelectorAll(".tile:not(.sliding)")].map((tile) => {
    return { tile, text: (tile.querySelector("bdi") ?? tile).textContent, box: tile.getBoundingClientRect() };
  });
  const measured = () => [...show.querySelectorAll(".moving")].map(tilesOf);
  const written = (tiles) => tiles.map((each) => each.text).join("");
  const timing = () => ({ duration: Math.min(200, 400 / speed), easing: "cubic-bezier(.2, .7, .2, 1)" });
  const slide = (from, to) => {
    const [x, y] = [from.box.left - to.box.left, from.box.top - to.box.top];
    if (x || y) to.tile.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }], timing());
  };
  const merge = (row, parts, { tile, box }) => {
    if (parts.length < 2 || parts[0].tile.isConnected) return;
    const frame = row.getBoundingClientRect();
    const scale = box.width / parts.reduce((sum, part) => sum + part.box.width, 0);
    let left = box.left;
    for (const part of parts) {
      const ghost = part.tile.cloneNode(true);
      ghost.classList.add("sliding");
      ghost.setAttribute("aria-hidden", "true");
      Object.assign(ghost.style, { left: `${part.box.left - frame.left}px`, top: `${part.box.top - frame.top}px` });
      row.append(ghost);
      const way = `translate(${left - part.box.left}px, ${box.top - part.box.top}px)`;
      const remove = () => ghost.remove();
      ghost.animate([{ transform: "none" }, { transform: way }], timing()).finished.then(remove, remove);
      left += part.box.width * scale;
    }
    tile.animate([{ opacity: 0 }, { opacity: 0, offset: 0.6 }, { opacity: 1 }], timing());
  };
  const move = (row, before) => {
    const after = tilesOf(row);
    const least = Math.min(before.length, after.length);
    let start = 0;
    while (start < least && before[start].text === after[start].text) start += 1;
    let end = 0;
    while (end < least - start && before.at(-1 - end).text === after.at(-1 - end).text) end += 1;
    for (let at = 0; at < start; at += 1) slide(before[at], after[at]);
    for (let at = 1; at <= end; at += 1) slide(before.at(-at), after.at(-at));
    const old = before.slice(start, before.length - end);
    const made = after.slice(start, after.length - end);
    if (made.length === 1) return merge(row, old, made[0]); // bytes that become a character have another text
    if (written(old) !== written(made)) return;
    for (const one of made) {
      const parts = [];
      while (old.length && written([...parts, old[0]]).length <= one.text.length) parts.push(old.shift());
      if (written(parts) !== one.text) return;
      if (parts.length > 1) merge(row, parts, one);
      else slide(parts[0], one);
    }
  };

  // The keys of the projector view.
  const projector = (key) => {
    const code = race.querySelector(".phone");
    if (key === " ") play();
    else if (key in [0, 1, 2, 3, 4] && key > 0) faster([0.5, 1, 2, 4][key - 1]);
    else if (key === "f") document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen();
    else if (key === "q" && code) code.open = !code.open;
    else if (key === "Escape" && code?.open) code.open = false;
    else if (key === "Escape" && !document.fullscreenElement) document.getElementById("view").click();
    else return false;
    return true;
  };

  const KEYS = { ArrowRight: "next", ArrowLeft: "prev", Home: "first", End: "last" };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (race?.matches(".large") && !event.target.closest?.("input, select, a, button, summary") && projector(event.key)) return event.preventDefault();
    if (!(event.key in KEYS)) return;
    // A picture that is wider than its frame scrolls with these keys.
    const region = event.target.closest?.("[role=region]");
    if (event.target.closest?.("input, select, textarea") || (region && region.scrollWidth > region.clientWidth)) return;
    event.preventDefault();
    stop();
    link(KEYS[event.key])?.click();
  });

  show.addEventListener("click", (event) => {
    if (event.target.closest?.("#play")) return play();
    const chosen = event.target.closest?.(".speed button");
    if (chosen) return faster(Number(chosen.value));
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

  document.addEventListener("htmx:before:swap", () => { 
    scrolled = pictures().map((picture) => picture.scrollLeft);
    rows = measured();
  });
  document.addEventListener("htmx:after:swap", () => {
    unreachable.hidden = true;
    if (status) status.textContent = show.querySelector(".say")?.textContent ?? "";
    follow(scrolled);
    faster(speed);
    if (!still.matches) [...show.querySelectorAll(".moving")].forEach((row, at) => { if (rows[at]) move(row, rows[at]); });
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

  faster(speed);
  follow([]);
})();
