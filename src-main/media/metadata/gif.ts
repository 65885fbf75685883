import {
  asBuffer,
  countSteps,
  damagedFile,
  type FilePiece,
  joinParts,
  type Reader,
  readWhole,
  windowBytes,
} from './reader.ts';

const extension = 0x21;
const image = 0x2c;
const trailer = 0x3b;
const application = 0xff;
/**
 * The labels of the extension blocks to keep. A plain text extension draws text in the picture. A graphic control
 * extension sets how long a frame is shown.
 */
const keptExtensions = new Set([0x01, 0xf9]);
/** The application extensions to keep, which set the number of repetitions or the color profile. */
const keptApplications = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0', 'ICCRGBG1012']);

/**
 * Returns the parts of a GIF file (GIF89a) that stay in the cleaned file. Leaves out comments, XMP, other application
 * data that the picture doesn't need, and anything after the picture's end. If the file is cut off after the start of
 * its first frame, keeps the data up to that point.
 * @throws PorchlightError if the file is not a GIF file or has no frame.
 */
export async function planGif(reader: Reader): Promise<FilePiece[] | null> {
  const header = await readWhole(reader, 0, 13);
  if (!/^GIF8[79]a/.test(header.toString('latin1', 0, 6))) throw damagedFile();
  const step = countSteps();
  const parts: FilePiece[] = [];
  let position = 13 + tableBytes(header.readUInt8(10));
  let imageSeen = false;
  parts.push({ from: 0, to: position });
  if (position > reader.size) throw damagedFile();
  while (position + 2 <= reader.size) {
    step();
    const [kind, label] = await readWhole(reader, position, 2);
    if (kind === 0) {
      position += 1; // a stray zero byte, which decoders skip
      continue;
    }
    if (kind !== extension && kind !== image) break;
    const head = kind === image ? await imageHead(reader, position) : position + 2;
    if (head === null) break;
    const blocks = await subBlocks(reader, head);
    if (kind === image) {
      imageSeen = true;
      parts.push({ from: position, to: blocks.end });
      if (!blocks.whole) parts.push({ bytes: Buffer.alloc(1) });
    } else if (blocks.whole && (await isKept(reader, position + 3, label))) {
      parts.push({ from: position, to: blocks.end });
    }
    position = blocks.end;
    if (!blocks.whole) break;
  }
  if (!imageSeen) throw damagedFile();
  const [last] = position < reader.size ? await readWhole(reader, position, 1) : [];
  const end = last === trailer ? { from: position, to: position + 1 } : { bytes: Buffer.of(trailer) };
  return joinParts([...parts, end], reader.size);
}

/** Returns the size of a color table in bytes, from the flags that precede it. */
function tableBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 0x07) + 1) : 0;
}

/** Returns the position at which the data of a frame begins, or null if the file ends before that position. */
async function imageHead(reader: Reader, position: number): Promise<number | null> {
  if (position + 10 > reader.size) return null;
  const flags = (await readWhole(reader, position + 9, 1)).readUInt8();
  const start = position + 10 + tableBytes(flags) + 1;
  return start < reader.size ? start : null;
}

/**
 * Finds the end of a sequence of sub-blocks, which ends with an empty block. If the file is cut off, finds the end of
 * the last complete block.
 */
async function subBlocks(reader: Reader, from: number): Promise<{ end: number; whole: boolean }> {
  let end = from;
  while (end < reader.size) {
    const window = asBuffer(await reader.read(end, windowBytes));
    let at = 0;
    for (let length = window[at]; length !== undefined; length = window[at]) {
      if (length === 0) return { end: end + at + 1, whole: true };
      if (end + at + 1 + length > reader.size) return { end: end + at, whole: false };
      at += 1 + length;
    }
    if (at === 0) break;
    end += at;
  }
  return { end: Math.min(end, reader.size), whole: false };
}

async function isKept(reader: Reader, body: number, label: number | undefined): Promise<boolean> {
  if (label !== application) return label !== undefined && keptExtensions.has(label);
  const name = asBuffer(await reader.read(body, 11)).toString('latin1');
  return keptApplications.has(name);
}
