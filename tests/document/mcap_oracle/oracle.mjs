// oracle.mjs <file>... - what @mcap/core, the reference reader, finds in our files.
//
// Each file is read twice: from front to back, as far as it goes, and through its index. Checksums
// of chunks, attachments and summary are checked by the reader; what it says of them is printed.
import { McapIndexedReader, McapStreamReader } from "@mcap/core";
import { decompress } from "fzstd";
import { readFileSync } from "node:fs";
import { basename } from "node:path";

const decompressHandlers = {
  zstd: (bytes, size) => decompress(bytes, new Uint8Array(Number(size))),
};

class Listing {
  topics = new Map(); // of each channel id
  messages = new Map(); // topic -> { count, bytes, sequences in order, first and last time }
  lines = [];

  channel(record) {
    this.topics.set(record.id, record.topic);
  }

  message({ channelId, sequence, logTime, data }) {
    const topic = this.topics.get(channelId);
    const seen = this.messages.get(topic) ?? { count: 0, bytes: 0, inOrder: true, first: logTime, last: logTime };
    seen.inOrder &&= sequence === seen.count;
    seen.count += 1;
    seen.bytes += data.byteLength;
    if (logTime < seen.first) seen.first = logTime;
    if (logTime > seen.last) seen.last = logTime;
    this.messages.set(topic, seen);
  }

  attachment({ name, mediaType, logTime, data }) {
    this.lines.push(`  attachment ${name} (${mediaType}) @${logTime}: ${data.byteLength} bytes`);
  }

  metadata({ name, metadata }) {
    const values = [...metadata].map(([key, value]) => `${key}=${value}`);
    this.lines.push(`  metadata ${name}: ${values.join(", ")}`);
  }

  print() {
    for (const [topic, { count, bytes, inOrder, first, last }] of this.messages) {
      const order = inOrder ? "in order" : "OUT OF ORDER";
      console.log(`  ${topic}: ${count} messages ${order}, ${bytes} bytes, @${first} to @${last}`);
    }
    for (const line of this.lines) console.log(line);
  }
}

// Records of the data only: the summary repeats them.
function readStream(bytes) {
  const reader = new McapStreamReader({ decompressHandlers, validateCrcs: true });
  const listing = new Listing();
  let header;
  let inData = true;
  let end = "it ends early";
  try {
    reader.append(bytes);
    for (let record; (record = reader.nextRecord()); ) {
      if (record.type === "Header") header = record;
      if (record.type === "DataEnd") inData = false;
      if (!inData) continue;
      if (record.type === "Channel") listing.channel(record);
      if (record.type === "Message") listing.message(record);
      if (record.type === "Attachment") listing.attachment(record);
      if (record.type === "Metadata") listing.metadata(record);
    }
    if (reader.done()) end = "it ends well";
  } catch (error) {
    end = `ERROR ${error.message}`;
  }
  console.log(` stream: profile ${header?.profile}, by ${header?.library}; ${end}`);
  listing.print();
}

async function readIndexed(bytes) {
  const readable = {
    size: async () => BigInt(bytes.byteLength),
    read: async (offset, size) => bytes.slice(Number(offset), Number(offset + size)),
  };
  let reader;
  try {
    reader = await McapIndexedReader.Initialize({ readable, decompressHandlers });
  } catch (error) {
    console.log(" index: none");
    return;
  }
  const { statistics, channelsById, schemasById, chunkIndexes } = reader;
  console.log(
    ` index: ${statistics.messageCount} messages, ${channelsById.size} channels, ${schemasById.size} schemas, ` +
      `${chunkIndexes.length} chunks, ${statistics.attachmentCount} attachments, ${statistics.metadataCount} metadata, ` +
      `@${statistics.messageStartTime} to @${statistics.messageEndTime}`,
  );
  for (const { topic, messageEncoding, schemaId, metadata } of channelsById.values()) {
    const values = [...metadata].map(([key, value]) => `, ${key}=${value}`);
    console.log(`  channel ${topic} (${messageEncoding}) of ${schemasById.get(schemaId)?.name ?? "no schema"}${values.join("")}`);
  }
  const listing = new Listing();
  for (const channel of channelsById.values()) listing.channel(channel);
  for await (const message of reader.readMessages({ validateCrcs: true })) listing.message(message);
  for await (const attachment of reader.readAttachments({ validateCrcs: true })) listing.attachment(attachment);
  for await (const metadata of reader.readMetadata()) listing.metadata(metadata);
  listing.print();
}

for (const path of process.argv.slice(2)) {
  const bytes = new Uint8Array(readFileSync(path));
  console.log(basename(path));
  readStream(bytes);
  await readIndexed(bytes);
}
