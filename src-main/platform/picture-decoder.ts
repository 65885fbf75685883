import Vips from 'wasm-vips';
import { pictureFormat } from './picture-format.ts';
import type { PictureSize } from './picture-job.ts';

const maxPixels = 100_000_000;
const maxDataUrlLength = 40 * 1024;

/** From the best to the smallest; the last one fits whatever the picture shows. */
const attempts = [
  { scale: 1, palette: false },
  { scale: 1, palette: true },
  { scale: 0.5, palette: true },
  { scale: 0.25, palette: true },
];

/** Pictures are read with these and no others, whatever libvips can do besides. */
const loaders = ['Jpeg', 'Png', 'Nsgif', 'Webp', 'Heif', 'Svg'];

/** See Pictures; synchronous, and throwing where a picture can not be decoded. */
export interface PictureDecoder {
  measure(bytes: Uint8Array): PictureSize | null;
  thumbnail(bytes: Uint8Array, edge: number): Uint8Array<ArrayBuffer> | null;
  shrink(bytes: Uint8Array, edge: number): { dataUrl: string } | null;
}

/** Starts libvips, compiled to WebAssembly, in this thread: it keeps the thread while it decodes. */
export async function openDecoder(): Promise<PictureDecoder> {
  const vips = await Vips({
    dynamicLibraries: ['vips-heif.wasm', 'vips-resvg.wasm'],
    preRun: (module) => {
      const { ENV } = module as unknown as { ENV: Record<string, string> };
      // One picture at a time, in one thread: the rest of the computer belongs to its owner.
      ENV['VIPS_CONCURRENCY'] = '1';
      // Never into a temporary file.
      ENV['VIPS_DISC_THRESHOLD'] = '2g';
    },
    print: () => undefined,
    printErr: () => undefined,
  });
  vips.Cache.max(0);
  vips.operationBlock('VipsForeignLoad', true);
  for (const loader of loaders) vips.operationBlock(`VipsForeignLoad${loader}`, false);
  closeFiles((vips as unknown as { FS: Record<string, unknown> }).FS);

  const measure = (bytes: Uint8Array): PictureSize | null => {
    if (pictureFormat(bytes, bytes.length) === undefined) return null;
    const image = vips.Image.newFromBuffer(bytes, '', { fail_on: 'error' });
    try {
      const { width, height } = image;
      if (width * height > maxPixels) return null;
      return isTurned(image) ? { width: height, height: width } : { width, height };
    } finally {
      image.delete();
    }
  };
  const encode = (
    bytes: Uint8Array,
    edge: number,
    suffix: string,
    options: object,
  ): Uint8Array<ArrayBuffer> => {
    const image = vips.Image.thumbnailBuffer(bytes, edge, {
      height: edge,
      size: 'down',
      // As an option of the loader: thumbnailBuffer's own `fail_on` does not reach it.
      option_string: 'fail_on=error',
      output_profile: 'srgb',
    });
    try {
      // Out of the memory that is shared with WebAssembly's threads.
      return Uint8Array.from(image.writeToBuffer(suffix, { ...options, keep: 'none' }));
    } finally {
      image.delete();
    }
  };
  return {
    measure,
    thumbnail: (bytes, edge) => (measure(bytes) ? encode(bytes, edge, '.webp', { Q: 80 }) : null),
    shrink(bytes, edge) {
      if (measure(bytes) === null) return null;
      for (const { scale, palette } of attempts) {
        const png = encode(bytes, Math.max(1, Math.round(edge * scale)), '.png', { compression: 9, palette });
        const dataUrl = `data:image/png;base64,${Buffer.from(png).toString('base64')}`;
        if (dataUrl.length <= maxDataUrlLength) return { dataUrl };
      }
      return null;
    },
  };
}

/** Exif orientations from 5 on lie on their side. */
function isTurned(image: Vips.Image): boolean {
  return image.getTypeof('orientation') !== 0 && image.getInt('orientation') >= 5;
}

/**
 * Takes the file system away from the code in WebAssembly: on Node it has all of it, and a drawing that names a file
 * gets it drawn in. By now all that it needs is loaded.
 */
function closeFiles(files: Record<string, unknown>): void {
  const missing = errorOf(() => (files['open'] as (path: string) => unknown)('/porchlight/no/such/file'));
  const refuse = (): never => {
    throw missing;
  };
  for (const name of Object.keys(files)) if (typeof files[name] === 'function') files[name] = refuse;
}

/** The very error that the code in WebAssembly understands as a missing file. */
function errorOf(task: () => unknown): Error {
  try {
    task();
  } catch (error) {
    return error as Error;
  }
  throw new Error('A file that is not there was opened.');
}
