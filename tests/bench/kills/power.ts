import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { Random } from '../../fuzz/random.ts';
import { changesIn } from './power-log.ts';
import type { PowerMode } from './surviving-content.ts';
import { surviving, type Before, type SurvivingFile } from './surviving.ts';

/** Records what a program does to a folder, and turns the folder into what a power loss would have left of it. */
export interface PowerSupply {
  /** Starts a recording: what the folder holds now is on disk. Returns the environment for the program. */
  record(): Record<string, string>;
  /** Replaces the folder by what survives of it. The program must have ended. */
  lose(mode: PowerMode, random: Random): void;
  /** Returns how the folder differs from the recording. Without a kill, nothing may. */
  missed(random: Random): string[];
}

/** Returns why power losses cannot be simulated here; undefined if they can. */
export function whyNoPower(): string | undefined {
  if (process.platform !== 'linux') return 'the recorder is a preloaded library, which needs Linux';
  try {
    execFileSync('cc', ['--version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'there is no C compiler (cc) for the recorder';
  }
}

/** SQLite writes this file through memory, and makes it again after a power loss. */
const isDerived = (file: string) => file.endsWith('-shm');

/** Compiles the recorder into `work`, and watches over the folder `dir`, an absolute path without links. */
export function openPowerSupply(dir: string, work: string): PowerSupply {
  const library = path.join(work, 'recorder.so');
  const source = path.join(import.meta.dirname, 'recorder.c');
  execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl', '-lpthread']);
  const [log, copy] = [path.join(work, 'power.log'), path.join(work, 'before')];
  let before: Before[] = [];

  const survivors = (mode: PowerMode, random: Random) =>
    surviving(
      dir,
      { before, changes: changesIn(existsSync(log) ? readFileSync(log) : Buffer.alloc(0)) },
      mode,
      random,
    );

  return {
    record() {
      rmSync(log, { force: true });
      rmSync(copy, { recursive: true, force: true });
      mkdirSync(copy);
      before = listed(dir).map(({ place, inode, isFolder }, number) => {
        if (isFolder) return { path: place, inode, content: undefined };
        const kept = path.join(copy, String(number));
        copyFileSync(place, kept);
        return { path: place, inode, content: () => readFileSync(kept) };
      });
      // Without io_uring and mkstemp, whose changes no library sees. Node uses the latter to keep compiled code.
      const unseen = { UV_USE_IO_URING: '0', NODE_DISABLE_COMPILE_CACHE: '1' };
      return { LD_PRELOAD: library, POWER_FOLDER: dir, POWER_LOG: log, ...unseen };
    },

    lose(mode, random) {
      const tree = survivors(mode, random);
      const old = `${dir}.off`;
      const places = new Map(listed(dir).map(({ place, inode }) => [inode, path.relative(dir, place)]));
      renameSync(dir, old);
      mkdirSync(dir, { mode: 0o700 });
      const made = new Map<SurvivingFile, string>();
      for (const [place, file] of tree) {
        if (file === undefined) mkdirSync(place, { mode: 0o700 });
        else if (!isDerived(place)) {
          const other = made.get(file);
          if (other !== undefined) linkSync(other, place);
          else putBack(place, file);
          made.set(file, place);
        }
      }
      rmSync(old, { recursive: true });

      /** Puts a file back, if possible with its inode and its times, by which the server knows it. */
      function putBack(place: string, file: SurvivingFile): void {
        const name = file.inode === undefined ? undefined : places.get(file.inode);
        if (name === undefined) {
          writeFileSync(place, file.content ?? file.before?.() ?? '', { mode: 0o600 });
          return;
        }
        linkSync(path.join(old, name), place);
        const intended = file.content ?? file.before?.();
        if (intended && !readFileSync(place).equals(intended)) writeFileSync(place, intended);
      }
    },

    missed(random) {
      const tree = survivors('all', random);
      const there = listed(dir).filter(({ place }) => place !== dir && !isDerived(place));
      const names = new Set(there.map(({ place }) => place));
      return [
        ...[...tree.keys()]
          .filter((place) => !isDerived(place) && !names.has(place))
          .map((one) => `${one} is gone`),
        ...there.filter(({ place }) => !tree.has(place)).map(({ place }) => `${place} is new`),
        ...there
          .filter(({ place }) => {
            const file = tree.get(place);
            return file && !readFileSync(place).equals(file.content ?? file.before?.() ?? Buffer.alloc(0));
          })
          .map(({ place }) => `${place} has other content`),
      ];
    },
  };
}

interface Listed {
  readonly place: string;
  readonly inode: bigint;
  readonly isFolder: boolean;
}

/** Lists a folder and everything in it, parents first. Leaves out sockets, which no power loss keeps. */
function listed(dir: string): Listed[] {
  const all = (place: string): Listed[] => {
    const status = lstatSync(place, { bigint: true });
    const [inode, isFolder] = [status.ino, status.isDirectory()];
    if (!isFolder && !status.isFile()) return [];
    const children = isFolder ? readdirSync(place).flatMap((name) => all(path.join(place, name))) : [];
    return [{ place, inode, isFolder }, ...children];
  };
  return all(dir);
}
