// The pages about vocabularies: what htmx leaves to do. They work without this file.
"use strict";

(() => {
  const status = document.getElementById("status");
  const unreachable = document.getElementById("unreachable");
  let spoken = 0;
  let leafed = false;

  // Whoever leafs by keyboard goes on in the page that came: the link that was pressed is gone with the old one.
  document.addEventListener("click", (event) => { leafed = Boolean(event.target.closest?.(".pager a")); });

  // A screen reader is told what was found once the typing pauses.
  document.addEventListener("htmx:after:swap", () => {
    unreachable.hidden = true;
    if (leafed) document.querySelector("#tokens .scroll")?.focus({ preventScroll: true });
    leafed = false;
    clearTimeout(spoken);
    spoken = setTimeout(() => {
      status.textContent = document.querySelector("[data-said]")?.textContent.trim() ?? "";
    }, 800);
  });
  document.addEventListener("htmx:error", () => { unreachable.hidden = false; });
})();
