// Tokenscope, the splitter: a file that is chosen stands in the text box at once. The page works without this file.
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
      // Not UTF-8: the server is shown the file and names the offset.
    }
    document.querySelector("#split .primary").click();
  });
  // A file that was refused must not be sent again with the next text.
  document.addEventListener("htmx:finally:request", () => { file.value = ""; });
})();
