import { setTimeout as pause } from 'node:timers/promises';
import type { Post, PostHome } from '../../contract/posts.ts';
import type { SiteFolderSettings } from '../../contract/site-folder.ts';
import { openGit, type Git } from '../../platform/git.ts';
import type { Log } from '../../platform/log.ts';
import { homeOf } from '../folder/addresses.ts';
import type { FolderTarget } from './folder-target.ts';
import { gitTarget } from './git-target.ts';
import { plainTarget } from './plain-target.ts';

interface OwnerFolderDeps {
  readonly settings: () => SiteFolderSettings;
  /** The name for commits if git's settings have none. */
  readonly ownerName: () => string;
  readonly log: Log;
  /** Returns the time in ms. */
  readonly now: () => number;
  /** Ends what git is doing. */
  readonly signal: AbortSignal;
}

/** How long the names of the owner's files are remembered, in ms. */
const namesKeptMs = 10_000;
/** A post that is being created waits this long, in ms, for the names of files. The remote may not answer. */
const patienceMs = 1000;
/** More posts than wait for their files at a time. */
const mostGiven = 100_000;

/** Opens the owner's folder as the settings name it. Touches nothing yet. */
export function openOwnerFolder({ settings, ownerName, log, now, signal }: OwnerFolderDeps) {
  let opened: { readonly folder: string; readonly git: Git } | undefined;
  let names: { readonly at: number; readonly reading: Promise<unknown> } | undefined;
  /** The names of the owner's files without their extensions, in lowercase, as last read. */
  let taken: ReadonlySet<string> = new Set();
  /** The names that were given to posts whose files may not be there yet, with the paths of the posts. */
  const given = new Map<string, string>();

  /** Returns the repository of a folder. It is opened once, because it takes one step at a time. */
  function gitOf(folder: string): Git {
    if (opened?.folder !== folder) opened = { folder, git: openGit({ folder, log, ownerName, signal }) };
    return opened.git;
  }

  function target(): FolderTarget {
    const wanted = settings();
    return wanted.commit ? gitTarget(gitOf(wanted.path), wanted) : plainTarget(wanted.path);
  }

  async function readNames(): Promise<void> {
    try {
      taken = new Set([...(await target().names())].map(stemOf));
    } catch (error) {
      // The publisher checks again before it writes.
      log.warn({ err: error }, 'the files of the folder could not be listed');
    }
  }

  return {
    target,

    /** Reads the names of the owner's files again when they are needed next, because the settings changed. */
    forget(): void {
      names = undefined;
      taken = new Set();
    },

    /**
     * Returns where a post will be: at a URL that no other post has or had, and in a file whose name is free, regardless
     * of its case and extension. `isFree`: returns whether no other post has or had a URL.
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

/** Returns a file's name without its extension, in lowercase: two files of one name would be one page. */
const stemOf = (file: string) => file.toLowerCase().replace(/\.[^./]*$/, '');
