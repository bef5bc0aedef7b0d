// open.mjs <browser> <file>... - each file opens in speedscope: it is taken for trace events, has a
// profile, and nothing goes wrong on the way. Prints what speedscope says of each.
import {createReadStream, existsSync} from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import {chromium} from 'playwright-core';

const release = path.resolve('node_modules/speedscope/dist/release');
const types = {'.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css'};

const server = http.createServer((request, response) => {
  const name = decodeURIComponent(new URL(request.url, 'http://x').pathname);
  const file = name.startsWith('/files/') ? path.resolve(name.slice(7))
                                          : path.join(release, name === '/' ? 'index.html' : name);
  if (!existsSync(file)) return response.writeHead(404).end();
  response.writeHead(200, {'content-type': types[path.extname(file)] ?? 'application/octet-stream'});
  createReadStream(file).pipe(response);
});
await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
const origin = `http://127.0.0.1:${server.address().port}`;

const [executablePath, ...files] = process.argv.slice(2);
const browser = await chromium.launch({executablePath, args: ['--no-sandbox']});
let failed = false;
for (const file of files) {
  const page = await browser.newPage();
  const said = [];
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (error) => said.push(`ERROR ${error.message}`));
  await page.goto(`${origin}/#profileURL=${encodeURIComponent(`${origin}/files/${file}`)}`);
  let shown = true;
  // The toolbar names the profile's views when there is one to see.
  await page.getByText('Time Order').first().waitFor({timeout: 60000}).catch(() => (shown = false));
  const taken = said.some((text) => text.includes('Importing as Trace Event Format'));
  const wrong = said.filter((text) => /ERROR|error|Failed/.test(text));
  const text = await page.evaluate(() => document.body.innerText);
  console.log(`${file}: ${shown ? 'shown' : 'NOT SHOWN'}, ${taken ? 'as trace events' : 'as something else'}`);
  if (!shown || !taken || wrong.length || /went wrong/.test(text)) {
    failed = true;
    console.log(said.join('\n'), '\n', text.slice(0, 400));
  }
  await page.close();
}
await browser.close();
server.close();
process.exit(failed ? 1 : 0);
