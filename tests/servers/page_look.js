(() => {
  const found = [];
  const where = (node) => `${node.tagName.toLowerCase()}${node.id ? "#" + node.id : ""}${
    node.classList && node.classList.length ? "." + [...node.classList].join(".") : ""} ${
    (node.textContent || "").trim().slice(0, 40)}`;
  const seen = (node) => node.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) && node.getClientRects().length > 0;
  const bad = (what, node) => found.push(`${what}: ${where(node)}`);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const root = document.documentElement;
  if (!root.lang) found.push("no language");
  if (!document.title) found.push("no title");
  if (all("h1").length !== 1) found.push(`${all("h1").length} main headings`);
  if (!document.querySelector("main")) found.push("no main part");
  const wide = Math.max(root.scrollWidth, document.body.scrollWidth) - root.clientWidth;
  if (wide > 0) {
    const far = all("body *").filter((n) => n.getBoundingClientRect().right > root.clientWidth + 1 && !n.closest("svg")).slice(0, 3);
    found.push(`the page scrolls ${wide} px sideways: ${far.map(where).join(" | ")}`);
  }
  for (const node of all("img")) if (!(node.getAttribute("alt") || "").trim() && !node.closest("[aria-hidden=true], dialog:not([open])")) bad("no alternative text", node);
  for (const node of all("svg")) {
    if (node.closest("[aria-hidden=true]")) continue;
    if (node.getAttribute("role") !== "img" || !(node.getAttribute("aria-label") || node.querySelector(":scope > title"))) bad("a drawing without words", node);
  }
  for (const node of all("canvas")) if (!node.getAttribute("aria-label")) bad("a canvas without words", node);
  for (const node of all("table")) {
    if (!node.querySelector("th") && !node.closest("[data-source]")) bad("a table without headers", node);
    for (const head of node.querySelectorAll("th")) if (!head.scope && !node.closest("[data-source]")) { bad("a header without scope", head); break; }
    for (const head of node.querySelectorAll("th")) if (!head.textContent.trim()) { bad("an empty header", node); break; }
  }
  for (const node of all("input, select, textarea, button, a[href], summary")) {
    const name = node.getAttribute("aria-label") || [...(node.labels || [])].map((l) => l.textContent).join("") || node.textContent + [...node.querySelectorAll("img")].map((i) => i.alt).join("");
    if (!name.trim()) bad("a control without a name", node);
  }
  for (const node of all("body *")) {
    const style = getComputedStyle(node);
    if (/auto|scroll/.test(style.overflowX + style.overflowY) && seen(node)
        && (node.scrollWidth > node.clientWidth + 1 || node.scrollHeight > node.clientHeight + 1)
        && node.tabIndex < 0 && !node.querySelector("a[href], button, input, select, summary, [tabindex='0']")) bad("scrolls, and a keyboard cannot get there", node);
  }
  // --- contrast of each text with what is behind it
  const pen = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const cache = new Map();
  const rgba = (text) => {
    if (!cache.has(text)) {
      pen.clearRect(0, 0, 1, 1); pen.fillStyle = text; pen.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
      cache.set(text, [r, g, b, a / 255]);
    }
    return cache.get(text);
  };
  const over = (top, under) => [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
  const light = (c) => [0, 1, 2].map((i) => c[i] / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const canvas = getComputedStyle(root).colorScheme.includes("dark") && matchMedia("(prefers-color-scheme: dark)").matches ? [18, 18, 18, 1] : [255, 255, 255, 1];
  const grounds = new Map();
  const ground = (node) => {
    if (!node) return canvas;
    if (!grounds.has(node)) {
      const own = rgba(getComputedStyle(node).backgroundColor);
      grounds.set(node, own[3] === 1 ? own : over(own, ground(node.parentElement)));
    }
    return grounds.get(node);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const low = new Set();
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    const node = text.parentElement;
    if (!text.data.trim() || node.closest("script, style, noscript, option, :disabled") || !seen(node)) continue;
    const style = getComputedStyle(node);
    const behind = ground(node);
    const inked = over(rgba(node.closest("svg") ? style.fill : style.color), behind);
    const [a, b] = [light(inked), light(behind)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05), size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && parseInt(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) low.add(`contrast ${ratio.toFixed(2)}: ${where(node)}`);
  }
  found.push(...[...low].slice(0, 8));
  const page = light(ground(document.body));
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  if (dark ? page > 0.1 : page < 0.8) found.push(`the ground of the ${dark ? "dark" : "light"} page has a brightness of ${page.toFixed(2)}`);
  for (const entry of performance.getEntriesByType("resource")) if (!/^(file|data|blob):/.test(entry.name)) found.push(`asked of a network: ${entry.name}`);
  return [...found, ...window.trouble];
})()
