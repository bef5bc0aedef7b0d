// main.tsx - the page: mounts on <div id="app">, or on the body where there is none.
import { render } from "preact";
import { trace } from "./data/current";
import { followProgress } from "./data/progress";
import { followKeys } from "./ui/keys";
import { followAddress } from "./state/page";
import { load } from "./ranks/data";
import { RanksPage } from "./ranks/ranks_page";
import { followTheme } from "./state/theme";
import { publishHooks } from "./state/hooks";
import { Shell } from "./ui/shell";
import "./styles/page.css";

const place = document.getElementById("app") ?? document.body.appendChild(document.createElement("div"));
place.classList.add("page-root");
followTheme();
if (document.body.dataset.ranks !== undefined) {
  void load();
  render(<RanksPage />, place);
} else {
  followAddress();
  followKeys();
  publishHooks();
  void followProgress();
  void trace.summary.promise().then((summary) => {
    document.title = `${summary.document.split("/").pop()} – Reel`;
  });
  render(<Shell />, place);
}
