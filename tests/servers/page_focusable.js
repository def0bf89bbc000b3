(() => {
  const seen = (node) => node.checkVisibility({ checkVisibilityCSS: true }) && node.getClientRects().length > 0;
  window.wanted = new Set([...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")]
    .filter((node) => seen(node) && !node.disabled));
  window.first = null;
  return window.wanted.size;
})()
