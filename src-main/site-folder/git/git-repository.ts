import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import path from 'node:path';
import { sha256 } from '../../storage/file-facts.ts';
import { filesOnly, findRepository, type GitPlace, readPlainFile } from './git-place.ts';
import { execute, type GitProgram, requireGit, type RunGit, stopped, usual } from './git-run.ts';
import { configFor, type FolderSettings, type ParseConfig, readFolderSettings } from './git-settings.ts';
import { GitTrouble, troubleFrom } from './git-trouble.ts';

/** A repository as it is now, checked. */
export interface Repository {
  readonly place: GitPlace;
  readonly settings: FolderSettings;
}

/**
 * Finds and checks the repository that contains a folder. Returns null if there is none.
 * @throws GitTrouble `missing`, `files_only`
 */
export type ReadRepository = (folder: string) => Promise<Repository | null>;

/** The number of parsed configuration files that are kept in memory. */
const mostParsed = 50;

/** Returns the function that finds and checks repositories. It runs git only outside of all repositories. */
export function createRepositoryReader(options: GitProgram): ReadRepository {
  const parsed = new Map<string, ReturnType<ParseConfig>>();

  const parse: ParseConfig = (content, file) => {
    const key = sha256(content);
    const known = parsed.get(key) ?? parseConfig(options, content, file);
    parsed.delete(key);
    if (parsed.size >= mostParsed) parsed.clear();
    parsed.set(key, known);
    known.catch(() => parsed.delete(key));
    return known;
  };

  return async (folder) => {
    const place = await findRepository(folder);
    return place && { place, settings: await readFolderSettings(place, parse) };
  };
}

/** Parses a configuration file with git, which reads nothing else for this, and runs nothing. */
async function parseConfig(options: GitProgram, content: Buffer, file: string): ReturnType<ParseConfig> {
  const { program = 'git', deadlines, signal } = options;
  const { code, stdout, stderr } = await execute(
    program,
    ['--no-pager', 'config', '--file', '-', '--no-includes', '-z', '--list'],
    {
      cwd: path.parse(process.cwd()).root,
      env: { GIT_DIR: devNull },
      input: content,
      deadlines: { ...usual, ...deadlines },
      signal,
    },
  );
  if (code !== 0) {
    const [, line = '?'] = /bad config line (\d+)/.exec(stderr) ?? [];
    throw filesOnly(`${file} can’t be read: line ${line} isn’t valid.`);
  }
  const lines = stdout.toString('utf8').split('\0').slice(0, -1);
  return lines.map((line): [string, string] => {
    const end = line.indexOf('\n');
    // Git reads a name without a value as true.
    return end < 0 ? [line, 'true'] : [line.slice(0, end), line.slice(end + 1)];
  });
}

/**
 * Options for every call: no programs that watch files, no hooks, no remotes that are commands, no submodules, no
 * background maintenance, no prompts by credential helpers, and UTF-8 as the encoding. They override the owner's own
 * settings.
 */
const always = [
  '--no-pager',
  ...[
    'core.fsmonitor=false',
    // Git LFS would write hooks into a folder.
    `core.hooksPath=${devNull}`,
    'protocol.ext.allow=never',
    'submodule.recurse=false',
    'gc.auto=0',
    'maintenance.auto=false',
    'credential.interactive=never',
    'i18n.commitEncoding=UTF-8',
    'core.quotePath=false',
  ].flatMap((setting) => ['-c', setting]),
];

/** A repository that was checked, with the private directory that git uses for it. */
interface OpenedRepository {
  /** The variables that make git use the repository and the private directory. */
  readonly env: Readonly<Record<string, string>>;
  /** Removes the private directory. */
  readonly close: () => Promise<void>;
}

/**
 * Creates the functions that run git in a folder's repository. Each operation, and each call outside of one, checks the
 * repository again, and makes a private directory that git gets in place of the repository's common git folder. Git
 * reads its configuration and hooks only there. For refs, packed refs and logs, git uses the repository's own folders
 * all the same.
 */
export function createGitRunner(options: GitProgram, read: ReadRepository) {
  const { folder, log, program = 'git', signal } = options;
  const deadlines = { ...usual, ...options.deadlines };
  let isPrepared = false;
  /** The remote of the operation that is under way, and the repositories that it has opened, by folder. */
  let current:
    | { readonly remote: string | null; readonly opened: Map<string, Promise<OpenedRepository>> }
    | undefined;

  async function prepare(): Promise<void> {
    if (!isPrepared) {
      await requireGit(options);
      await removeLeftovers();
    }
    isPrepared = true;
  }

  async function inRepository<T>(at: string, work: (env: OpenedRepository['env']) => Promise<T>): Promise<T> {
    const open = async () => openPrivately(await requireRepository(read, at), current?.remote ?? null);
    if (current === undefined) {
      const { env, close } = await open();
      try {
        return await work(env);
      } finally {
        await close();
      }
    }
    const opening = current.opened.get(at) ?? open();
    current.opened.set(at, opening);
    return work((await opening).env);
  }

  const once: RunGit = async (args, run = {}) => {
    if (signal?.aborted === true) throw stopped();
    await prepare();
    const { cwd = run.folder ?? folder } = run;
    let ms = 0;
    const ran = await inRepository(run.folder ?? folder, async (env) => {
      const started = performance.now();
      const execution = { ...run, env: { ...env, ...run.env }, cwd, deadlines, signal };
      const result = await execute(program, [...always, ...args], execution);
      ms = Math.round(performance.now() - started);
      return result;
    });
    log.debug({ git: args[0], code: ran.code, ms, stderr: ran.stderr.slice(-500) }, 'git has run');
    if (ran.code === 0 || run.accept?.test(ran.stderr) === true) return ran;
    throw troubleFrom(ran.stderr);
  };

  const git: RunGit = async (args, run) => {
    const until = performance.now() + deadlines.lock;
    for (let pause = 20; ; pause = Math.min(pause * 2, 1000)) {
      try {
        return await once(args, run);
      } catch (error) {
        const isLocked = error instanceof GitTrouble && error.kind === 'locked';
        if (!isLocked || performance.now() + pause > until) throw error;
        await new Promise((resolve) => setTimeout(resolve, pause * (0.5 + Math.random())));
      }
    }
  };

  return {
    git,
    /**
     * Runs an operation, which may call git many times. Only one may be under way. Its repositories are checked once.
     * `remote`: the only remote that git knows meanwhile; null for none.
     */
    operation: async <T>(remote: string | null, work: () => Promise<T>): Promise<T> => {
      const opened = new Map<string, Promise<OpenedRepository>>();
      current = { remote, opened };
      try {
        return await work();
      } finally {
        current = undefined;
        for (const one of await Promise.allSettled(opened.values()))
          if (one.status === 'fulfilled') await one.value.close();
      }
    },
  };
}

/**
 * Finds and checks the repository that contains a folder.
 * @throws GitTrouble `broken` if there is none, otherwise as ReadRepository
 */
export async function requireRepository(read: ReadRepository, folder: string): Promise<Repository> {
  const found = await read(folder);
  if (found === null) throw new GitTrouble('broken', `${folder} is in no git repository.`);
  return found;
}

const privatePrefix = 'porchlight-git-';
/** The age, in ms, at which a private directory was left behind. No call of git takes this long. */
const leftAfter = 3_600_000;
/** The maximum sizes of the files that are copied to the private directory, in bytes. */
const copied = { shallow: 10_000_000, 'info/exclude': 1_000_000 };

/** Makes the private directory with which git uses a repository. */
async function openPrivately(
  { place, settings }: Repository,
  remote: string | null,
): Promise<OpenedRepository> {
  const { root, gitDir, commonDir } = place;
  let dir = '';
  const close = async () => {
    if (dir !== '') await rm(dir, { recursive: true, force: true });
  };
  try {
    dir = await mkdtemp(path.join(tmpdir(), privatePrefix));
    for (const name of ['hooks', 'info']) await mkdir(path.join(dir, name));
    for (const name of ['objects', 'refs'])
      await symlink(path.join(commonDir, name), path.join(dir, name), 'junction');
    await writeFile(path.join(dir, 'config'), configFor(settings, remote));
    for (const [name, most] of Object.entries(copied)) {
      const content = await readPlainFile(path.join(commonDir, name), most);
      if (content !== undefined) await writeFile(path.join(dir, name), content);
    }
  } catch (cause) {
    await close();
    if (cause instanceof GitTrouble) throw cause;
    const words = `Porchlight can’t write to ${tmpdir()}, which git needs. Check the disk and its permissions.`;
    throw new GitTrouble('broken', words, { cause });
  }
  const index = path.join(gitDir, 'index');
  return {
    env: { GIT_DIR: gitDir, GIT_WORK_TREE: root, GIT_INDEX_FILE: index, GIT_COMMON_DIR: dir },
    close,
  };
}

/** Removes the private directories that a killed process left behind. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    if (!name.startsWith(privatePrefix)) continue;
    const dir = path.join(tmpdir(), name);
    const made = await stat(dir).catch(() => undefined);
    if (made === undefined || Date.now() - made.mtimeMs < leftAfter) continue;
    await rm(dir, { recursive: true, force: true }).catch(() => undefined);
  }
}
