"use strict";
// Light, dark, or as the system has it; remembered where the browser allows it.
(function () {
  const names = ["auto", "light", "dark"];
  const button = document.getElementById("theme");
  function remembered() {
    try { return localStorage.getItem("babi-cascade-theme"); } catch (error) { return null; }
  }
  function show(name) {
    if (name === "auto") document.documentElement.removeAttribute("data-theme");
    else document.documentElement.setAttribute("data-theme", name);
    button.textContent = "Colours: " + name;
    button.dataset.now = name;
  }
  show(names.includes(remembered()) ? remembered() : "auto");
  button.addEventListener("click", () => {
    const next = names[(names.indexOf(button.dataset.now) + 1) % names.length];
    show(next);
    try { localStorage.setItem("babi-cascade-theme", next); } catch (error) { /* private window */ }
  });
})();
