// The page, from top to bottom.

drawSummary();
if (mapped.length > 0 || source.path) {
  $("plots").hidden = false;
  drawLegend();
  if (mapped.length > 0) drawMap();
  else $("map").hidden = true;
  if (source.path?.lines.length > 0) drawPath(source.path);
  else $("path").hidden = true;
}
drawNext();
drawRounds();
drawClasses();
drawPanel();
