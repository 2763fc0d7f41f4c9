// The page, from top to bottom.

drawSummary();
if (mapped.length > 0) {
  $("plots").hidden = false;
  drawLegend();
  drawMap();
}
// Suspects come before everything else.
if (audit) $("summary").after($("rows"));
drawNext();
drawConfusion();
drawClasses();
if (source.path?.lines.length > 0) drawPath(source.path);
drawRounds();
drawPanel();
