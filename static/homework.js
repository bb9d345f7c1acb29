// Homework: keeps the signed record of what was handed in in this browser, sends it along with each form, and shows it in
// the list of exercises. The pages work without this script; then the record is in their forms alone.
"use strict";

(() => {
  const KEY = "homework";
  const field = () => document.querySelector("input[name=record]");
  const stored = () => {
    try {
      return localStorage.getItem(KEY) ?? "";
    } catch {
      return ""; // no permission: the record is in the form
    }
  };
  const works = () => {
    try {
      return JSON.parse(field()?.value || "{}").report?.works ?? [];
    } catch {
      return [];
    }
  };
  const outcome = (work) => {
    const reached = new Set((work.tries ?? []).map((each) => each.outcome));
    return reached.has("right") ? "right" : reached.size ? "wrong" : "";
  };

  const show = () => {
    const states = new Map(works().map((work) => [work.exercise, outcome(work)]));
    for (const item of document.querySelectorAll("[data-exercise]")) {
      const state = states.get(item.dataset.exercise) ?? "";
      item.querySelector(".st").className = `st ${state}`;
      item.querySelector(".unseen").textContent = state ? item.dataset[state] : "";
    }
    for (const sum of document.querySelectorAll("[data-sum]")) {
      const section = sum.closest("[data-course]") ?? document;
      sum.textContent = sum.dataset.sum.replace("{done}", section.querySelectorAll(".st.right").length);
    }
  };
  const keep = () => {
    if (!field()?.value) return;
    try {
      localStorage.setItem(KEY, field().value);
    } catch {
      // No room or no permission: the record stays in the form.
    }
  };

  const isNew = field()?.value === "";
  if (isNew) field().value = stored();
  else keep();
  show();

  document.addEventListener("click", (event) => {
    if (!event.target.closest?.("[data-forget]")) return;
    event.preventDefault();
    localStorage.removeItem(KEY);
    location.assign(location.pathname);
  });

  const form = document.getElementById("handin");
  if (!form) return;
  // What this browser knows about the exercise: its tries and open hints. The form is sent once htmx serves it.
  const resume = () => {
    if ("htmxPowered" in form.dataset) form.requestSubmit(document.getElementById("resume"));
    else setTimeout(resume, 50);
  };
  if (isNew && works().some((work) => work.exercise === form.dataset.work)) resume();
  let checked = false;
  form.addEventListener("submit", (event) => {
    checked = event.submitter?.id === "check";
    const latest = stored(); // another tab may have added to it
    if (latest && field()) field().value = latest;
  }, { capture: true });
  // The verdict and the hints are swapped one after the other.
  let swapped = 0;
  document.addEventListener("htmx:after:swap", () => {
    clearTimeout(swapped);
    swapped = setTimeout(() => {
      keep();
      show();
      const verdict = checked && document.getElementById("verdict");
      checked = false;
      if (!verdict) return;
      for (const each of form.querySelectorAll("[name=predicted]")) each.checked = false; // a prediction is for one try
      verdict.focus({ preventScroll: true });
      verdict.scrollIntoView({ block: "nearest" });
    });
  });
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey || event.target.type === "radio")) return;
    event.preventDefault();
    form.requestSubmit(document.getElementById("check"));
  });

  const files = document.getElementById("files");
  const box = document.getElementById("answer");
  const name = () => { document.getElementById("chosen").textContent = Array.from(files.files, (file) => file.name).join(" · "); };
  files?.addEventListener("change", name);
  box?.addEventListener("dragover", (event) => event.preventDefault());
  box?.addEventListener("drop", (event) => {
    if (!event.dataTransfer.files.length || !files) return;
    event.preventDefault();
    files.files = event.dataTransfer.files;
    name();
  });
})();
