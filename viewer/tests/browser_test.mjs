// browser_test.mjs - drives every view of the page, and compares what it shows with what the command line says.
//
//   node tests/browser_test.mjs --reel build/bin/reel --forward-pass build/bin/forward_pass
//        --make-document build/bin/make_document --image-program build/tests/layer/programs/image_formats
//        --out build/viewer_browser
import { test } from "node:test";
import { browser } from "./browser_setup.mjs";
import "./browser_numbers.mjs";
import "./browser_views.mjs";
import "./browser_documents.mjs";
import "./browser_images.mjs";
import "./browser_ranks.mjs";

// The last of all: a hook behind all tests runs before those that later files add.
test("the browser is closed", () => browser.close());
