// The pages about vocabularies: what htmx leaves to do. They work without this file.
"use strict";

(() => {
  const status = document.getElementById("status");
  const unreachable = document.getElementById("unreachable");
  let spoken = 0;

  // A screen reader is told what was found once the typing pauses.
  document.addEventListener("htmx:after:swap", () => {
    unreachable.hidden = true;
    clearTimeout(spoken);
    spoken = setTimeout(() => {
      status.textContent = document.querySelector("[data-said]")?.textContent.trim() ?? "";
    }, 800);
  });
  document.addEventListener("htmx:error", () => { unreachable.hidden = false; });
})();
