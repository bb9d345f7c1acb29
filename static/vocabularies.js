// The vocabulary pages: what htmx does not do. They work without this script.
"use strict";

(() => {
  const status = document.getElementById("status");
  const unreachable = document.getElementById("unreachable");
  let spoken = 0;
  let leafed = false;

  // After paging by keyboard the focus moves to the new page, since the pressed link was replaced.
  document.addEventListener("click", (event) => { leafed = Boolean(event.target.closest?.(".pager a")); });

  // Announce the search result to screen readers once typing pauses.
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
