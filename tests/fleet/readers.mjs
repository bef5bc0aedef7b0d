// readers.mjs - files of Parquet and Arrow as others read them: { columns: Map(name → { type, values }), bounds }.
//
// Values are as the generator writes them: whole numbers in decimal, real ones as 16 hex digits, flags, texts, null.
import fs from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
import { DataType, tableFromIPC } from 'apache-arrow';
import { asyncBufferFromFile, parquetMetadataAsync, parquetRead } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';

const bits = new DataView(new ArrayBuffer(8));
export function hexOf(real) {
  bits.setFloat64(0, real);
  return bits.getBigUint64(0).toString(16).padStart(16, '0');
}

function valueOf(type, value) {
  if (value === null || value === undefined) return null;
  if (type === 'real') return hexOf(value);
  if (type === 'integer' || type === 'natural') return BigInt(value).toString();
  return value;
}

// Our types by what the file tells.
function typeOfElement(element) {
  if (element.type === 'BOOLEAN') return 'flag';
  if (element.type === 'DOUBLE') return 'real';
  if (element.type === 'BYTE_ARRAY' && element.logical_type?.type === 'STRING') return 'text';
  if (element.type === 'INT64' && element.logical_type?.type === 'INTEGER' && element.logical_type.bitWidth === 64)
    return element.logical_type.isSigned ? 'integer' : 'natural';
  return `${element.type} ${JSON.stringify(element.logical_type)}`;
}

export async function readByHyparquet(path) {
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  const elements = metadata.schema.slice(1);
  const columns = new Map(elements.map((e) => [e.name, { type: typeOfElement(e), values: [] }]));
  await parquetRead({
    file, metadata, compressors, rowFormat: 'array',
    onComplete: (rows) => {
      for (const row of rows)
        elements.forEach((e, i) => {
          const column = columns.get(e.name);
          column.values.push(valueOf(column.type, row[i]));
        });
    },
  });
  // Of each group: how many rows, and what is told of each column.
  const groups = metadata.row_groups.map((group) => ({
    rows: Number(group.num_rows),
    columns: group.columns.map((chunk) => chunk.meta_data),
  }));
  return { columns, groups };
}

const duckTypes = { BIGINT: 'integer', UBIGINT: 'natural', BOOLEAN: 'flag', DOUBLE: 'real', VARCHAR: 'text' };
const duck = await (await DuckDBInstance.create(':memory:')).connect();

export async function query(sql) {
  const reader = await duck.runAndReadAll(sql);
  return { names: reader.columnNames(), types: reader.columnTypes().map(String), rows: reader.getRows() };
}

export async function readByDuckDB(path) {
  const { names, types, rows } = await query(`select * from read_parquet('${path}')`);
  const columns = new Map();
  names.forEach((name, i) => {
    const type = duckTypes[types[i]] ?? types[i];
    columns.set(name, { type, values: rows.map((row) => valueOf(type, row[i])) });
  });
  return { columns };
}

function typeOfField(type) {
  if (DataType.isDictionary(type)) return typeOfField(type.dictionary);
  if (DataType.isBool(type)) return 'flag';
  if (DataType.isUtf8(type)) return 'text';
  if (DataType.isFloat(type) && type.precision === 2) return 'real';
  if (DataType.isInt(type) && type.bitWidth === 64) return type.isSigned ? 'integer' : 'natural';
  return String(type);
}

export async function readByArrow(path) {
  const table = tableFromIPC(fs.readFileSync(path));
  const columns = new Map();
  for (const field of table.schema.fields) {
    const type = typeOfField(field.type);
    const vector = table.getChild(field.name);
    const values = [];
    for (let i = 0; i < table.numRows; ++i) values.push(valueOf(type, vector.get(i)));
    if (vector && vector.nullCount !== values.filter((v) => v === null).length)
      throw new Error(`${path}: ${field.name} says ${vector.nullCount} nulls`);
    columns.set(field.name, { type, values });
  }
  return { columns };
}
