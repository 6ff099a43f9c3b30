() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const parse = colour => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data]; };
  const ground = node => { for (; node; node = node.parentElement) {
    const colour = parse(getComputedStyle(node).backgroundColor); if (colour[3] === 255) return colour; }
    return [255, 255, 255, 255]; };
  const light = ([r, g, b]) => { const [x, y, z] = [r, g, b].map(v => { v /= 255;
    return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; }); return .2126 * x + .7152 * y + .0722 * z; };
  const bad = [];
  for (const node of document.querySelectorAll("body *")) {
    const own = [...node.childNodes].some(c => c.nodeType === 3 && c.data.trim());
    if (!own || !node.getClientRects().length || ["SCRIPT", "STYLE", "OPTION"].includes(node.tagName)) continue;
    const [a, b] = [light(parse(getComputedStyle(node).color)), light(ground(node))];
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) bad.push(node.className + ": " + node.textContent.slice(0, 20) + " " + ratio.toFixed(2));
  }
  return bad;
}
