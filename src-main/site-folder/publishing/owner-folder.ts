import { setTimeout as pause } from 'node:timers/promises';
import type { Post, PostHome } from '../../contract/posts.ts';
import type { SiteFolderSettings } from '../../contract/site-folder.ts';
import { openGit, type Git } from '../../platform/git.ts';
import type { IsAgreed } from '../../platform/git-setup.ts';
import type { Log } from '../../platform/log.ts';
import { homeOf } from '../../posts/files/addresses.ts';
import type { FolderTarget } from './folder-target.ts';
import { gitTarget } from './git-target.ts';
import { plainTarget } from './plain-target.ts';

interface OwnerFolderDeps {
  readonly settings: () => SiteFolderSettings;
  /** The author name for commits if git has no name configured. */
  readonly ownerName: () => string;
  readonly log: Log;
  readonly now: () => number;
  /** Aborts the running git command. */
  readonly signal: AbortSignal;
  /** Returns whether the owner has agreed to what git would run for the folder. */
  readonly isAgreed: IsAgreed;
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

/** Opens the owner's folder as the settings define it. Doesn't access the disk yet. */
export function openOwnerFolder({ settings, ownerName, log, now, signal, isAgreed }: OwnerFolderDeps) {
  let opened: { readonly folder: string; readonly git: Git } | undefined;
  let names: { readonly at: number; readonly reading: Promise<unknown> } | undefined;
  /** The most recently read names of the owner's files, in lower case and without extensions. */
  let taken: ReadonlySet<string> = new Set();
  /** The file names reserved for posts whose files may not be written yet. Maps each name to the path of its post. */
  const given = new Map<string, string>();

  /**
   * Returns the git repository of a folder. Opens each repository only once, so that its operations run one at a time.
   */
  function gitOf(folder: string): Git {
    if (opened?.folder !== folder)
      opened = { folder, git: openGit({ folder, log, ownerName, signal, isAgreed }) };
    return opened.git;
  }

  function target(): FolderTarget {
    const wanted = settings();
    if (wanted.commit) return gitTarget(gitOf(wanted.path), wanted);
    // A folder without files is an error, because every generator needs a configuration file. A custom generator might
    // not need one, so its folder can be empty.
    return plainTarget(wanted.path, { mayBeEmpty: wanted.generator === 'custom' });
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
