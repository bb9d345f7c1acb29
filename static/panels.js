// The panels of the playground and of a shared result, and what is sent as a file or comes as one. app.js loads this
// when the first panel opens, or at the first click that needs it.
(() => {
  "use strict";
  const { byId, refuseLarge } = Tokenscope;
  const form = byId("playground");

  // ── Export ──────────────────────────────────────────────────────────────────────────────────────────────────────

  // The ids are here already, once a long result is complete; the tokens as a file has them are asked for.
  const copied = async (button) => {
    if (button.dataset.copy === "ids") {
      const ids = byId("ids").textContent.match(/\d+/g) ?? [];
      if (ids.length !== Number(byId("figures").dataset.tokens)) throw new Error("the result is still coming");
      return `[${ids.join(", ")}]`;
    }
    const chosen = new FormData(byId(button.dataset.form));
    const answer = await (form
      ? fetch(button.dataset.copy, { method: "POST", body: chosen })
      : fetch(`${button.dataset.copy}?${new URLSearchParams(chosen)}`));
    if (!answer.ok) throw new Error(answer.statusText);
    return answer.text();
  };
  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("button[data-copy]");
    if (!button) return;
    const told = byId("copied");
    told.textContent = "";
    try {
      await navigator.clipboard.writeText(await copied(button));
      told.textContent = told.dataset.done;
      button.classList.add("copied");
      setTimeout(() => button.classList.remove("copied"), 2000);
    } catch {
      told.textContent = told.dataset.failed;
    }
  });

  // A shared result has no vocabulary to choose.
  if (!form) return;

  // ── Vocabularies ────────────────────────────────────────────────────────────────────────────────────────────────

  // A vocabulary picked from the list of all: its algorithm is chosen with it.
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("button[name=pick]");
    if (!button) return;
    const algorithms = button.dataset.algorithms.split(" ");
    if (!algorithms.includes(form.elements.algorithm.value)) form.elements.algorithm.value = algorithms[0];
    const option = form.querySelector(`option[value="${CSS.escape(button.value)}"]`);
    if (!option) return;
    event.preventDefault();
    option.selected = true;
    for (const other of byId("choices").querySelectorAll("[aria-current]")) other.removeAttribute("aria-current");
    if (button.closest("#choices")) button.setAttribute("aria-current", "true");
    byId("finder").hidePopover?.();
    option.parentElement.closest("select").dispatchEvent(new Event("input", { bubbles: true }));
  });

  // A vocabulary file is sent once, when it is chosen, and not with every letter that is typed.
  document.addEventListener("change", ({ target: field }) => {
    if (field.id !== "vocabulary-file") return;
    if (refuseLarge(field, field.files)) field.value = "";
    else if (field.files.length) document.querySelector(".panel button[data-whole-page]").click();
  });

  // A file for the server changes more than the result: the whole page is wanted, as without this script.
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("button[data-whole-page]");
    if (!button) return;
    event.preventDefault();
    const own = form.action;
    const pressed = Object.assign(document.createElement("input"), { type: "hidden", name: button.name, value: button.value });
    form.append(pressed);
    form.action = button.formAction;
    form.submit();
    form.action = own; // a download leaves the page as it is
    pressed.remove();
  });
})();
