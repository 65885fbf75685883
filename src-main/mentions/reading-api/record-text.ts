/** The number of characters to send at a time. */
const pieceLength = 64 * 1024;

/**
 * Yields a JSON object that ends in a list, in pieces of text, so that even a long list needs little memory. `head`:
 * the object's text before the first entry of the list. `foot`: the text after the last entry.
 */
export async function* listText<T>(
  head: string,
  entries: AsyncIterable<T> | Iterable<T>,
  textOf: (entry: T) => string,
  foot: string,
): AsyncIterable<string> {
  let piece = head;
  let separator = '';
  for await (const entry of entries) {
    piece += separator + textOf(entry);
    separator = ',';
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  yield piece + foot;
}
