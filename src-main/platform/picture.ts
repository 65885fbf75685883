import type { Sharp, SharpOptions } from 'sharp';

/** The formats taken from strangers. sharp reads more; each one more is one more parser for them to attack. */
const formats = ['png', 'jpeg', 'gif', 'webp', 'heif', 'svg'];

const maxPixels = 50_000_000;
const maxDataUrlLength = 40 * 1024;
const timeLimitSeconds = 5;

/** From the best to the smallest; the last one fits whatever the picture shows. */
const attempts = [
  { scale: 1, palette: false },
  { scale: 1, palette: true },
  { scale: 0.5, palette: true },
  { scale: 0.25, palette: true },
];

/**
 * Turns a picture from a stranger (PNG, JPEG, GIF, WebP, AVIF, SVG) into a small still PNG that fits into a square
 * of `edge` pixels, as a data URL of at most 40 KiB. Metadata is left behind. Never enlarges.
 * Null where it is no such picture, is damaged, has more than 50 million pixels or takes too long. Where sharp must
 * not run (see sharpIsSafe), a picture that is small already is taken as it is.
 */
export async function shrinkPicture(
  bytes: Uint8Array,
  { edge }: { edge: number },
): Promise<{ dataUrl: string } | null> {
  if (!sharpIsSafe(process.platform, process.versions.electron)) return smallPicture(bytes);
  const { default: sharp } = await import('sharp');
  const options: SharpOptions = {
    limitInputPixels: maxPixels,
    failOn: 'error',
    animated: false,
    autoOrient: true,
  };
  const read = (): Sharp => sharp(bytes, options).timeout({ seconds: timeLimitSeconds });
  try {
    const { format } = await read().metadata();
    if (!formats.includes(format)) return null;
    for (const { scale, palette } of attempts) {
      const dataUrl = await shrink(read(), Math.max(1, Math.round(edge * scale)), palette);
      if (dataUrl.length <= maxDataUrlLength) return { dataUrl };
    }
  } catch {
    // No picture, or one that is meant to hurt: both are none to us.
  }
  return null;
}

/**
 * Whether sharp may be loaded into this process. On Linux, Electron brings the system's glib and sharp another one;
 * the two collide, and decoding a picture can end the whole process (sharp's "Electron and Linux" install note). A
 * missing picture is better than a stranger's picture that turns the light off.
 */
export function sharpIsSafe(platform: NodeJS.Platform, electron: string | undefined): boolean {
  return electron === undefined || platform !== 'linux';
}

const signatures: [type: string, pattern: RegExp][] = [
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF.{4}WEBP/s],
  // A comment ends at the first -->: were it free to end later, a few dozen of them would take for ever.
  ['image/svg+xml', /^(\xef\xbb\xbf)?\s*(<\?xml[^>]*>\s*)?(<!--((?!-->).)*-->\s*)*<svg[\s>]/s],
];

/**
 * A picture that is small already, untouched, as a data URL; null for any other. It is decoded where it is shown:
 * in a sandboxed page, as an image, which runs no script and loads nothing.
 */
export function smallPicture(bytes: Uint8Array): { dataUrl: string } | null {
  const start = Buffer.from(bytes.subarray(0, 1024)).toString('latin1');
  const type = signatures.find(([, pattern]) => pattern.test(start))?.[0];
  if (type === undefined) return null;
  const dataUrl = `data:${type};base64,${Buffer.from(bytes).toString('base64')}`;
  return dataUrl.length <= maxDataUrlLength ? { dataUrl } : null;
}

async function shrink(picture: Sharp, edge: number, palette: boolean): Promise<string> {
  const png = await picture
    .resize(edge, edge, { fit: 'inside', withoutEnlargement: true })
    .png({ compressionLevel: 9, palette })
    .toBuffer();
  return `data:image/png;base64,${png.toString('base64')}`;
}
