import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Post, PostHome } from '../../contract/posts.ts';
import type { SiteFolderSettings } from '../../contract/site-folder.ts';
import { FolderTrouble, openFolderFiles, openFolderReader } from '../../platform/folder-files.ts';
import type { FolderChange } from '../git/git-committing.ts';
import { GitTrouble } from '../git/git-trouble.ts';
import { type Git, openGit } from '../git/git.ts';
import type { Log } from '../../platform/log.ts';
import { homeOf } from '../../posts/files/addresses.ts';
import { sha256 } from '../../storage/file-facts.ts';
import type { Outcome } from './publisher.ts';

/** The owner's folder, with or without git. */
export interface FolderTarget {
  /** Returns the current SHA-256 of files, in hex; null for files that don't exist. */
  hashes(files: readonly string[]): Promise<ReadonlyMap<string, string | null>>;
  /** Returns the current text of a file; null if the file doesn't exist. */
  text(file: string): Promise<string | null>;
  /**
   * Returns the names of all files in the folder. `isFresh`: whether to ask a git remote now, even if it was asked
   * recently.
   */
  names(isFresh?: boolean): Promise<ReadonlySet<string>>;
  /**
   * Makes changes in the given order, and publishes them. Repeating a change has no further effect. Returns the texts
   * that the folder has in another form, because a filter of its git repository changes them, with the SHA-256 (hex) of
   * this form.
   * @throws PublishingTrouble
   */
  write(changes: readonly FolderChange[]): Promise<ReadonlyMap<string, string>>;
}

/** Thrown when Porchlight can't publish to the folder. In that case, nothing was written. */
export class PublishingTrouble extends Error {
  /** A message for the owner: what happened, and what they can do. */
  readonly words: string;
  /** The conflicting files, which were changed outside Porchlight; empty if the problem concerns the whole folder. */
  readonly files: readonly string[];

  constructor(words: string, files: readonly string[] = []) {
    super(words);
    this.words = words;
    this.files = files;
  }
}

/** Returns the outcome for files that were changed outside Porchlight. */
export function conflictWith(files: readonly string[]): Outcome {
  const [file = ''] = files;
  const words = `You changed ${file} in the folder, so Porchlight left it as it is. Replace it with Porchlight’s version, or take your change over into the post.`;
  return { kind: 'conflict', words };
}

interface OwnerFolderDeps {
  readonly settings: () => SiteFolderSettings;
  /** The author name for commits if git has no name configured. */
  readonly ownerName: () => string;
  readonly log: Log;
  readonly now: () => number;
  /** Aborts the running git command. */
  readonly signal: AbortSignal;
}

/** How long the list of the owner's file names is cached, in ms. */
const namesKeptMs = 10_000;
/**
 * How long to wait for the list of file names when a post is created, in ms. The wait is limited because a git remote
 * may not respond.
 */
const patienceMs = 1000;
/**
 * The maximum number of reserved names. It is larger than the number of posts whose files can be waiting to be written.
 */
const mostGiven = 100_000;

interface OpenedGit {
  readonly folder: string;
  readonly git: Git;
  /** The most recent warning about the repository; undefined if there was none. */
  warning: string | undefined;
  reading: Promise<string | undefined> | undefined;
}

/** Opens the owner's folder as the settings define it. Doesn't access the disk yet. */
export function openOwnerFolder({ settings, ownerName, log, now, signal }: OwnerFolderDeps) {
  let opened: OpenedGit | undefined;
  let names: { readonly at: number; readonly reading: Promise<unknown> } | undefined;
  /** The most recently read names of the owner's files, in lower case and without extensions. */
  let taken: ReadonlySet<string> = new Set();
  /** The file names reserved for posts whose files may not be written yet. Maps each name to the path of its post. */
  const given = new Map<string, string>();

  /**
   * Returns the git repository of a folder. Opens each repository only once, so that its operations run one at a time.
   */
  function gitOf(folder: string): OpenedGit {
    if (opened?.folder !== folder) {
      const git = openGit({ folder, log, ownerName, signal });
      opened = { folder, git, warning: undefined, reading: undefined };
    }
    return opened;
  }

  function target(): FolderTarget {
    const chosen = settings();
    if (chosen.commit) return gitTarget(gitOf(chosen.path).git, chosen);
    // A folder without files is an error, because every generator needs a configuration file. A custom generator might
    // not need one, so its folder can be empty.
    return plainTarget(chosen.path, { mayBeEmpty: chosen.generator === 'custom' });
  }

  async function readNames(): Promise<void> {
    try {
      taken = new Set([...(await target().names())].map(stemOf));
    } catch (error) {
      // Continue without the names. The publisher checks for conflicts again before it writes a file.
      log.warn({ err: error }, 'the files of the folder could not be listed');
    }
  }

  return {
    target,

    /**
     * Returns why Porchlight can't use git in the folder, or doesn't push from it, as a message for the owner. If the
     * folder's disk doesn't respond, returns what was known last.
     */
    async warning(): Promise<string | undefined> {
      const { path, commit } = settings();
      if (path === '' || !commit) return undefined;
      const latest = gitOf(path);
      // The folder is read only once at a time, because each read occupies a thread while a disk doesn't respond.
      latest.reading ??= latest.git.warning(targetOf(settings())).finally(() => (latest.reading = undefined));
      latest.warning = await Promise.race([
        latest.reading,
        pause(patienceMs, latest.warning, { ref: false }),
      ]);
      return latest.warning;
    },

    /** Discards the cached file names. Called when the settings change. */
    forget(): void {
      names = undefined;
      taken = new Set();
    },

    /**
     * Chooses the URL and file of a post. No other post has or had that URL, and no other file has the same name,
     * ignoring case and extension. `isFree`: returns whether no other post has or had a URL.
     */
    async homeFor(post: Post, isFree: (url: string) => boolean): Promise<Pick<PostHome, 'url' | 'file'>> {
      if (names === undefined || now() - names.at > namesKeptMs) names = { at: now(), reading: readNames() };
      await Promise.race([names.reading, pause(patienceMs, undefined, { ref: false })]);
      const own = new Set(Object.keys(post.home?.written ?? {}).map(stemOf));
      for (let attempt = 1; ; attempt += 1) {
        const home = homeOf(post, settings(), attempt);
        const stem = stemOf(home.file);
        const isGiven = (given.get(stem) ?? post.path) !== post.path;
        if (!isFree(home.url) || isGiven || (taken.has(stem) && !own.has(stem))) continue;
        if (given.size >= mostGiven) given.clear();
        given.set(stem, post.path);
        return home;
      }
    },
  };
}

/**
 * Returns a file's name in lower case, without its extension. Two files with the same result would become the same
 * page.
 */
const stemOf = (file: string) => file.toLowerCase().replace(/\.[^./]*$/, '');

/** Returns whether a problem concerns only a single file, not the whole folder. */
const concernsFile = ({ kind }: FolderTrouble) => kind === 'conflict' || kind === 'invalid_name';

/**
 * Creates a folder target that writes files directly, without git. `mayBeEmpty`: whether the folder may still be empty.
 * If it is false, an empty folder is taken for the mount point of a disk that isn't connected.
 */
export function plainTarget(folder: string, { mayBeEmpty }: { mayBeEmpty: boolean }): FolderTarget {
  const files = openFolderFiles(folder);
  const reader = openFolderReader(folder);

  async function trying<T>(work: () => Promise<T>): Promise<T> {
    try {
      // Hidden files don't count, because operating systems create them on their own.
      if (!mayBeEmpty && (await reader.list('')).every((name) => name.startsWith('.'))) throw empty(folder);
      return await work();
    } catch (error) {
      if (!(error instanceof FolderTrouble)) throw error;
      throw new PublishingTrouble(error.words, concernsFile(error) ? [error.file] : []);
    }
  }

  async function currentHash(file: string): Promise<string | null> {
    const content = await files.read(file);
    return content && sha256(content);
  }

  /**
   * Returns the hash of a file, or null if the path is obstructed, for example by a symlink. Writing the file then
   * reports the problem, so that only the changes to this file fail.
   */
  async function hashUnlessObstructed(file: string): Promise<string | null> {
    try {
      return await currentHash(file);
    } catch (error) {
      if (error instanceof FolderTrouble && concernsFile(error)) return null;
      throw error;
    }
  }

  return {
    hashes: (names) =>
      trying(async () => {
        const found = new Map<string, string | null>();
        for (const name of names) found.set(name, await hashUnlessObstructed(name));
        return found;
      }),
    text: (file) => trying(async () => (await files.read(file))?.toString('utf8') ?? null),
    names: () => trying(() => reader.all()),
    write: (changes) =>
      trying(async () => {
        for (const change of changes)
          for (const [file, intended] of change.files) {
            const content =
              intended && ('text' in intended ? Buffer.from(intended.text) : await readFile(intended.copyOf));
            const { expected } = change;
            await files.write(
              file,
              content,
              expected?.has(file) ? (expected.get(file) ?? null) : await currentHash(file),
            );
          }
        return new Map<string, string>();
      }),
  };
}

const empty = (folder: string) =>
  new PublishingTrouble(
    `The folder ${folder} is empty. If your site is on another disk, connect the disk. Otherwise, put your site’s files into the folder first.`,
  );

type GitChoice = Pick<SiteFolderSettings, 'branch' | 'remote' | 'push'>;

/** Returns where the settings want commits to go. */
const targetOf = ({ branch, remote, push }: GitChoice) => ({ branch, remote: push ? remote : null });

/** Creates a folder target that commits its changes to the folder's git repository. */
export function gitTarget(git: Git, settings: GitChoice): FolderTarget {
  const to = targetOf(settings);

  /** Runs git operations, and converts their errors to messages for the owner. */
  async function trying<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof GitTrouble)) throw error;
      throw new PublishingTrouble(error.words, error.files);
    }
  }

  return {
    hashes: (files) => trying(() => git.hashes(files, to)),

    text: (file) => trying(async () => (await git.read(file, to))?.toString('utf8') ?? null),

    names: (isFresh) => trying(() => git.list(to, isFresh)),

    write: (changes) =>
      trying(async () => {
        const { setAside, filtered } = await git.publish(changes, to);
        const conflicts = setAside.flatMap((one) => one.conflicts);
        if (conflicts.length > 0)
          throw new PublishingTrouble(
            `${conflicts.join(', ')}: somebody else changed this at the same time.`,
            conflicts,
          );
        return filtered;
      }),
  };
}
