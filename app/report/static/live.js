"use strict";
// What is typed goes to the server on this machine; what comes back is shown as in a report.
(function () {
  const form = document.getElementById("form");
  const story = document.getElementById("story");
  const answers = document.getElementById("answers");
  const status = document.getElementById("status");
  const button = document.getElementById("ask");
  const { el } = QuestionView;

  async function ask() {
    button.disabled = true;
    status.textContent = "reading …";
    const begun = performance.now();
    try {
      const response = await fetch("ask", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ text: story.value }),
      });
      const told = await response.json();
      if (!response.ok) throw new Error(told.error || "the server could not answer");
      answers.replaceChildren(...told.questions.map(view => {
        const box = el("div");
        QuestionView.render(view, box, { frames: told.questions.length === 1 ? "all" : "facts" });
        return box;
      }));
      status.textContent = told.questions.length + (told.questions.length === 1 ? " answer, " : " answers, ")
        + ((performance.now() - begun) / 1000).toFixed(1) + " s";
    } catch (error) {
      status.textContent = "";
      answers.replaceChildren(el("p", "note", error.name === "TypeError" ? "The server cannot be reached; is babi-cascade serve still running?" : error.message));
    } finally {
      button.disabled = false;
      document.documentElement.dataset.ready = "yes";
    }
  }

  form.addEventListener("submit", event => { event.preventDefault(); ask(); });
  story.addEventListener("keydown", event => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); ask(); }
  });
  document.documentElement.dataset.loaded = "yes";
})();
