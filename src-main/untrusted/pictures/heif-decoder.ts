import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext, type Context } from 'node:vm';
import type createLibheif from 'libheif-js/libheif-wasm/libheif.js';

type Libheif = ReturnType<typeof createLibheif>;

/** The decoded pixels of a picture, rotated as the file says, in rows from top to bottom. */
export interface HeifPixels {
  /** The samples, one byte each: red, green, blue, and alpha if there are four bands. */
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly bands: 3 | 4;
  /** The ICC profile; absent if the picture has none. */
  readonly profile?: Uint8Array;
}

/** The maximum number of pixels is the square of this number. The limit leaves room for photos of 48 megapixels. */
const maxEdge = 8000;
/** The maximum size of an ICC profile, in bytes. The profiles of cameras are smaller than 1 kB. */
const maxProfileBytes = 1_000_000;

// Constants of libheif's heif_error.h, heif_image.h and heif_color.h.
const colorspaceRgb = 1;
const chromaRgb = 10;
const chromaRgba = 11;
const channelInterleaved = 10;
/** The size of a heif_error, in bytes: a code, a second code and the address of a message. */
const errorBytes = 12;

const packed = (file: string) =>
  readFileSync(fileURLToPath(import.meta.resolve(`libheif-js/libheif-wasm/${file}`)));

/**
 * Starts libheif, compiled to WebAssembly. Its JavaScript runs in a context that has neither Node's functions nor
 * `eval`, so code that takes over WebAssembly reaches no file, no network and no other thread.
 */
export function openLibheif(): Libheif {
  // An object with a prototype would lead to functions outside the context.
  const globals = Object.create(null) as Context & { libheif?: typeof createLibheif };
  const context = createContext(globals, { codeGeneration: { strings: false, wasm: true } });
  runInContext(packed('libheif.js').toString(), context, { filename: 'libheif.js' });
  if (globals.libheif === undefined) throw new Error('libheif.js defines no libheif.');
  const ignore = (): void => undefined;
  return globals.libheif({ wasmBinary: packed('libheif.wasm'), print: ignore, printErr: ignore });
}

/**
 * Decodes the main picture of a HEIC file (HEVC in HEIF), and blocks the thread for seconds. Each call uses a new
 * decoder, so that a hostile file can't affect the next one. The result is in the decoder's memory.
 * @throws Error if the file has no main picture, is damaged, isn't HEVC, or has more than 64 million pixels
 */
export function decodeHeif(file: Uint8Array): HeifPixels {
  const lib = openLibheif();
  const reserve = (bytes: number): number => {
    const at = lib._malloc(bytes);
    if (at === 0) throw new Error('libheif has no more memory.');
    return at;
  };
  // The memory can grow and then has a new buffer, so each access uses a new view.
  const memory = (): ArrayBuffer => (lib.HEAPU8 as Uint8Array<ArrayBuffer>).buffer;
  const word = (at: number): number => new DataView(memory()).getUint32(at, true);
  const bytesAt = (at: number, length: number) => new Uint8Array(memory(), at, length);
  const error = reserve(errorBytes);
  const out = reserve(4);
  const check = (step: string): void => {
    if (word(error) !== 0) throw new Error(`libheif: ${step} failed with ${word(error)}/${word(error + 4)}.`);
  };

  const heif = lib._heif_context_alloc();
  lib._heif_context_set_maximum_image_size_limit(heif, maxEdge);
  const content = reserve(file.length);
  bytesAt(content, file.length).set(file);
  lib._heif_context_read_from_memory_without_copy(error, heif, content, file.length, 0);
  check('reading');
  lib._heif_context_get_primary_image_handle(error, heif, out);
  check('finding the main picture');
  const handle = word(out);
  // libheif checks the sizes of the parts that it decodes, but a file can declare another size for the whole picture.
  if (lib._heif_image_handle_get_width(handle) * lib._heif_image_handle_get_height(handle) > maxEdge ** 2)
    throw new Error('The picture has too many pixels.');

  const bands = lib._heif_image_handle_has_alpha_channel(handle) === 0 ? 3 : 4;
  lib._heif_decode_image(error, handle, out, colorspaceRgb, bands === 3 ? chromaRgb : chromaRgba, 0);
  check('decoding');
  const image = word(out);
  // libheif fills tiles that it can't decode with black, and reports them as warnings.
  if (lib._heif_image_get_decoding_warnings(image, 0, 0, 0) > 0) throw new Error('A part is damaged.');
  const width = lib._heif_image_get_width(image, channelInterleaved);
  const height = lib._heif_image_get_height(image, channelInterleaved);
  const pixels = lib._heif_image_get_plane_readonly2(image, channelInterleaved, out);
  const stride = word(out);
  const data = withoutPadding(bytesAt(pixels, stride * height), { stride, used: width * bands });

  const profileBytes = lib._heif_image_handle_get_raw_color_profile_size(handle);
  if (profileBytes === 0 || profileBytes > maxProfileBytes) return { data, width, height, bands };
  const profile = reserve(profileBytes);
  lib._heif_image_handle_get_raw_color_profile(error, handle, profile);
  check('reading the color profile');
  return { data, width, height, bands, profile: Uint8Array.from(bytesAt(profile, profileBytes)) };
}

/** Returns rows of `stride` bytes without the bytes that libheif may add behind the first `used` bytes of each row. */
function withoutPadding(rows: Uint8Array, { stride, used }: { stride: number; used: number }): Uint8Array {
  if (stride === used) return rows;
  const height = rows.length / stride;
  const data = new Uint8Array(used * height);
  for (let row = 0; row < height; row += 1)
    data.set(rows.subarray(row * stride, row * stride + used), row * used);
  return data;
}
