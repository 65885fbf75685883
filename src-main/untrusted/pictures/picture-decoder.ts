import Vips from 'wasm-vips';
import { decodeHeif } from './heif-decoder.ts';
import { isAnimated, isPlainDrawing, pictureFormat } from './picture-format.ts';

/** The displayed size of a picture in pixels, with its orientation applied. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** A smaller version of a picture. `ending`: the extension of its format. */
export interface PictureVersion {
  /** The width in pixels. */
  readonly width: number;
  readonly ending: 'webp' | 'jpg';
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/**
 * The versions of a picture to make. `widths`: the widths of the WebP versions, in pixels. `previewWidth`: the width of
 * a version for share previews, in pixels.
 */
export interface RequestedVersions {
  readonly widths: readonly number[];
  readonly previewWidth: number;
}

const maxPixels = 100_000_000;
/**
 * The maximum size of a stranger's decoded picture, in bytes. Some formats must be decoded completely before they can
 * be scaled down.
 */
const maxStrangersBytes = 192_000_000;
/** The height limit, in pixels, of a picture that only its width limits. It is the limit of libvips. */
const mostHeight = 10_000_000;
const maxDataUrlLength = 40 * 1024;

/**
 * The ways to encode a picture as a data URL, from the best quality to the smallest size. The last way makes any
 * picture fit into `maxDataUrlLength`.
 */
const attempts = [
  { scale: 1, palette: false },
  { scale: 1, palette: true },
  { scale: 0.5, palette: true },
  { scale: 0.25, palette: true },
];

/** The libvips loaders that may read pictures. All other loaders are disabled. */
const loaders = ['Jpeg', 'Png', 'Nsgif', 'Webp', 'Heif', 'Svg'];

type VipsLibrary = Awaited<ReturnType<typeof Vips>>;

/** A picture to decode. `trusted`: whether the picture is the owner's own. */
export interface Picture {
  readonly bytes: Uint8Array;
  readonly trusted: boolean;
}

/**
 * Starts libvips, compiled to WebAssembly, in the current thread. Decoding blocks this thread (see Pictures).
 */
export async function openDecoder(): Promise<Decoder> {
  const vips = await Vips({
    dynamicLibraries: ['vips-heif.wasm', 'vips-resvg.wasm'],
    preRun: (module) => {
      const { ENV } = module as unknown as { ENV: Record<string, string> };
      // Use one thread and decode one picture at a time, to leave the other processor cores free for the owner's
      // programs.
      ENV['VIPS_CONCURRENCY'] = '1';
      // Keep pictures in memory, so that libvips never uses a temporary file.
      ENV['VIPS_DISC_THRESHOLD'] = '2g';
    },
    print: () => undefined,
    printErr: () => undefined,
  });
  vips.Cache.max(0);
  vips.operationBlock('VipsForeignLoad', true);
  for (const loader of loaders) vips.operationBlock(`VipsForeignLoad${loader}`, false);
  closeFiles((vips as unknown as { FS: Record<string, unknown> }).FS);

  // The WebAssembly code is compiled when the first picture is encoded, which takes a second on a busy computer. Encode
  // a test picture now, to avoid that delay later.
  vips.Image.black(64, 64).pngsaveBuffer();

  return new Decoder(vips);
}

/** Decodes pictures. All methods throw if a picture cannot be decoded. */
class Decoder {
  readonly #vips: VipsLibrary;

  constructor(vips: VipsLibrary) {
    this.#vips = vips;
  }

  measure(picture: Picture) {
    return this.#examine(picture)?.size ?? null;
  }

  thumbnail(picture: Picture, edge: number) {
    const found = this.#examine(picture);
    if (found === null) return null;
    const image = this.#small(picture.bytes, found.options, edge);
    try {
      return this.#encode(image, '.webp', { Q: 80 });
    } finally {
      image.delete();
    }
  }

  /**
   * Makes smaller versions of a picture: WebP in `widths`, and a version for share previews, which is JPEG, or WebP if
   * the picture is transparent. Never enlarges. Returns no versions of an animation or a drawing, nor any that is
   * not smaller than the original.
   */
  versions(picture: Picture, { widths, previewWidth }: RequestedVersions): PictureVersion[] | null {
    const { bytes } = picture;
    const found = this.#examine(picture);
    if (found === null) return null;
    const fitting = [...widths, previewWidth].filter((width) => width < found.size.width);
    if (fitting.length === 0 || isAnimated(bytes) || pictureFormat(bytes, bytes.length) === 'svg') return [];
    const [largest = 0, ...others] = fitting.toSorted((a, b) => b - a);
    // Decode the original once, and make each of the other versions from the next larger one.
    const images = [this.#small(bytes, found.options, largest, mostHeight)];
    try {
      for (const width of others) {
        const larger = images.at(-1) as Vips.Image;
        const image = larger.thumbnailImage(width, { height: mostHeight, size: 'down' });
        try {
          images.push(image.copyMemory());
        } finally {
          image.delete();
        }
      }
      return images.toReversed().flatMap((image) => {
        const isJpeg = image.width === previewWidth && !isTransparent(image);
        return this.#versionOf(image, isJpeg ? 'jpg' : 'webp', bytes.length);
      });
    } finally {
      for (const image of images) image.delete();
    }
  }

  icon(picture: Picture, edge: number) {
    const found = this.#examine(picture);
    if (found === null) return null;
    const square = this.#vips.Image.thumbnailBuffer(picture.bytes, edge, {
      ...found.options,
      height: edge,
      crop: 'centre',
    });
    try {
      return this.#encode(square, '.png', { compression: 9 });
    } finally {
      square.delete();
    }
  }

  /** Converts a HEIC picture to JPEG. Of its metadata, only the color profile remains. */
  jpeg({ bytes }: Picture) {
    const { data, width, height, bands, profile } = decodeHeif(bytes);
    const decoded = this.#vips.Image.newFromMemory(data, width, height, bands, this.#vips.BandFormat.uchar);
    const image = bands === 3 ? decoded : decoded.flatten({ background: [255, 255, 255] });
    try {
      if (profile) image.setBlob('icc-profile-data', profile);
      // HEIC pictures have half the color resolution already, so JPEG loses nothing by it.
      const options = { Q: 90, keep: 'icc', subsample_mode: 'on' };
      return Uint8Array.from(image.writeToBuffer('.jpg', options));
    } finally {
      image.delete();
      if (image !== decoded) decoded.delete();
    }
  }

  shrink(picture: Picture, edge: number) {
    const found = this.#examine(picture);
    if (found === null) return null;
    const image = this.#small(picture.bytes, found.options, edge);
    try {
      for (const { scale, palette } of attempts) {
        const smaller = scale === 1 ? image.copy() : image.resize(scale);
        try {
          const png = this.#encode(smaller, '.png', { compression: 9, palette });
          const dataUrl = `data:image/png;base64,${Buffer.from(png).toString('base64')}`;
          if (dataUrl.length <= maxDataUrlLength) return { dataUrl };
        } finally {
          smaller.delete();
        }
      }
      return null;
    } finally {
      image.delete();
    }
  }

  /** Returns the size of a picture, and the options with which to decode it; null if it may not be decoded. */
  #examine({ bytes, trusted }: Picture): { size: PictureSize; options: object } | null {
    const format = pictureFormat(bytes, bytes.length);
    if (format === undefined || (format === 'svg' && !trusted && !isPlainDrawing(bytes))) return null;
    const image = this.#vips.Image.newFromBuffer(bytes, '', { fail_on: 'error' });
    try {
      const { width, height } = image;
      if (width * height > maxPixels || (!trusted && decodedBytes(image) > maxStrangersBytes)) return null;
      return {
        size: isTurned(image) ? { width: height, height: width } : { width, height },
        // `fail_on` must be an option of the loader: thumbnailBuffer's own `fail_on` does not reach the loader.
        options: { option_string: 'fail_on=error', ...(hasOwnColors(image) && { output_profile: 'srgb' }) },
      };
    } finally {
      image.delete();
    }
  }

  /**
   * Decodes a picture into a reduced copy in memory. The copy is at most `width` pixels wide and `height` pixels high.
   */
  #small(bytes: Uint8Array, options: object, width: number, height = width): Vips.Image {
    const image = this.#vips.Image.thumbnailBuffer(bytes, width, { ...options, height, size: 'down' });
    try {
      return image.copyMemory();
    } finally {
      image.delete();
    }
  }

  // Copy the bytes, because WebAssembly's memory is shared between threads.
  #encode(image: Vips.Image, suffix: string, options: object): Uint8Array<ArrayBuffer> {
    return Uint8Array.from(image.writeToBuffer(suffix, { ...options, keep: 'none' }));
  }

  /** Encodes a version; undefined if it would not be smaller than the original. */
  #versionOf(image: Vips.Image, ending: PictureVersion['ending'], mostBytes: number) {
    // Libvips's usual effort of 4 takes twice the time for 3 % smaller files.
    const options = { webp: { Q: 75, effort: 2 }, jpg: { Q: 80, background: 255 } };
    const bytes = this.#encode(image, `.${ending}`, options[ending]);
    return bytes.length < mostBytes ? [{ width: image.width, ending, bytes }] : [];
  }
}

/** Returns whether a picture has pixels that are not opaque. */
function isTransparent(image: Vips.Image): boolean {
  if (!image.hasAlpha()) return false;
  const opaque = image.format === 'ushort' ? 65_535 : 255;
  return image.extractBand(image.bands - 1).min() < opaque;
}

/**
 * Returns whether the colors of a picture must be converted to be shown: it has a color profile, or isn't in sRGB.
 * Converting those of any other picture changes nothing, and takes ten times as long as decoding it.
 */
const hasOwnColors = (image: Vips.Image): boolean =>
  image.getTypeof('icc-profile-data') !== 0 || !['srgb', 'b-w'].includes(image.interpretation);

/** Returns the size of a picture's decoded pixels, in bytes. */
function decodedBytes({ width, height, bands, format }: Vips.Image): number {
  const sampleBytes = ['uchar', 'char'].includes(format) ? 1 : ['ushort', 'short'].includes(format) ? 2 : 8;
  return width * height * bands * sampleBytes;
}

/** Returns whether a picture is shown rotated by 90 or 270 degrees (Exif orientations 5 to 8). */
function isTurned(image: Vips.Image): boolean {
  return image.getTypeof('orientation') !== 0 && image.getInt('orientation') >= 5;
}

/**
 * Denies file access to the WebAssembly code. On Node.js, this code can access the whole file system, and an SVG
 * drawing that references a file would include that file. Call this function only after the code has loaded all files
 * that it needs.
 */
function closeFiles(files: Record<string, unknown>): void {
  const missing = errorOf(() => (files['open'] as (path: string) => unknown)('/porchlight/no/such/file'));
  const refuse = (): never => {
    throw missing;
  };
  for (const name of Object.keys(files)) if (typeof files[name] === 'function') files[name] = refuse;
}

/**
 * Returns the error that `task` throws when it opens a missing file. closeFiles needs this error object, because the
 * WebAssembly code recognizes no other error as a missing file.
 */
function errorOf(task: () => unknown): Error {
  try {
    task();
  } catch (error) {
    return error as Error;
  }
  throw new Error('A file that is not there was opened.');
}
