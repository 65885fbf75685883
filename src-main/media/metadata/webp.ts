import {
  countSteps,
  damagedFile,
  type FilePiece,
  joinParts,
  lengthOf,
  type Reader,
  readWhole,
} from './reader.ts';
import { findOrientation, orientationTiff } from './exif.ts';

interface Chunk {
  readonly type: string;
  /**
   * The positions at which the chunk's header, its payload and the next chunk begin. `length`: the payload's length,
   * without the pad byte.
   */
  readonly from: number;
  readonly body: number;
  readonly length: number;
  readonly to: number;
}

const headerBytes = 12;
const featureBytes = 10;
const frameHeaderBytes = 16;
const exifFlag = 0x08;
const xmpFlag = 0x04;
const image = new Set(['VP8 ', 'VP8L', 'ANMF']);
const kept = new Set([...image, 'VP8X', 'ALPH', 'ANIM', 'ICCP']);
const keptInFrame = new Set(['VP8 ', 'VP8L', 'ALPH']);

/**
 * Returns the parts of a WebP file (RFC 9649) that stay in the cleaned file. Leaves out Exif (except the orientation),
 * XMP and unknown chunks, including those in animation frames. Also leaves out anything after the picture's end.
 * @throws PorchlightError if the file is not a WebP file or is cut off within a chunk.
 */
export async function planWebp(reader: Reader): Promise<FilePiece[] | null> {
  const header = await readWhole(reader, 0, headerBytes);
  if (header.toString('latin1', 0, 4) !== 'RIFF' || header.toString('latin1', 8) !== 'WEBP')
    throw damagedFile();
  const step = countSteps();
  const end = Math.min(reader.size, 8 + header.readUInt32LE(4));
  const chunks = await chunksIn(reader, headerBytes, end, step);
  if (!chunks.some(({ type }) => image.has(type))) throw damagedFile();

  const features = await featuresOf(reader, chunks);
  const exif = features && features.flags & exifFlag ? chunks.find(({ type }) => type === 'EXIF') : undefined;
  const tiff = exif && (await readWhole(reader, exif.body, exif.length));
  const orientation = tiff ? findOrientation(tiff) : null;
  const turn = orientation ? orientationTiff(orientation) : null;
  const turnStands = turn !== null && tiff?.equals(turn) === true;

  const parts: FilePiece[] = [];
  for (const chunk of chunks) {
    if (chunk === features?.chunk) parts.push(...withFlags(chunk, features.bytes, turn !== null));
    else if (chunk === exif) parts.push(...(turnStands ? rangeOf(chunk) : []));
    else if (chunk.type === 'ANMF') parts.push(...(await frameOf(reader, chunk, step)));
    else if (kept.has(chunk.type) && chunk.type !== 'VP8X') parts.push(...rangeOf(chunk));
  }
  if (turn && !turnStands) parts.push({ bytes: Buffer.concat([chunkHeader('EXIF', turn.length), turn]) });

  const size = Buffer.from(header);
  size.writeUInt32LE(4 + lengthOf(parts), 4);
  const start = size.equals(header) ? { from: 0, to: headerBytes } : { bytes: size };
  return joinParts([start, ...parts], reader.size);
}

async function chunksIn(reader: Reader, from: number, end: number, step: () => void): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  for (let position = from; position + 8 <= end;) {
    step();
    const header = await readWhole(reader, position, 8);
    const length = header.readUInt32LE(4);
    const body = position + 8;
    if (body + length > end) throw damagedFile();
    const to = Math.min(end, body + length + (length % 2));
    chunks.push({ type: header.toString('latin1', 0, 4), from: position, body, length, to });
    position = to;
  }
  return chunks;
}

async function featuresOf(
  reader: Reader,
  chunks: Chunk[],
): Promise<{ chunk: Chunk; bytes: Buffer; flags: number } | null> {
  const [chunk] = chunks;
  if (chunk?.type !== 'VP8X') return null;
  if (chunk.length !== featureBytes) throw damagedFile();
  const bytes = await readWhole(reader, chunk.body, featureBytes);
  return { chunk, bytes, flags: bytes.readUInt8() };
}

function withFlags(chunk: Chunk, bytes: Buffer, exif: boolean): FilePiece[] {
  const flags = bytes.readUInt8();
  const now = (flags & ~(exifFlag | xmpFlag)) | (exif ? exifFlag : 0);
  if (now === flags) return rangeOf(chunk);
  return [
    { from: chunk.from, to: chunk.body },
    { bytes: Buffer.of(now) },
    { from: chunk.body + 1, to: chunk.to },
  ];
}

/** Returns the parts of an animation frame that stay in the cleaned file. A frame itself consists of chunks. */
async function frameOf(reader: Reader, chunk: Chunk, step: () => void): Promise<FilePiece[]> {
  if (chunk.length < frameHeaderBytes) throw damagedFile();
  const inside = chunk.body + frameHeaderBytes;
  const chunks = await chunksIn(reader, inside, chunk.body + chunk.length, step);
  const parts = chunks.filter(({ type }) => keptInFrame.has(type)).flatMap(rangeOf);
  const length = frameHeaderBytes + lengthOf(parts);
  if (length === chunk.length) return rangeOf(chunk);
  return [{ bytes: chunkHeader('ANMF', length) }, { from: chunk.body, to: inside }, ...parts];
}

/** Returns a whole chunk, with a pad byte if the file lacks it. */
function rangeOf({ from, body, length, to }: Chunk): FilePiece[] {
  const range = { from, to };
  return to < body + length + (length % 2) ? [range, { bytes: Buffer.alloc(1) }] : [range];
}

function chunkHeader(type: string, length: number): Buffer {
  const header = Buffer.alloc(8);
  header.write(type, 'latin1');
  header.writeUInt32LE(length, 4);
  return header;
}
