// browser_images.mjs - images as pictures, their pixels, and launches that use them.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { serve } from "./serve.mjs";
import { makeDocument, setCell } from "./synthetic.mjs";
import { documents, driver, hasOpencl, option, pageFolder, reel } from "./browser_setup.mjs";

// An image of a document; `shape` is what differs from a plane of one pixel.
function image(label, channel_order, channel_type, element, pixel_bytes, shape, versions) {
  const plane = { type: "2d", width: 1, height: 1, depth: 1, layers: 1 };
  const image_shape = { ...plane, channel_order, channel_type, pixel_bytes, ...shape };
  const { width, height, depth, layers } = image_shape;
  return {
    label,
    image: `${image_shape.type} ${channel_order}${channel_type}`,
    image_shape,
    element,
    size_bytes: width * height * depth * layers * pixel_bytes,
    versions,
  };
}

// Pixel (x, y) is (40 x, 30 y, 200, 255), of five by six.
const gradient = Uint8Array.from({ length: 5 * 6 * 4 }, (_, at) => {
  const pixel = at >> 2;
  return [40 * (pixel % 5), 30 * Math.floor(pixel / 5), 200, 255][at & 3];
});
const volume = Float32Array.from({ length: 4 * 3 * 2 }, (_, at) => (at === 13 ? NaN : at / 2));
const images = [
  image("gradient", "RGBA", "8 unorm", "u8", 4, { width: 5, height: 6 }, [
    { bytes: gradient },
    { bytes: gradient.slice(2 * 20, 4 * 20), offset: 2 * 20 },
    { size: gradient.length },
  ]),
  image("volume", "R", "32 float", "f32", 4, { type: "3d", width: 4, height: 3, depth: 2 }, [
    { bytes: new Uint8Array(volume.buffer) },
  ]),
  image("stencil", "depth_stencil", "24 unorm", null, 4, { width: 2, height: 2 }, [{ bytes: new Uint8Array(16) }]),
  image("line", "R", "8 uint", "u8", 1, { type: "1d", width: 30 }, [
    { bytes: Uint8Array.from({ length: 30 }, (_, at) => at) },
  ]),
  image("window", "R", "8 uint", "u8", 1, { width: 16, height: 2 }, []),
];
const firstImage = 3; // of the buffers: three come before

async function openImages(look) {
  const resources = makeDocument({ commands: 600, layers: 2, images });
  const works = resources.get("works");
  for (const axis of ["x", "y", "z"]) setCell(works, `group_${axis}`, 0, 0); // the driver's choice
  [160, 120, 1].forEach((count, at) => {
    setCell(works, `groups_${"xyz"[at]}`, 0, 0);
    setCell(works, `items_${"xyz"[at]}`, 0, count);
  });
  [1000, 1, 1].forEach((count, at) => setCell(works, `items_${"xyz"[at]}`, 1, count));
  setCell(works, "offset_y", 1, 7);
  setCell(resources.get("arguments"), "view", 0, firstImage + 4); // the first one's only argument
  const server = await serve(resources, pageFolder),
    view = await driver.open(server.url);
  try {
    await look(view, (label) => `b${firstImage + 1 + images.findIndex((row) => row.label === label)}`);
    await view.done();
  } finally {
    server.close();
  }
}

const pictureIs = (page, expected) =>
  page.waitForFunction((wanted) => {
    const summary = window.__view.canvas("picture")?.summary();
    return summary && Object.entries(wanted).every(([key, value]) => JSON.stringify(summary[key]) === value);
  }, Object.fromEntries(Object.entries(expected).map(([key, value]) => [key, JSON.stringify(value)])));

// Waits until the canvas really shows that colour there.
const colorIs = (page, x, y, color) =>
  page.waitForFunction(
    ([across, down, wanted]) => {
      const copy = document.createElement("canvas");
      copy.width = copy.height = 1;
      const context = copy.getContext("2d", { willReadFrequently: true });
      context.drawImage(document.querySelector(".picture canvas"), -across, -down);
      return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3).join() === wanted;
    },
    [Math.floor(x), Math.floor(y), color.join()],
  );

test("an image is a picture: its colours, its pixels, and what was not recorded of it", () =>
  openImages(async ({ page, show, hook, shot }, id) => {
    await show(`#buffers?at=${id("gradient")}`);
    await pictureIs(page, { columns: 5, rows: 6, missing: 0, x: 0, y: 0 });
    assert.equal(await page.textContent(".choice .button.on"), "picture");
    const { scale } = await hook("picture");
    assert.ok(Number.isInteger(scale) && scale > 8, `${scale}`);
    const [x, y] = [3.5 * scale, 4.5 * scale];
    assert.deepEqual(await hook("picture", "hit", x, y), { x: 3, y: 4, values: [120, 120, 200, 255] });
    await colorIs(page, x, y, [120, 120, 200]);
    await colorIs(page, 1, 1, [0, 0, 200]);
    const box = await (await page.$(".picture canvas")).boundingBox();
    await page.mouse.move(box.x + x, box.y + y);
    await page.waitForFunction(
      () => document.querySelector(".picture [role=status]").textContent === "(3, 4)  R 120  G 120  B 200  A 255",
    );
    assert.doesNotMatch(await page.textContent(".picture .strip-line"), /black/); // shown as it is

    // A version of two rows; one of a hash alone.
    await show(`#buffers?at=${id("gradient")}&version=1`);
    await pictureIs(page, { missing: 20 });
    assert.equal((await hook("picture", "hit", x, y)).values, null);
    assert.deepEqual((await hook("picture", "hit", x, 2.5 * scale)).values, [120, 60, 200, 255]);
    await page.mouse.move(box.x + x, box.y + y + 1);
    await page.waitForFunction(() =>
      /not recorded$/.test(document.querySelector(".picture [role=status]").textContent),
    );
    assert.match(await page.textContent(".picture .strip-line"), /20 pixels not recorded/);
    await shot("image_part");
    await show(`#buffers?at=${id("gradient")}&version=2`);
    await page.waitForFunction(() => /Only the hash/.test(document.querySelector(".split-left").textContent));

    // As numbers, a row of the table is a row of the image.
    await show(`#buffers?at=${id("gradient")}`);
    await page.click('.choice button:text-is("numbers")');
    await page.waitForFunction(() => document.querySelector('[data-element="20"]')?.textContent === "0");
    const second = (await page.$$eval('[aria-label="Elements"] .table-row', (rows) => rows[1].textContent)).slice(0, 6);
    assert.equal(second, "200302");
  }));

test("an image of numbers says what is black and white, one of slices which is shown", () =>
  openImages(async ({ page, show, hook, shot }, id) => {
    await show(`#buffers?at=${id("volume")}`);
    await pictureIs(page, { columns: 4, rows: 3, number: 0, found: { least: 0, most: 5.5 }, strange: 0 });
    assert.match(await page.textContent(".picture .strip-line"), /0 is black, 5\.5 is white/);
    await page.fill('.toolbar input[type="number"]', "1");
    await pictureIs(page, { number: 1, found: { least: 6, most: 11.5 }, strange: 1 });
    assert.match(await page.textContent(".picture .strip-line"), /1 pixel with NaN/);
    const { scale } = await hook("picture");
    await colorIs(page, 1.5 * scale, 2, [255, 0, 255]);
    assert.deepEqual((await hook("picture", "hit", 3.5 * scale, 2.5 * scale)).values, [11.5]);
    await shot("image_slice");
    await show(`#buffers?at=${id("stencil")}`);
    await page.waitForFunction(() =>
      /no picture of this format/.test(document.querySelector(".split-left").textContent),
    );
    assert.equal(await page.textContent(".choice .button.on"), "numbers");
    await show(`#buffers?at=${id("line")}`);
    await page.waitForFunction(() => document.querySelector('[data-element="29"]')?.textContent === "29");
    await page.click('.choice button:text-is("picture")');
    await pictureIs(page, { columns: 30, rows: 1, found: { least: 0, most: 29 } });

    // Nearer, where the pointer is; a drag moves it; two clicks show all of it again.
    const fit = (await hook("picture")).scale,
      box = await (await page.$(".picture canvas")).boundingBox(),
      x = 20.5 * fit;
    await page.mouse.move(box.x + x, box.y + 5);
    await page.mouse.wheel(0, -100);
    await pictureIs(page, { scale: 2 * fit });
    assert.deepEqual(await hook("picture", "hit", x, 5), { x: 20, y: 0, values: [20] });
    await page.mouse.down();
    await page.mouse.move(box.x + x + 2 * fit, box.y + 5);
    await page.mouse.up();
    await page.waitForFunction((at) => window.__view.canvas("picture").hit(at, 5).x === 19, x);
    await page.mouse.dblclick(box.x + x, box.y + 5);
    await pictureIs(page, { scale: fit, x: 0 });
    await show(`#buffers?at=${id("window")}`);
    await page.waitForFunction(() => /It is made on b1 'x'/.test(document.querySelector(".split-left").textContent));
  }));

// Pixels of an image of image_formats, as the command line prints them.
function printedPixel(path, { id, image }, x, y) {
  const [, bits, kind] = /(\d+) (\w+)$/.exec(image.format);
  const letter = { uint: "u", unorm: "u", int: "i", snorm: "i", float: "f" }[kind];
  const count = (image.pixel_bytes * 8) / Number(bits),
    offset = (y * image.width + x) * image.pixel_bytes;
  return reel.json("buffer", path, id, "--as", letter + bits, "--offset", `${offset}`, "--count", `${count}`).elements;
}

const skip = hasOpencl ? false : "no OpenCL device";
test("images that a program had: pixels are those of reel buffer", { skip }, async () => {
  const path = join(documents, "images.reel");
  reel.text("capture", "--contents", "all", "--overwrite", "-q", "-o", path, "--", option("image-program"));
  const recorded = reel.json("buffers", path).buffers.filter((buffer) => buffer.image && buffer.contents === 1);
  assert.ok(recorded.length >= 8, `${recorded.length} images`);
  const server = await reel.view(path),
    view = await driver.open(server.url),
    { page } = view;
  try {
    for (const buffer of recorded) {
      await view.show(`#buffers?at=${buffer.id}`);
      await page.waitForFunction(
        (id) => document.querySelector(".split-left .pane:nth-child(2) b")?.textContent.trim() === id,
        buffer.id,
      );
      await pictureIs(page, { columns: buffer.image.width, rows: buffer.image.height, missing: 0 });
      const { scale } = await view.hook("picture");
      for (const [x, y] of [[0, 0], [13, 6]])
        assert.deepEqual(
          await view.hook("picture", "hit", (x + 0.5) * scale, (y + 0.5) * scale),
          { x, y, values: printedPixel(path, buffer, x, y) },
          `${buffer.id} ${buffer.image.format}`,
        );
    }
    await view.shot("image_formats");
    await view.done();
  } finally {
    server.close();
  }
});

test("launches say what they count, and arguments which image was made on them", () =>
  openImages(async ({ page, show, shot }, id) => {
    const facts = () =>
      page.$eval(".inspector dl", (list) =>
        Object.fromEntries(
          [...list.querySelectorAll("dt")].map((name) => [name.textContent, name.nextSibling.textContent]),
        ),
      );
    await show("#timeline?at=c0");
    await page.waitForSelector(".inspector h3:has-text('Arguments') + ul a");
    const free = await facts();
    assert.equal(free.items, "160x120");
    assert.equal(free["in groups"], "of the driver's choice");
    assert.equal(free.groups, undefined);
    const bound = await page.textContent(".inspector h3:has-text('Arguments') + ul li > span");
    assert.equal(bound, `weights b1 'x' as ${id("window")}`);
    await shot("image_view");
    await page.click(`.inspector h3:has-text('Arguments') + ul a:text-is("${id("window")}")`);
    await page.waitForFunction((name) => location.hash.includes(`at=${name}`), id("window"));
    await show("#timeline?at=c1");
    await page.waitForFunction(() => /^c1\b/.test(document.querySelector(".inspector h2").textContent));
    const part = await facts();
    assert.equal(part.of, "64");
    assert.equal(part.items, "1000 in all");
    assert.equal(part.from, "(0, 7, 0)");
  }));
