// Export: files for other programs, and the end of the session.

viewers.export = (() => {
  const place = $("view-export");
  let said = "";

  async function save(name, link) {
    link.textContent = "Preparing …";
    try {
      const response = await fetch(`export/${name}`);
      if (!response.ok) throw new Error((await response.json()).error);
      const address = URL.createObjectURL(await response.blob());
      el("a", { href: address, download: name }).click();
      setTimeout(() => URL.revokeObjectURL(address), 10000);
      trouble(null);
      said = `${name} was downloaded.`;
    } catch (error) {
      trouble(error);
    }
    draw(false);
  }

  async function folder(links) {
    const done = await send("export-folder", { links });
    if (done) said = `${plural(done.files, "image")} ${links ? "linked from" : "copied to"} ${done.folder}.`;
    draw(false);
  }

  async function end() {
    ending = true;
    const done = await send("end", {});
    if (!done) {
      ending = false;
      return poll();
    }
    document.body.replaceChildren(el("main", {}, el("h1", {}, "The session has ended"), el("p", {}, `The labels are in ${session.labels}. This page can be closed.`)));
  }

  function draw(go) {
    place.replaceChildren(
      el("p", { class: "lead" }, "Files have the answers so far and what the model found for the rest; the model is updated first if it does not know all answers."),
      el("ul", { class: "exports" }, session.exports.map(({ name, about }) => el("li", {},
        el("button", { type: "button", class: "act", onclick: (event) => save(name, event.currentTarget) }, name), el("span", {}, about))),
      session.images && el("li", {}, el("button", { type: "button", class: "act", onclick: () => folder(false) }, "image folder"), el("span", {}, "copies of the images with a given or trusted label, one folder per class, beside the labels file; torchvision and Hugging Face read it")),
      session.images && el("li", {}, el("button", { type: "button", class: "act", onclick: () => folder(true) }, "folder of links"), el("span", {}, "the same with links to the images, which uses almost no disk space; images of an archive are copied"))),
      el("p", { class: "said", role: "status" }, said),
      el("h2", {}, "End the session"),
      el("p", { class: "lead" }, `Writes all answers into ${session.labels} and stops the server; so does Ctrl-C in the terminal.`),
      el("button", { type: "button", class: "act", onclick: end }, "Write the labels and stop"));
    if (go) place.focus({ preventScroll: true });
  }

  return { name: "Export", draw, undone: () => {}, key: () => {} };
})();
