const longestPath = 4096;

/** Where in an archive the thread is reading. `item`: the number of the item in the file, from 1. */
export interface ArchivePlace {
  readonly path: string;
  readonly item: number;
}

/** Creates the memory in which a thread records where it is reading, for the case that it never responds again. */
export const placeMemory = () => new SharedArrayBuffer(8 + longestPath);

/** Returns functions that record the place in an archive that is being read. */
export function placeWriter(memory: SharedArrayBuffer) {
  const [length, item] = [new Int32Array(memory, 0, 1), new Int32Array(memory, 4, 1)];
  return {
    beginFile(path: string): void {
      length[0] = Buffer.from(memory, 8).write(path);
      item[0] = 1;
    },
    nextItem: () => void (item[0] = (item[0] ?? 0) + 1),
  };
}

/** Returns the last place that a thread recorded. The path is empty if there is none. Cuts off a very long path. */
export function placeIn(memory: SharedArrayBuffer): ArchivePlace {
  const [length = 0, item = 0] = new Int32Array(memory, 0, 2);
  return { path: Buffer.from(memory, 8, length).toString(), item };
}
