/** Characters to send in one piece. */
const pieceLength = 64 * 1024;

/**
 * Yields a JSON object that ends in a list, as pieces of text, so that even a long list takes little memory. `head`:
 * the object's text before the list's first entry. `foot`: the text after the last entry.
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
