// The split page: loads a chosen file into the text box. The page works without this script.
"use strict";

(() => {
  const file = document.getElementById("file");
  const text = document.getElementById("text");
  file.addEventListener("change", async () => {
    if (!file.files[0]) return;
    try {
      text.value = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await file.files[0].arrayBuffer());
      file.value = "";
    } catch {
      // Not UTF-8: the file is sent to the server, which reports the offset.
    }
    document.querySelector("#split .primary").click();
  });
  // Do not send a rejected file again with the next text.
  document.addEventListener("htmx:finally:request", () => { file.value = ""; });
})();
