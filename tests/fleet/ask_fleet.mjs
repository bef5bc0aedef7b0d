// ask_fleet.mjs <reel> <folder> - the same questions to `reel sql` over documents, and to DuckDB over their Parquet files.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import { query } from './readers.mjs';

const [reel, folder] = process.argv.slice(2);

function ask(documents, sql) {
  const run = spawnSync(reel, ['sql', path.join(folder, documents), sql, '--json'],
    { encoding: 'utf8', maxBuffer: 1 << 28 });
  return { code: run.status, errors: run.stderr, ...(run.stdout ? JSON.parse(run.stdout) : {}) };
}
const text = (rows) => rows.map((row) => row.map((v) => (v === null ? 'null' : String(v))).join('|'));

const commands = `read_parquet('${folder}/parquet/*/commands.parquet', union_by_name = true)`;
const kernels = `read_parquet('${folder}/parquet/*/kernels.parquet', union_by_name = true)`;
const questions = [
  'select count(*), count(distinct document), sum(run_ns), min(run_ns), max(run_ns) from COMMANDS',
  'select fact_commit, count(*), sum(run_ns) from COMMANDS group by fact_commit order by 1',
  'select fact_rank, count(*), max(started_ns) from COMMANDS group by fact_rank order by 1',
  'select fact_host, fact_batch_size, count(distinct document), sum(bytes) from COMMANDS group by 1, 2 order by 1, 2 nulls first',
  "select c.fact_commit, k.name, c.scope, count(*), sum(c.run_ns) from COMMANDS c join KERNELS k " +
    "on k.document = c.document and k.id = c.kernel where k.name <> 'add' group by 1, 2, 3 order by 1, 2, 3",
  'select document, id, run_ns from COMMANDS where id = 5 order by document',
];
for (const question of questions) {
  const ours = ask('runs', question.replaceAll('COMMANDS', 'commands').replaceAll('KERNELS', 'kernels'));
  assert.equal(ours.code, 0, ours.errors);
  assert.equal(ours.errors, '');
  const theirs = await query(question.replaceAll('COMMANDS', commands).replaceAll('KERNELS', kernels));
  assert(ours.rows.length > 0, question);
  assert.deepEqual(text(ours.rows), text(theirs.rows), question);
}

// Views, by what they are made of.
const usage = ask('runs', 'select document, sum(total_ns), sum(runs), round(sum(share_percent)) from kernel_usage group by 1 order by 1');
const sums = ask('runs', "select document, sum(run_ns), count(*), 100.0 from commands group by 1 order by 1");
assert.deepEqual(usage.rows, sums.rows);
const details = ask('runs', 'select count(*), count(kernel), sum(run_ns) from command_details');
const all = ask('runs', 'select count(*), count(kernel), sum(run_ns) from commands');
assert.deepEqual(details.rows, all.rows);
const documents = ask('runs', 'select count(*), count(distinct document), sum(fact_rank) from documents');
assert.deepEqual(documents.rows[0].slice(0, 2), [usage.rows.length, usage.rows.length]);

// One is none, one is cut short: both are named, the others answer.
const broken = ask('broken', 'select count(distinct document) from commands');
assert.equal(broken.code, 3, broken.errors);
assert.deepEqual(broken.rows, [[3]]);
assert.match(broken.errors, /2\.reel/);
assert.match(broken.errors, /1\.reel is incomplete/);
assert.doesNotMatch(broken.errors, /[03]\.reel/);
assert.deepEqual([broken.documents, broken.left_out, broken.complete], [3, 1, false]);
assert.equal(ask('parquet', 'select 1').code, 1);
assert.equal(ask('runs', 'select nothing from commands').code, 2);
// Since when a kernel is slower: as text, as JSON, as a page, and as an exit code.
const trend = (...options) => {
  const run = spawnSync(reel, ['trend', path.join(folder, 'trend'), ...options], { encoding: 'utf8' });
  return { code: run.status, out: run.stdout, err: run.stderr };
};
const told = trend();
assert.equal(told.code, 0, told.err);
assert.match(told.out, /40 documents by commit/);
assert.match(told.out, /slow +layer0 +Simulated GPU +<c19> +<c20> .*\+(9|10)\.\d%/);
assert.match(told.out, /1 line shows no significant change/);
const { lines } = JSON.parse(trend('--json').out);
assert.deepEqual(lines.map((line) => [line.kernel, line.points.length]), [['slow', 40], ['steady', 40]]);
assert.equal(lines[0].change.first_after.by, '<c20>');
assert.equal(lines[0].change.last_before.document, path.join(folder, 'trend/19.reel'));
assert.equal(lines[1].change, null);
assert.equal(JSON.parse(trend('--json', '--kernel', 'st*').out).lines.length, 1);
assert.equal(trend('--fail-if', '>+5%').code, 1);
assert.match(trend('--fail-if', '>+5%').err, />\+5% is true of slow in layer0/);
assert.equal(trend('--fail-if', '>+15%', '--fail-if', 'steady>+1%').code, 0);
assert.equal(trend('--fail-if', 'slow>5').code, 2);
assert.equal(trend('--by', 'weather').code, 1);
const page = path.join(folder, 'trend.html');
assert.equal(trend('--html', page).code, 0);
assert.equal(trend('--html', page).code, 1);
const html = fs.readFileSync(page, 'utf8');
assert.equal(html.match(/<circle/g).length, 80);
assert.match(html, /since &lt;c20&gt;; last before it: &lt;c19&gt;/);
assert.doesNotMatch(html, /<c\d|<script|https?:/);
console.log(`${questions.length} questions`);
