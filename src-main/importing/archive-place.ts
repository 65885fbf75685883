const longestPath = 4096;

/** Where in an archive the thread is reading. `item`: the number of the item in the file, from 1. */
export interface ArchivePlace {
  readonly path: string;
  readonly item: number;
}

/** Returns a place as text. It identifies an item that can't be read. */
export const placeKey = ({ path, item }: ArchivePlace) => `${item} ${path.slice(0, longestPath / 4)}`;

/** Creates the memory in which a thread records where it is reading, for the case that it never responds again. */
export const placeMemory = () => new SharedArrayBuffer(8 + longestPath);

/** Returns a function that records the place in an archive that is being read. */
export function placeWriter(memory: SharedArrayBuffer): (place: ArchivePlace) => void {
  const numbers = new Int32Array(memory, 0, 2);
  let last = '';
  return ({ path, item }) => {
    if (path !== last) numbers[0] = Buffer.from(memory, 8).write(path);
    last = path;
    numbers[1] = item;
  };
}

/** Returns the last place that a thread recorded. The path is empty if there is none. Cuts off a very long path. */
export function placeIn(memory: SharedArrayBuffer): ArchivePlace {
  const [length = 0, item = 0] = new Int32Array(memory, 0, 2);
  return { path: Buffer.from(memory, 8, length).toString(), item };
}
