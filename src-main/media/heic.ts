import { PorchlightError } from '../contract/error.ts';
import type { Cause } from '../platform/cause.ts';
import { notNow } from '../untrusted/pictures/pictures.ts';
import type { Pictures } from '../untrusted/pictures/pictures.ts';
import type { TakenType } from './media-types.ts';
import { drop, receive, type Incoming } from './upload-file.ts';

/** Returns whether most browsers show files of a type. A photo that they don't show would be a mere link on a page. */
export function isShownByBrowsers(type: TakenType): boolean {
  return type !== 'image/heic' && type !== 'image/heif';
}

/**
 * Converts a received HEIC picture to JPEG. Returns the JPEG, and deletes the original. `from`: the origin of a copied
 * picture. `limit`: the maximum size of the JPEG, in bytes.
 * @throws PorchlightError `invalid_request` 415 if the picture can't be converted, 413 if the JPEG is larger than
 * `limit`; `temporarily_unavailable` 503 (429 if the picture has `from`) if another attempt may succeed; `storage_full`,
 * `storage_unwritable`. In these cases, the original is not deleted.
 */
export async function jpegOf(
  dir: string,
  original: Incoming,
  { pictures, limit, from }: { pictures: Pick<Pictures, 'jpeg'>; limit: number; from?: Cause },
): Promise<Incoming> {
  const jpeg = await pictures.jpeg(original.file, { from });
  if (jpeg === notNow) throw tryLater(from === undefined ? 503 : 429);
  if (jpeg === null) throw notConverted();
  const converted = await receive(dir, once(jpeg), limit);
  await drop(original);
  return converted;
}

const tryLater = (status: number) =>
  new PorchlightError(
    'temporarily_unavailable',
    'Porchlight is too busy to convert the HEIC picture to JPEG. Try again in a minute, or send the picture as a JPEG.',
    status,
  );

const notConverted = () =>
  new PorchlightError(
    'invalid_request',
    'Most browsers can’t show HEIC pictures, and Porchlight can’t convert this one. Send the picture as a JPEG. To take photos as JPEG on an iPhone, choose Settings > Camera > Formats > Most Compatible.',
    415,
  );

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}
