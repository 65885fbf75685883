/** A change below the recorded folder, as recorder.c logged it. Paths are absolute. */
export type Change =
  | { readonly kind: 'create' | 'makeFolder'; readonly path: string; readonly inode: bigint }
  | { readonly kind: 'write'; readonly inode: bigint; readonly offset: number; readonly data: Buffer }
  | { readonly kind: 'truncate'; readonly inode: bigint; readonly size: number }
  /** Covers the first `covered` changes of the log, as far as they are in this file or folder. */
  | { readonly kind: 'sync'; readonly inode: bigint; readonly covered: number }
  | { readonly kind: 'rename' | 'link'; readonly from: string; readonly to: string }
  | { readonly kind: 'remove'; readonly path: string };

const headerBytes = 32;
/** The numbers of the kinds in recorder.c. Two of them remove a name: one a file's, one a folder's. */
const kinds = {
  1: 'create',
  2: 'makeFolder',
  3: 'write',
  4: 'truncate',
  5: 'sync',
  6: 'rename',
  7: 'link',
  8: 'remove',
  9: 'remove',
} as const;

/** Reads a log. Ignores an incomplete last record, because the process was killed while it wrote that. */
export function changesIn(log: Buffer): Change[] {
  const changes: Change[] = [];
  let at = 0;
  while (at + headerBytes <= log.length) {
    const lengths = [log.readUInt32LE(at + 4), log.readUInt32LE(at + 8), log.readUInt32LE(at + 12)] as const;
    const inode = log.readBigUInt64LE(at + 16);
    const number = Number(log.readBigUInt64LE(at + 24));
    const [fromBytes, toBytes, dataBytes] = lengths;
    const [fromAt, end] = [at + headerBytes, at + headerBytes + fromBytes + toBytes + dataBytes];
    if (end > log.length) break;
    const from = log.toString('utf8', fromAt, fromAt + fromBytes);
    const to = log.toString('utf8', fromAt + fromBytes, fromAt + fromBytes + toBytes);
    const data = log.subarray(end - dataBytes, end);
    changes.push(changeOf(log.readUInt32LE(at), { inode, number, from, to, data }));
    at = end;
  }
  return changes;
}

interface Fields {
  readonly inode: bigint;
  readonly number: number;
  readonly from: string;
  readonly to: string;
  readonly data: Buffer;
}

function changeOf(code: number, { inode, number, from, to, data }: Fields): Change {
  const kind = kinds[code as keyof typeof kinds];
  switch (kind) {
    case 'create':
    case 'makeFolder':
      return { kind, path: from, inode };
    case 'write':
      return { kind, inode, offset: number, data };
    case 'truncate':
      return { kind, inode, size: number };
    case 'sync':
      return { kind, inode, covered: number };
    case 'rename':
    case 'link':
      return { kind, from, to };
    case 'remove':
      return { kind, path: from };
    default:
      throw new Error(`The recorder logged a change of the unknown kind ${code}.`);
  }
}
