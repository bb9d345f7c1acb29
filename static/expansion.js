// The page that expands a vocabulary: shows problems beside their fields. The page works without this script.
"use strict";

(() => {
  const form = document.getElementById("expand");
  const mark = () => {
    for (const error of form.querySelectorAll(".error")) {
      const name = error.id.replace(/-error$/, "");
      const told = document.querySelector(`#preview [data-field="${name}"]`);
      error.hidden = !told;
      error.textContent = told ? told.textContent.trim() : "";
      const field = form.elements[name];
      if (field instanceof Element) told ? field.setAttribute("aria-invalid", "true") : field.removeAttribute("aria-invalid");
    }
  };
  document.addEventListener("htmx:after:swap", mark);
})();
