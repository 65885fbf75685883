/**
 * Why a step in the owner's repository failed.
 *
 * `busy`: a merge, rebase or bisect is unfinished. `locked`: another git program holds a lock. `credentials`: the
 * remote denies access to this computer. `offline`: the remote doesn't respond. `hook`: a hook of the server refused the
 * change. `rejected`: the remote refused the push. `conflict`: a file isn't as expected. `filter`: a file needs a program
 * of the folder. `hangs`: git took too long. `missing`: the folder doesn't exist. `no_git`: git isn't installed.
 * `old_git`: git is too old. `files_only`: Porchlight doesn't run git in this repository. `stopped`: Porchlight is
 * closing. `broken`: any other failure.
 */
export type GitTroubleKind =
  | 'busy'
  | 'locked'
  | 'credentials'
  | 'offline'
  | 'hook'
  | 'rejected'
  | 'conflict'
  | 'detached'
  | 'no_remote'
  | 'no_branch'
  | 'lfs'
  | 'submodule'
  | 'hangs'
  | 'missing'
  | 'no_git'
  | 'old_git'
  | 'files_only'
  | 'filter'
  | 'stopped'
  | 'broken';

/** A git operation that failed in the owner's repository. Nothing is lost, and the operation can be retried. */
export class GitTrouble extends Error {
  readonly kind: GitTroubleKind;
  /** The message for the owner: what happened, and what to do about it. */
  readonly words: string;
  /** The affected files, relative to the folder. */
  readonly files: readonly string[];

  constructor(
    kind: GitTroubleKind,
    words: string,
    options: { files?: readonly string[]; cause?: unknown } = {},
  ) {
    super(words, { cause: options.cause });
    this.name = 'GitTrouble';
    this.kind = kind;
    this.words = words;
    this.files = options.files ?? [];
  }
}

interface Sign {
  readonly kind: GitTroubleKind;
  readonly pattern: RegExp;
  /**
   * Returns the message. `match`: the match of `pattern`. `last`: git's last error line, which the message may quote.
   */
  readonly words: (match: RegExpExecArray, last: string) => string;
}

/** The error messages that git writes to stderr in English (LC_ALL=C), most specific first. */
const signs: readonly Sign[] = [
  {
    kind: 'credentials',
    pattern: /Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED/,
    words: () =>
      'This computer doesn’t know the key of the git server. Run “git fetch” in the folder in a terminal, check the key, then try again.',
  },
  {
    kind: 'credentials',
    pattern:
      /could not read (?:Username|Password)|terminal prompts disabled|Authentication failed|Permission denied \(|The requested URL returned error: 40[13]|invalid credentials|Access denied/i,
    words: () =>
      'The git server refused this computer’s access. Run “git push” in the folder in a terminal. Once that works without a question, try again.',
  },
  {
    kind: 'lfs',
    pattern: /clean filter '?lfs'? failed|git-lfs(?:: command|' was|:)? not found|'lfs' is not a git command/,
    words: () => lfsWords,
  },
  {
    kind: 'offline',
    pattern:
      /Could not resolve host|Name or service not known|Connection refused|Network is unreachable|No route to host|timed out|Failed to connect|Could not connect|unable to connect|unable to access|early EOF|remote end hung up|The requested URL returned error: 5\d\d|Connection (?:was )?reset|unexpected disconnect/i,
    words: () => 'The git server doesn’t answer. Check your network. Porchlight tries again.',
  },
  {
    kind: 'offline',
    pattern:
      /does not appear to be a git repository|repository .*not found|Could not read from remote repository/i,
    words: (_, last) =>
      `The remote repository wasn’t found. Check its address (git remote -v), and that this computer may use it. Git says: ${last}`,
  },
  {
    kind: 'locked',
    // "Unable to create": another program holds the lock. "is at ... but expected": another program changed the ref
    // first. It may be a `git push` that was still running after Porchlight was killed.
    pattern:
      /Unable to create '(.*\.lock)': File exists|cannot lock ref '.*?': (?:Unable to create|is at \S+ but expected)/,
    words: ([, file]) =>
      `Another git program is using the repository. If none is running, delete ${file ?? 'its lock file'}, then try again.`,
  },
  {
    kind: 'broken',
    pattern: /insufficient permission|Permission denied|Read-only file system/i,
    words: (_, last) =>
      `Porchlight may not write to the repository. Check the permissions of its .git folder. Git says: ${last}`,
  },
  {
    kind: 'broken',
    pattern: /No space left on device|Disk quota exceeded/i,
    words: () => 'The disk is full: Free some space, and Porchlight tries again.',
  },
];

/** The message if files belong in Git LFS, but Git LFS can't store them. */
export const lfsWords =
  'This repository keeps such files in Git LFS, which isn’t set up here. Install Git LFS, run “git lfs install”, then try again.';

/** Returns the error that git's stderr describes. */
export function troubleFrom(stderr: string): GitTrouble {
  const text = withoutPasswords(stderr);
  const last = lastWords(text);
  for (const { kind, pattern, words } of signs) {
    const match = pattern.exec(text);
    if (match) return new GitTrouble(kind, words(match, last));
  }
  return new GitTrouble('broken', `Git couldn’t do this. Git says: ${last}`);
}

/** Returns the last informative line of stderr, cut to 300 characters. */
function lastWords(stderr: string): string {
  const lines = stderr
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('hint:'));
  const informative = lines.filter((line) => /^(?:fatal|error|remote|!|ERROR)\b/.test(line));
  return (informative.at(-1) ?? lines.at(-1) ?? 'nothing').slice(0, 300);
}

/** Removes user names and passwords from URLs. */
const withoutPasswords = (text: string) => text.replace(/(\w+:\/\/)[^/\s@]+@/g, '$1');

/** Returns a copy of an error with file names relative to the folder. `prefix`: the folder's path in the repository. */
export function belowFolder({ kind, words, files, cause }: GitTrouble, prefix: string): GitTrouble {
  const relative = files.map((file) => (file.startsWith(prefix) ? file.slice(prefix.length) : file));
  return new GitTrouble(kind, words, { files: relative, cause });
}
