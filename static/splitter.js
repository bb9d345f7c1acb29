// The pages of tools: loads a chosen file into the text box, and shows problems beside their fields. The page
// works without this script.
"use strict";

(() => {
  const form = document.querySelector("main form[hx-target]");
  const file = document.getElementById("file");
  const text = document.getElementById("text");

  file?.addEventListener("change", async () => {
    if (!file.files[0]) return;
    try {
      text.value = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await file.files[0].arrayBuffer());
      file.value = "";
    } catch {
      // Not UTF-8: the file is sent to the server, which reports the offset.
    }
    form.requestSubmit();
  });
  // Short texts are answered while one types; for others there is the button.
  const LIVE = 5000; // characters
  let waiting = 0;
  form.addEventListener("input", ({ target: field }) => {
    clearTimeout(waiting);
    const isShort = "live" in form.dataset && field !== file && (text?.value.length ?? 0) <= LIVE;
    waiting = isShort ? setTimeout(() => form.requestSubmit(), 300) : 0;
  });
  form.addEventListener("submit", () => clearTimeout(waiting));
  // Do not send a rejected file again with the next text.
  document.addEventListener("htmx:finally:request", () => { if (file) file.value = ""; });

  // Downloads are answers for the browser, not for htmx.
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("button[data-whole-page]");
    if (!button) return;
    event.preventDefault();
    const action = form.action;
    form.action = button.formAction;
    form.submit();
    form.action = action;
  });

  const mark = () => {
    for (const error of form.querySelectorAll(".error")) {
      const name = error.id.replace(/-error$/, "");
      const told = document.querySelector(`${form.getAttribute("hx-target")} [data-field="${name}"]`);
      error.hidden = !told;
      error.textContent = told ? told.textContent.trim() : "";
      const field = form.elements[name];
      if (field instanceof Element) told ? field.setAttribute("aria-invalid", "true") : field.removeAttribute("aria-invalid");
    }
  };
  document.addEventListener("htmx:after:swap", mark);
})();
