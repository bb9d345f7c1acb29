// Training: the upload of a corpus with its progress, and the news of a training. The pages work without this script.
"use strict";

(() => {
  const byId = (id) => document.getElementById(id);

  // ── The news of a training: title of the tab, and what a screen reader hears ────────────────────────────────────

  const announcement = byId("announcement");
  if (announcement) {
    const tell = () => {
      const job = byId("job");
      document.title = job.dataset.tab;
      if (announcement.textContent !== job.dataset.announcement) announcement.textContent = job.dataset.announcement;
    };
    const unreachable = byId("unreachable");
    document.addEventListener("htmx:after:swap", () => { unreachable.hidden = true; tell(); });
    document.addEventListener("htmx:error", () => { unreachable.hidden = false; });
    announcement.textContent = byId("job").dataset.announcement;
    return;
  }

  // ── The upload ──────────────────────────────────────────────────────────────────────────────────────────────────

  const form = byId("corpus");
  const files = byId("files");
  const drop = byId("drop");
  const text = byId("text");
  const chosen = byId("chosen");
  const uploading = byId("upload-progress");
  const failed = byId("upload-error");
  const language = document.documentElement.lang;
  const MEGABYTE = 1048576; // bytes, as on the server
  const megabytes = (bytes) => (bytes / MEGABYTE).toLocaleString(language, { maximumFractionDigits: 1 });
  const sizeOf = (bytes) => new Intl.NumberFormat(language, { style: "unit", unit: bytes < MEGABYTE ? "kilobyte" : "megabyte", maximumFractionDigits: 1 }).format(bytes / (bytes < MEGABYTE ? 1024 : MEGABYTE));
  const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_all, name) => values[name]);
  const tell = (error, message) => {
    error.textContent = message;
    error.hidden = !message;
    const field = byId(error.id.replace(/-error$/, ""));
    if (message) field?.setAttribute("aria-invalid", "true");
    else field?.removeAttribute("aria-invalid");
  };
  const clear = () => { for (const error of form.querySelectorAll(".error")) tell(error, ""); };

  // The chosen files, and whether they are too large together.
  const list = () => {
    const all = Array.from(files.files);
    if (all.length && text.value === text.defaultValue) text.value = ""; // files take the place of the text to start with
    const size = all.reduce((sum, file) => sum + file.size, 0);
    const most = Number(files.dataset.most);
    chosen.hidden = !all.length;
    chosen.replaceChildren(...all.map((file) => {
      const line = document.createElement("li");
      line.textContent = filled(files.dataset.chosen, { name: file.name, size: sizeOf(file.size) });
      return line;
    }));
    clear();
    if (size > most) tell(byId("files-error"), filled(files.dataset.tooLarge, { size: megabytes(size), limit: megabytes(most) }));
    return size <= most;
  };
  files.addEventListener("change", list);
  text.addEventListener("focus", () => { if (text.value === text.defaultValue) text.select(); }, { once: true });

  drop.addEventListener("dragover", (event) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    drop.classList.add("dropping");
  });
  drop.addEventListener("dragleave", (event) => { if (!drop.contains(event.relatedTarget)) drop.classList.remove("dropping"); });
  drop.addEventListener("drop", (event) => {
    drop.classList.remove("dropping");
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    files.files = event.dataTransfer.files;
    list();
  });

  // What the server said is wrong: beside the fields, with the files still chosen.
  const show = (request) => {
    const page = new DOMParser().parseFromString(request.responseText, "text/html");
    let told = false;
    for (const error of page.querySelectorAll("#corpus .error:not([hidden])")) {
      tell(byId(error.id), error.textContent);
      told = true;
    }
    const notice = page.querySelector("main .notice p, main .blank p");
    if (!told) tell(failed, notice?.textContent.trim() || failed.dataset.text);
  };

  let request = null;
  const end = () => {
    request = null;
    uploading.hidden = true;
    for (const button of form.querySelectorAll("[type=submit]")) button.disabled = false;
  };
  byId("upload-cancel").addEventListener("click", () => { request?.abort(); byId("continue").focus(); });

  form.addEventListener("submit", (event) => {
    // A switch of the language or the theme sends the form as a page.
    if (event.submitter?.name === "lang" || event.submitter?.name === "theme") return;
    event.preventDefault();
    if (request || !list()) return;
    const bar = byId("upload-bar");
    const figure = byId("upload-figure");
    const data = new FormData(form, event.submitter);
    request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.setRequestHeader("HX-Request-Type", "partial");
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      bar.value = total ? loaded / total : 0;
      figure.textContent = loaded < total ? filled(figure.dataset.text, { sent: megabytes(loaded), total: megabytes(total) }) : figure.dataset.done;
    });
    request.addEventListener("load", () => {
      const address = request.status === 201 && request.getResponseHeader("Location");
      if (address) {
        location.assign(address);
        return;
      }
      const answered = request;
      end();
      show(answered);
    });
    request.addEventListener("error", () => { end(); tell(failed, failed.dataset.text); });
    request.addEventListener("abort", end);
    bar.value = 0;
    figure.textContent = "";
    uploading.hidden = false;
    for (const button of form.querySelectorAll("[type=submit]")) button.disabled = true;
    request.send(data);
  });
  // Back from the next page: the form is as it was, without the bar.
  addEventListener("pageshow", end);
})();
