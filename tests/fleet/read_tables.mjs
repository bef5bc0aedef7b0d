// read_tables.mjs <folder> - every value of every file, by every reader, against what is known to be in it.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { query, readByArrow, readByDuckDB, readByHyparquet } from './readers.mjs';

const folder = process.argv[2];
const readers = {
  hyparquet: ['.parquet', readByHyparquet],
  DuckDB: ['.parquet', readByDuckDB],
  'apache-arrow': ['.arrow', readByArrow],
};
let compared = 0;

// NaN is NaN, whichever.
const isNaNText = (text) => typeof text === 'string' && /^[7f]ff[89a-f]/.test(text);

function compareValues(what, expected, type, found) {
  assert.equal(found.length, expected.length, `${what}: rows`);
  for (let i = 0; i < expected.length; ++i) {
    const [a, b] = [expected[i], found[i]];
    if (a !== b && !(type === 'real' && isNaNText(a) && isNaNText(b)))
      assert.fail(`${what}, row ${i}: ${String(b).slice(0, 80)}, not ${String(a).slice(0, 80)}`);
  }
  compared += expected.length;
}

// Bounds and counts of nulls, group by group.
function compareStatistics(name, expected, groups) {
  let begin = 0;
  for (const group of groups) {
    expected.columns.forEach((column, c) => {
      const values = column.values.slice(begin, begin + group.rows);
      const known = values.filter((v) => v !== null);
      const told = group.columns[c].statistics;
      const what = `${name} ${column.name} from row ${begin}`;
      assert.equal(told.null_count, BigInt(values.length - known.length), `${what}: nulls`);
      if (known.length === 0) return assert.equal(told.min_value, undefined, what);
      if (column.type === 'integer' || column.type === 'natural') {
        const numbers = known.map(BigInt);
        assert.equal(BigInt(told.min_value), numbers.reduce((a, b) => (a < b ? a : b)), `${what}: least`);
        assert.equal(BigInt(told.max_value), numbers.reduce((a, b) => (a > b ? a : b)), `${what}: most`);
      } else if (column.type === 'flag') {
        assert.equal(told.min_value, known.every(Boolean), `${what}: least`);
        assert.equal(told.max_value, known.some(Boolean), `${what}: most`);
      } else if (column.type === 'text' && known.every((t) => Buffer.byteLength(t) <= 64)) {
        const sorted = known.map((t) => Buffer.from(t)).sort(Buffer.compare);
        assert.equal(told.min_value, sorted[0].toString(), `${what}: least`);
        assert.equal(told.max_value, sorted.at(-1).toString(), `${what}: most`);
      }
    });
    begin += group.rows;
  }
  assert.equal(begin, expected.rows, `${name}: rows of groups`);
}

async function compareRandom(name) {
  const expected = JSON.parse(fs.readFileSync(path.join(folder, `${name}.json`)));
  for (const [reader, [extension, read]] of Object.entries(readers)) {
    const file = path.join(folder, name + extension);
    const found = await read(file);
    assert.deepEqual([...found.columns.keys()], expected.columns.map((c) => c.name), `${name} by ${reader}`);
    for (const column of expected.columns) {
      const what = `${file}, ${column.name} by ${reader}`;
      assert.equal(found.columns.get(column.name).type, column.type, what);
      compareValues(what, column.values, column.type, found.columns.get(column.name).values);
    }
    if (found.groups) compareStatistics(file, expected, found.groups);
  }
  // Bounds let a reader skip groups: what it then finds must be what is there.
  for (const column of expected.columns.filter((c) => c.type === 'integer' || c.type === 'natural')) {
    const some = column.values.find((v) => v !== null);
    if (some === undefined) continue;
    const { rows } = await query(
      `select count(*) from '${path.join(folder, name)}.parquet' where "${column.name}" = ${some}`);
    assert.equal(Number(rows[0][0]), column.values.filter((v) => v === some).length, `${name} ${column.name}`);
  }
}

// Documents: what the lines of JSON have, which are written row by row.
const jsonText = (text) => text.replaceAll('\0', '\ufffd');
function jsonValue(type, value) {
  if (value === undefined) return null;
  if (type === 'flag') return value !== 0;
  if (type === 'text') return jsonText(value);
  // What an integer can't be isn't in the file, and the export says so.
  if (type === 'integer' && BigInt(value) >= 2n ** 63n) return null;
  return value;
}
async function compareDocument(name) {
  const tables = new Map();
  // Whole numbers of 64 bits in quotes: JSON.parse would round them.
  const lines = fs.readFileSync(path.join(folder, `${name}.jsonl`), 'utf8').split('\n').filter(Boolean);
  for (const line of lines.slice(1)) {
    const row = JSON.parse(line.replace(/":(\d{15,})(?=[,}])/g, '":"$1"'));
    if (!tables.has(row.table)) tables.set(row.table, []);
    tables.get(row.table).push(row);
  }
  for (const [reader, [extension, read]] of Object.entries(readers)) {
    for (const file of fs.readdirSync(path.join(folder, name + extension))) {
      const table = path.basename(file, extension);
      const rows = tables.get(table) ?? [];
      const { columns } = await read(path.join(folder, name + extension, file));
      const known = new Set(columns.keys());
      for (const row of rows)
        for (const key of Object.keys(row))
          assert(key === 'table' || known.has(key), `${name} ${table}.${key} by ${reader}`);
      const document = columns.get('document');
      assert(document.values.every((v) => v === path.join(folder, `${name}.reel`)), `${name} ${table}`);
      assert.equal(document.values.length, rows.length, `${name} ${table}`);
      columns.delete('document');
      for (const [key, column] of columns) {
        const expected = rows.map((row) => jsonValue(column.type, row[key]));
        const found = column.values.map((v) => (v === null || column.type !== 'text' ? v : jsonText(v)));
        if (column.type === 'real')
          found.forEach((v, i) => {
            if (v === null) return assert.equal(expected[i], null);
            const real = Buffer.from(v, 'hex').readDoubleBE();
            assert.equal(Number.isFinite(real) ? real : null, expected[i], `${name} ${table}.${key} by ${reader}`);
          });
        else
          compareValues(`${name} ${table}.${key} by ${reader}`,
            expected.map((v) => (typeof v === 'number' ? String(v) : v)), column.type, found);
      }
    }
  }
}

const randoms = fs.readdirSync(folder).filter((f) => f.endsWith('.json')).map((f) => path.basename(f, '.json'));
assert(randoms.length > 0);
for (const name of randoms) await compareRandom(name);
for (const name of ['sample', 'hostile', 'empty', 'bare']) await compareDocument(name);
assert(compared > 100_000);
console.log(`${compared} values`);
