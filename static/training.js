// Training: a changed corpus empties the text to encode if that is still the example's.
"use strict";

(() => {
  // On a phone the row of algorithms scrolls; the current one is brought into view.
  for (const current of document.querySelectorAll(".switches [aria-current]")) {
    const row = current.parentElement;
    row.scrollLeft = current.offsetLeft - (row.clientWidth - current.offsetWidth) / 2;
  }

  const form = document.getElementById("asked");
  const { corpus, text } = form.elements;
  let own = !form.querySelector(".presets [aria-current]"); // whether the visitor wrote the text
  text.addEventListener("input", () => { own = true; });
  corpus.addEventListener("input", () => {
    if (own) return;
    text.value = corpus.value.trim() === corpus.defaultValue.trim() ? text.defaultValue : "";
  });
})();
