// columns.ts - tables of columns, as docs/page.md lays them out. Arrays look into the bytes; nothing is copied.

const arrays = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f64: Float64Array } as const;
export type ColumnType = keyof typeof arrays;
type ColumnArray<T extends ColumnType> = InstanceType<(typeof arrays)[T]>;

export type Schema = Record<string, ColumnType>;
export type Table<S extends Schema> = { readonly rows: number } & { readonly [K in keyof S]: ColumnArray<S[K]> };

interface Header {
  rows: number;
  columns: { name: string; type: ColumnType; offset: number }[];
}

const magic = 0x4c4f4352; // "RCOL", read as a little endian number
const headerAt = 8;

export function decodeTable<S extends Schema>(name: string, schema: S, bytes: ArrayBuffer): Table<S> {
  const fail = (what: string): never => {
    throw new Error(`Table '${name}' ${what}.`);
  };
  if (bytes.byteLength < headerAt) fail(`ends within its first ${headerAt} bytes`);
  const view = new DataView(bytes);
  if (view.getUint32(0, true) !== magic) fail("doesn't begin with RCOL");
  const columnsAt = headerAt + view.getUint32(4, true);
  if (columnsAt > bytes.byteLength || columnsAt % 8 !== 0) fail("has a header that ends past it");
  const text = new TextDecoder().decode(new Uint8Array(bytes, headerAt, columnsAt - headerAt));
  const header = JSON.parse(text) as Header;

  const table: Record<string, unknown> = { rows: header.rows };
  for (const [key, type] of Object.entries(schema)) {
    const column = header.columns.find((candidate) => candidate.name === key);
    if (!column) return fail(`has no column '${key}'`);
    if (column.type !== type) fail(`has '${key}' as ${column.type}, not ${type}`);
    const array = arrays[type];
    const at = columnsAt + column.offset;
    if (at % array.BYTES_PER_ELEMENT !== 0 || at + header.rows * array.BYTES_PER_ELEMENT > bytes.byteLength)
      fail(`has '${key}' at a place that isn't in it`);
    table[key] = new array(bytes, at, header.rows);
  }
  return table as Table<S>;
}
