import type { SkippedPart } from '../contract/post-import.ts';
import { placeKey, placeWriter } from './archive-place.ts';
import { archiveText } from './archive-text.ts';
import type { ArchiveFile } from './archive.ts';
import { jsonItems } from './json-stream.ts';
import { xmlElements, type XmlElement } from './xml-stream.ts';

/** The reasons why items can't be read, by place (placeKey): an earlier thread failed at them. */
export type UnreadableItems = ReadonlyMap<string, string>;

/** The archive that this thread reads. */
const reading = {
  record: (_place: { path: string; item: number }): void => undefined,
  unreadable: new Map() as UnreadableItems,
  left: undefined as SkippedPart | undefined,
};

/** Begins to record what is read in `memory`, and to leave out the items in `unreadable`. */
export function recordItems(memory: SharedArrayBuffer, unreadable: UnreadableItems): void {
  Object.assign(reading, { record: placeWriter(memory), unreadable, left: undefined });
}

/** Records that an item is being read. Returns why to leave it out; undefined to read it. */
export function beginItem(path: string, item: number): string | undefined {
  reading.record({ path, item });
  const why = reading.unreadable.get(placeKey({ path, item }));
  const what = `Item ${item.toLocaleString('en')} of “${path}”`;
  reading.left = why === undefined ? undefined : { what, why };
  return why;
}

/** Returns the item that has just been left out, for the report; undefined if the last item was read. */
export const leftItem = () => reading.left;

/** Yields the items of a JSON list (jsonItems). Yields undefined for an item that is left out too. */
export const jsonItemsIn = (file: ArchiveFile, key: string, longest?: number): AsyncGenerator =>
  readable(file, jsonItems(archiveText(file), key, longest));

/** Yields the elements of an XML file (xmlElements). Yields undefined for an element that is left out too. */
export const xmlElementsIn = (file: ArchiveFile, name: string): AsyncGenerator<XmlElement | undefined> =>
  readable(file, xmlElements(archiveText(file), name));

async function* readable<T>({ path }: ArchiveFile, items: AsyncGenerator<T>): AsyncGenerator<T | undefined> {
  let item = 1;
  beginItem(path, item);
  for await (const value of items) {
    yield beginItem(path, item) === undefined ? value : undefined;
    item += 1;
    // The time until the next item is spent on that one.
    reading.record({ path, item });
  }
}
