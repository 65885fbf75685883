/** The bytes of a file in base64. Rejects where it can not be read (it was moved or deleted meanwhile, say). */
export function base64Of(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      const url = typeof reader.result === 'string' ? reader.result : '';
      resolve(url.slice(url.indexOf(',') + 1));
    };
    reader.onerror = () => reject(new Error('The file could not be read. Is it still where it was?'));
    reader.readAsDataURL(file);
  });
}

/**
 * A small picture of a picture file as a data: URL (the window's policy knows no blob: addresses); null where this
 * browser can not show it. `width`: in pixels.
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
