import { crc32, deflateRawSync } from 'node:zlib';

/** An entry of a zip as its maker says it is, which need not be true. */
export interface RawEntry {
  readonly name: string;
  readonly content?: Uint8Array | string;
  /** What the zip says the content comes to, unpacked. */
  readonly claimedBytes?: number;
  /** Unix mode: 0o120777 is a link. */
  readonly mode?: number;
  /** General purpose bits: 1 is “encrypted”. */
  readonly flags?: number;
  readonly deflated?: boolean;
}

/** A zip, byte by byte. `claimedEntries`: what its end says it holds (zip64). */
export function rawZip(entries: readonly RawEntry[], claimedEntries?: number): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const entry of entries) {
    const { name, mode = 0o100600, flags = 0, deflated = false } = entry;
    const plain = Buffer.from(entry.content ?? '');
    const data = deflated ? deflateRawSync(plain) : plain;
    const bytes = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(45, 0);
    common.writeUInt16LE(flags | 0x800, 2);
    common.writeUInt16LE(deflated ? 8 : 0, 4);
    common.writeUInt32LE(crc32(plain), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(entry.claimedBytes ?? plain.length, 18);
    common.writeUInt16LE(bytes.length, 22);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE((mode << 16) >>> 0, 6);
    tail.writeUInt32LE(at, 10);
    const local = Buffer.concat([signed(0x04034b50), common, bytes, data]);
    directory.push(Buffer.concat([signed(0x02014b50), Buffer.from([45, 3]), common, tail, bytes]));
    parts.push(local);
    at += local.length;
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  return Buffer.concat([...parts, ...directory, endOf(claimedEntries ?? entries.length, size, at)]);
}

function endOf(count: number, size: number, at: number): Buffer {
  const end = Buffer.alloc(18);
  end.writeUInt16LE(0xffff, 4);
  end.writeUInt16LE(0xffff, 6);
  end.writeUInt32LE(0xffffffff, 8);
  end.writeUInt32LE(0xffffffff, 12);
  const large = Buffer.alloc(52);
  large.writeBigUInt64LE(44n, 0);
  large.writeUInt16LE(45, 8);
  large.writeUInt16LE(45, 10);
  large.writeBigUInt64LE(BigInt(count), 20);
  large.writeBigUInt64LE(BigInt(count), 28);
  large.writeBigUInt64LE(BigInt(size), 36);
  large.writeBigUInt64LE(BigInt(at), 44);
  const locator = Buffer.alloc(16);
  locator.writeBigUInt64LE(BigInt(at + size), 4);
  locator.writeUInt32LE(1, 12);
  return Buffer.concat([signed(0x06064b50), large, signed(0x07064b50), locator, signed(0x06054b50), end]);
}

function signed(signature: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(signature);
  return bytes;
}
