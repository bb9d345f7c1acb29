// The vocabulary pages: what htmx does not do. They work without this script.
"use strict";

(() => {
  const status = document.getElementById("status");
  const unreachable = document.getElementById("unreachable");
  const find = document.getElementById("find");
  let spoken = 0;
  let leafed = false;
  let row = "";

  document.addEventListener("click", (event) => {
    // After paging by keyboard the focus moves to the new page, since the pressed link was replaced;
    leafed = Boolean(event.target.closest?.(".pager a"));
    // after a download is started, to each row that replaces the button's.
    row = event.target.closest?.(".shelf button")?.closest("li").id ?? "";
  });
  document.addEventListener("focusin", (event) => { if (event.target.closest("li")?.id !== row) row = ""; });

  // The filters keep what was typed since the page was loaded.
  find?.addEventListener("input", () => {
    for (const link of document.querySelectorAll(".finder .seg a")) {
      const address = new URL(link.href);
      if (find.value) address.searchParams.set("find", find.value);
      else address.searchParams.delete("find");
      link.href = address;
    }
  });

  // Announce the search result to screen readers once typing pauses.
  document.addEventListener("htmx:after:swap", () => {
    unreachable.hidden = true;
    if (leafed) document.querySelector("#tokens .scroll")?.focus({ preventScroll: true });
    leafed = false;
    if (row && document.activeElement === document.body) document.getElementById(row)?.querySelector("a").focus({ preventScroll: true });
    clearTimeout(spoken);
    spoken = setTimeout(() => {
      status.textContent = document.querySelector("[data-said]")?.textContent.trim() ?? "";
    }, 800);
  });
  document.addEventListener("htmx:error", () => { unreachable.hidden = false; });
})();
