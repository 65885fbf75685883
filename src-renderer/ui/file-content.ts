import { fileWords } from './words.ts';

/** Returns the bytes of a file in base64. Rejects if the file cannot be read, for example because it was deleted. */
export function base64Of(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      const url = typeof reader.result === 'string' ? reader.result : '';
      resolve(url.slice(url.indexOf(',') + 1));
    };
    reader.onerror = () => reject(new Error(fileWords.unreadable));
    reader.readAsDataURL(file);
  });
}

/**
 * Returns a small version of a picture file as a data: URL, because the window's policy forbids blob: addresses; null if
 * this browser cannot show the picture. `width`: in pixels.
 */
export async function thumbnailOf(file: Blob, width = 240): Promise<string | null> {
  try {
    const bitmap = await createImageBitmap(file, { resizeWidth: width, resizeQuality: 'medium' });
    const canvas = document.createElement('canvas');
    canvas.width = bitmap.width;
    canvas.height = bitmap.height;
    canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
    bitmap.close();
    return canvas.toDataURL('image/webp', 0.8);
  } catch {
    return null;
  }
}
