// search_from_folder.js - the theme's search for a site that is opened from a folder. A browser refuses two things there: reading
// search_index.json, so the same index comes as a script (search_index.py writes it), and starting a worker, so the worker's script runs in
// a frame of its own. Served sites are left alone.
if (location.protocol === "file:") {
  document.write(`<script src="${document.currentScript.dataset.index}"></` + "script>");

  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inside = frame.contentWindow;
      this.inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = this.inside.document.createElement("script");
      script.src = url;
      this.loaded = new Promise((done) => script.addEventListener("load", done));
      this.inside.document.body.append(script);
    }
    postMessage(data) {
      this.loaded.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
}
