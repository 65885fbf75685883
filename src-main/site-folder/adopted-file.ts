/** The maximum size of a file that Porchlight reads as a post, in bytes. */
export const largestPostFile = 1_000_000;

/** Returns the text of a file, or undefined if it isn't UTF-8. Keeps a byte order mark. */
export function textOfFile(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns the format of a post's file, based on its extension; undefined if posts don't use that extension. */
export function bodyKind(file: string): 'markdown' | 'html' | 'mdx' | undefined {
  const [, extension = ''] = /\.([a-z]+)$/i.exec(file) ?? [];
  switch (extension.toLowerCase()) {
    case 'md':
    case 'markdown':
      return 'markdown';
    case 'html':
    case 'htm':
      return 'html';
    case 'mdx':
      return 'mdx';
    default:
      return undefined;
  }
}
