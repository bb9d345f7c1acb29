// The steps: arrow keys, and playing the steps automatically. The rest are links; the page works without this script.
"use strict";

(() => {
  const show = document.getElementById("show");
  const player = document.getElementById("player");
  const play = document.getElementById("play");
  const pace = document.getElementById("pace");
  const status = document.getElementById("status");
  const unreachable = document.getElementById("unreachable");
  let timer = 0; // shows the next step while playing
  let focused = ""; // rel of the link that had the focus when its step was requested

  const link = (rel) => show.querySelector(`.leafing a[rel=${rel}]`);
  const playing = () => timer !== 0;

  const offer = () => { player.hidden = !link("next") && !link("prev"); };

  const stop = () => {
    clearTimeout(timer);
    timer = 0;
    play.textContent = play.dataset.play;
  };
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (link("next")) link("next").click();
      else stop();
    }, Number(pace.value));
  };

  play.addEventListener("click", () => {
    if (playing()) return stop();
    play.textContent = play.dataset.pause;
    if (!link("next")) link("first")?.click(); // from the end, start again
    later();
  });
  pace.addEventListener("change", () => { if (playing()) later(); });

  const KEYS = { ArrowRight: "next", ArrowLeft: "prev", Home: "first", End: "last" };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || !(event.key in KEYS)) return;
    if (event.target.closest?.("input, select, textarea, [role=region]")) return;
    event.preventDefault();
    stop();
    link(KEYS[event.key])?.click();
  });

  // Stepping by hand stops the player.
  show.addEventListener("click", (event) => {
    const pressed = event.target.closest?.(".leafing a");
    if (!pressed) return;
    if (event.isTrusted) stop();
    if (pressed === document.activeElement) focused = pressed.rel;
  });
  document.addEventListener("htmx:after:swap", () => {
    unreachable.hidden = true;
    offer();
    if (status) status.textContent = show.querySelector(".told")?.textContent ?? "";
    if (focused) (link(focused) ?? link("prev") ?? link("next"))?.focus({ preventScroll: true });
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

  offer();
})();
