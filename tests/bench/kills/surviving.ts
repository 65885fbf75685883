import path from 'node:path';
import type { Random } from '../../fuzz/random.ts';
import { contentAfter, type NumberedEdit, type PowerMode } from './surviving-content.ts';
import type { Change } from './power-log.ts';

/** A file or folder before the recorded changes. */
export interface Before {
  readonly path: string;
  readonly inode: bigint;
  /** Returns the content of a file; undefined for a folder. */
  readonly content: (() => Buffer) | undefined;
}

/** A file after the power loss. */
export interface SurvivingFile {
  /** The inode that still holds this file; undefined if the file was removed, so that another file may have its number. */
  readonly inode: bigint | undefined;
  /** Returns the content; undefined if it is what it was before the recorded changes. */
  readonly content: Buffer | undefined;
  /** Returns the content before the recorded changes; undefined for a file that is newer. */
  readonly before: (() => Buffer) | undefined;
}

/** Files and folders by path, parents first. Undefined stands for a folder. */
export type SurvivingTree = Map<string, SurvivingFile | undefined>;

/** A file or folder, whatever its name. */
interface Thing {
  readonly inode: bigint;
  readonly isFolder: boolean;
  readonly before: (() => Buffer) | undefined;
  /** The changes of a file's content. */
  readonly edits: NumberedEdit[];
  /** How many changes of the log its newest sync covers. */
  covered: number;
}

/** A name in a folder, and what it stands for. */
interface Entry {
  readonly folder: Thing;
  readonly name: string;
  readonly thing: Thing;
}

/** A change of names. */
interface Naming {
  readonly number: number;
  readonly removes: Entry | undefined;
  readonly adds: Entry | undefined;
}

/** The names in each folder. */
type Names = Map<Thing, Map<string, Thing>>;

/**
 * Returns what a power loss leaves of the folder `root`, from its content before and the recorded changes.
 * @throws Error if the changes do not fit together, because the recorder missed one.
 */
export function surviving(
  root: string,
  { before, changes }: { readonly before: readonly Before[]; readonly changes: readonly Change[] },
  mode: PowerMode,
  random: Random,
): SurvivingTree {
  const start = thingsOf(root, before);
  const { namings, holder } = replay(root, start, changes);
  const { names } = thingsOf(root, before, start.known);
  const isKept = namingRule(mode, random, changes.length);
  for (const naming of namings) if (isKept(naming)) apply(names, naming);

  const tree: SurvivingTree = new Map();
  const files = new Map<Thing, SurvivingFile>();
  function walk(folder: string, thing: Thing): void {
    for (const [name, child] of names.get(thing) ?? []) {
      const place = path.join(folder, name);
      tree.set(place, child.isFolder ? undefined : fileOf(child));
      if (child.isFolder) walk(place, child);
    }
  }
  function fileOf(thing: Thing): SurvivingFile {
    const known = files.get(thing);
    if (known) return known;
    const inode = holder(thing.inode) === thing ? thing.inode : undefined;
    const file = { inode, content: contentAfter(thing, mode, random), before: thing.before };
    files.set(thing, file);
    return file;
  }
  walk(root, start.root);
  return tree;
}

interface Start {
  readonly root: Thing;
  readonly names: Names;
  readonly known: ReadonlyMap<bigint, Thing>;
}

/** Builds the things and names from before. `known`: the same things from an earlier call. */
function thingsOf(root: string, before: readonly Before[], known?: ReadonlyMap<bigint, Thing>): Start {
  const things = new Map(known);
  const names: Names = new Map();
  const places = new Map<string, Thing>();
  for (const { path: place, inode, content } of before) {
    const thing = things.get(inode) ?? newThing(inode, content === undefined, content);
    things.set(inode, thing);
    places.set(place, thing);
    if (thing.isFolder) names.set(thing, new Map());
    if (place !== root) namesIn(names, found(places, path.dirname(place))).set(path.basename(place), thing);
  }
  return { root: found(places, root), names, known: things };
}

const newThing = (inode: bigint, isFolder: boolean, before?: () => Buffer): Thing => ({
  inode,
  isFolder,
  before,
  edits: [],
  covered: 0,
});

/** Follows the changes from the start, and notes each of them with the thing that it changed. */
function replay(root: string, start: Start, changes: readonly Change[]) {
  const { names } = start;
  const holders = new Map(start.known);
  const namings: Naming[] = [];

  function lookUp(place: string): Thing | undefined {
    let thing: Thing | undefined = start.root;
    for (const name of path.relative(root, place).split(path.sep))
      if (name !== '') thing = thing && names.get(thing)?.get(name);
    return thing;
  }
  function entryOf(place: string, thing: Thing): Entry {
    const folder = lookUp(path.dirname(place));
    if (!folder) throw new Error(`${place} was changed in a folder that the recorder does not know.`);
    return { folder, name: path.basename(place), thing };
  }
  function known(place: string): Thing {
    const thing = lookUp(place);
    if (!thing) throw new Error(`${place} was changed, and the recorder did not see it appear.`);
    return thing;
  }
  function note(number: number, removes: Entry | undefined, adds: Entry | undefined): void {
    const naming = { number, removes, adds };
    apply(names, naming);
    namings.push(naming);
  }

  for (const [number, change] of changes.entries())
    switch (change.kind) {
      case 'create':
      case 'makeFolder': {
        const thing = newThing(change.inode, change.kind === 'makeFolder');
        holders.set(change.inode, thing);
        if (thing.isFolder) names.set(thing, new Map());
        note(number, undefined, entryOf(change.path, thing));
        break;
      }
      case 'write':
      case 'truncate':
        found(holders, change.inode).edits.push({ number, edit: change });
        break;
      case 'sync': {
        const thing = found(holders, change.inode);
        thing.covered = Math.max(thing.covered, change.covered);
        break;
      }
      case 'rename': {
        const thing = known(change.from);
        // Renaming one name of a file to another of its names does nothing (POSIX).
        if (lookUp(change.to) !== thing) note(number, entryOf(change.from, thing), entryOf(change.to, thing));
        break;
      }
      case 'link':
        note(number, undefined, entryOf(change.to, known(change.from)));
        break;
      case 'remove':
        note(number, entryOf(change.path, known(change.path)), undefined);
        break;
    }
  return { namings, holder: (inode: bigint) => holders.get(inode) };
}

function apply(names: Names, { removes, adds }: Naming): void {
  if (removes) {
    const there = namesIn(names, removes.folder);
    if (there.get(removes.name) === removes.thing) there.delete(removes.name);
  }
  if (adds) namesIn(names, adds.folder).set(adds.name, adds.thing);
}

/**
 * Returns which changes of names survive. Synced ones always do; a rename is synced with either of its folders, because
 * file systems rename atomically. In the random mode, half of the power losses keep the order of names, as a journaling
 * file system does.
 */
function namingRule(mode: PowerMode, random: Random, length: number): (naming: Naming) => boolean {
  const isSynced = ({ number, removes, adds }: Naming) =>
    [removes, adds].some((entry) => entry !== undefined && entry.folder.covered > number);
  if (mode === 'all') return () => true;
  if (mode === 'strict') return isSynced;
  const isOrdered = random.chance(0.5);
  const end = random.below(length + 1);
  return (naming) => isSynced(naming) || (isOrdered ? naming.number < end : random.chance(0.5));
}

function found<K, V>(map: ReadonlyMap<K, V>, key: K): V {
  const value = map.get(key);
  if (value === undefined) throw new Error(`The recorder did not see ${String(key)} appear.`);
  return value;
}

/** Returns the names in a folder, of which the power loss may have left none. */
function namesIn(names: Names, folder: Thing): Map<string, Thing> {
  const there = names.get(folder) ?? new Map<string, Thing>();
  names.set(folder, there);
  return there;
}
