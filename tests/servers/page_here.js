(() => {
  const node = document.activeElement;
  if (!node || node === document.body) return { end: true };
  const again = window.first === node;
  window.first = window.first || node;
  window.wanted.delete(node);
  const ringed = (one) => { const s = getComputedStyle(one); return s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 1; };
  const shown = ringed(node) || [...(node.labels || [])].some(ringed);
  const name = `${node.tagName.toLowerCase()}${node.id ? "#" + node.id : ""}.${node.className}`;
  return { end: again, name, shown };
})()
