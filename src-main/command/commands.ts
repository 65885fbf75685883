import { lstat, readFile, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { Result } from '../contract/contract.ts';
import type { DataProgress } from '../contract/data.ts';
import { heldCount, heldQuestion } from '../contract/held-mentions.ts';
import { windowUploadBytes } from '../contract/media.ts';
import type { Status } from '../contract/status.ts';
import { plainLine } from '../platform/plain-line.ts';
import {
  CliError,
  type Command,
  type Given,
  type Option,
  type Server,
  type Terminal,
  usageError,
  withProgress,
} from './command.ts';
import { importCommand } from './imports.ts';
import { mcp } from './mcp.ts';
import { mentions } from './mentions.ts';
import { approve, signIns, token } from './sign-ins.ts';
import { counted, shortLine, sizeInWords, table } from './text.ts';

/** Reads the files of posts that were edited outside Porchlight. */
const readFiles: Command = {
  help: 'Read the files of posts that you edited',
  words: [0, 0],
  options: {
    missing: {
      value: 'write|delete',
      completes: ['write', 'delete'],
      help: 'Write the files that are gone again, or delete their posts',
    },
    'bring-back': {
      value: 'FILE',
      help: 'Bring back the deleted post of this older file; repeat it for more',
    },
  },
  async run(server, given) {
    const missing = given.values('missing').at(-1);
    if (missing !== undefined && missing !== 'write' && missing !== 'delete')
      throw usageError('--missing takes write or delete.');
    const bringBack = given.values('bring-back').map((file) => file.replace(/^posts\//, ''));
    const read = await server.call('posts.readFiles', { ...(missing && { missing }), bringBack });
    return { json: read, text: filesText(read) };
  },
};

/** How many files of each kind are named. */
const mostNamed = 20;

/** Returns what was read from the files of posts as text. */
function filesText({ changed, added, missing, ended, unreadable }: Result<'posts.readFiles'>): string {
  const named = (heading: string, files: readonly string[]) =>
    files.length === 0
      ? []
      : [
          heading,
          ...files.slice(0, mostNamed).map((file) => `- posts/${plainLine(file)}`),
          ...(files.length > mostNamed ? [`and ${files.length - mostNamed} more`] : []),
        ];
  const lines = [
    `Read ${counted(changed.length, 'edited file')} and ${counted(added.length, 'new file')}.`,
    ...named('These files are gone. Choose --missing write or --missing delete:', missing),
    ...named('These files are older than their posts, which ended since. Choose --bring-back FILE:', ended),
    ...named(
      'These files can’t be read:',
      unreadable.map(({ file, reason }) => `${file}: ${reason}`),
    ),
  ];
  return `${lines.join('\n')}\n`;
}

const places: Record<Status['secrets'], string> = {
  keychain: 'in the system keychain',
  file: 'in a file that only you can read',
};

const status: Command = {
  help: 'Show whether the server is on, and how the web reaches it',
  words: [0, 0],
  options: {},
  async run(server) {
    const found = await server.call('status.get', {});
    const held = heldCount(await server.call('webmentions.list', heldQuestion));
    return { json: found, text: statusText(found, held) };
  },
};

/**
 * Returns the status as aligned lines of text, with problems last. `held`: the number of mentions that wait for approval,
 * as heldCount returns it.
 */
export function statusText({ version, words, me, secrets, waiting, problems }: Status, held = ''): string {
  const waits = [
    ...(waiting === 0 ? [] : [counted(waiting, 'sign-in')]),
    ...(held === '' ? [] : [held === '1' ? '1 mention' : `${held} mentions`]),
  ];
  const rows = [
    ['Version', version],
    ['Server', plainLine(words)],
    ['Your site', me === null ? 'not set' : plainLine(me)],
    ['Secrets', places[secrets]],
    ['Waiting', waits.length === 0 ? 'nothing' : waits.join(', ')],
    ...problems.map(({ message }, index) => [index === 0 ? 'Problems' : '', plainLine(message)]),
  ];
  return table(rows);
}

const open: Command = {
  help: 'Open the window, or print a link that opens it once',
  words: [0, 0],
  options: { print: { help: 'Only print the link; open no browser' } },
  async run(server, given, terminal) {
    const { link, file } = await server.openWindow();
    if (link === null) return { json: { link }, text: 'The window is open.\n' };
    if (file !== null && terminal.shows && !given.flag('print') && !given.flag('json')) {
      terminal.browse(file);
      terminal.note('Opening the window in your browser. If that fails, open this link yourself:');
    }
    return { json: { link }, text: `${link}\n` };
  },
};

const post: Command = {
  takes: '[TEXT]',
  help: 'Publish a post and print its address; a TEXT of “-” is read from stdin',
  words: [0, 1],
  options: {
    photo: { value: 'FILE', completes: 'file', help: 'Add a photo; repeat it for more photos' },
    alt: { value: 'TEXT', help: 'Alt text of a photo, in the order of the photos' },
    title: { value: 'TEXT', help: 'Publish an article with this title' },
    markdown: { help: 'Read the text as Markdown' },
    draft: { help: 'Save a draft instead of publishing' },
  },
  async run(server, given, terminal) {
    const files = given.values('photo').map((file) => resolve(terminal.cwd, file));
    const alts = given.values('alt');
    if (alts.length > files.length) throw usageError('There are more alt texts than photos.');
    const [word = ''] = given.words;
    const content = word === '-' ? (await terminal.read()).trim() : word;
    if (content.trim() === '' && files.length === 0)
      throw usageError('Write a text or add a photo: porchlight post "Hello" --photo cat.jpg');
    // Read all photos before the first upload, so that a wrong path leaves no uploaded files behind.
    const read = await Promise.all(files.map(photoIn));
    const photos = [];
    for (const [index, photo] of read.entries())
      photos.push({ url: await upload(server, photo), alt: alts[index] ?? '' });
    const [title] = given.values('title');
    const item = await server.call('posts.create', {
      text: content,
      format: given.flag('markdown') ? 'markdown' : 'plain',
      ...(title !== undefined && { name: title }),
      photos,
      categories: [],
      visibility: 'public',
      status: given.flag('draft') ? 'draft' : 'published',
    });
    return { json: item, text: `${plainLine(item.url)}\n` };
  },
};

interface Photo {
  readonly file: string;
  readonly bytes: Buffer;
}

async function photoIn(file: string): Promise<Photo> {
  const { size } = await stat(file).catch(() => ({ size: 0 }));
  if (size > windowUploadBytes)
    throw refused(`“${file}” is ${sizeInWords(size)}. The limit is ${sizeInWords(windowUploadBytes)}.`);
  try {
    return { file, bytes: await readFile(file) };
  } catch {
    throw refused(`The file “${file}” can’t be read. Check its path.`);
  }
}

async function upload(server: Server, { file, bytes }: Photo): Promise<string> {
  if (bytes.length === 0) throw refused(`The file “${file}” is empty.`);
  const item: Result<'media.upload'> = await server.call('media.upload', {
    name: basename(file),
    data: bytes.toString('base64'),
  });
  if (item.kind === 'image') return item.url;
  await server.call('media.delete', { url: item.url });
  throw refused(`The file “${file}” isn’t a picture.`);
}

const refused = (message: string) => new CliError('invalid_photo', message);

const backup: Command = {
  takes: 'FILE',
  help: 'Back up everything into one file',
  words: [1, 1],
  completes: 'file',
  options: {
    replace: { help: 'Replace an earlier backup with this name without asking' },
    passphrase: { help: 'Ask for a passphrase, and include the secrets under it' },
    'passphrase-stdin': { help: 'Read the passphrase from the first line of stdin' },
  },
  async run(server, given, terminal) {
    const path = resolve(terminal.cwd, given.words[0] ?? '');
    const mayReplace = given.flag('replace') || (await asksToReplace(path, given, terminal));
    const passphrase = await passphraseOf(given, terminal);
    const made = await withProgress(
      terminal,
      () => backupLine(server),
      () =>
        server.call('data.backup', {
          path,
          isNew: !mayReplace,
          ...(passphrase !== undefined && { passphrase }),
        }),
    );
    // If the file was moved or deleted after the backup was made, its size is unknown, but the backup still succeeded.
    const file = await stat(made.path).catch(() => null);
    return { json: made, text: backupText(made, file?.size ?? null) };
  },
};

/**
 * Asks whether to replace a file, if there is one. Returns whether the answer is yes.
 * @throws {CliError} if it is no, or if nobody can be asked.
 */
async function asksToReplace(path: string, given: Given, terminal: Terminal): Promise<boolean> {
  const isThere = await lstat(path).then(
    () => true,
    () => false,
  );
  if (!isThere) return false;
  const name = `“${plainLine(path)}”`;
  if (!terminal.asks || given.flag('json'))
    throw new CliError('file_exists', `${name} already exists. Choose another name, or add --replace.`);
  const answer = await terminal.ask(`${name} already exists. Replace it? [y/N] `);
  if (/^y(es)?$/i.test(answer.trim())) return true;
  throw new CliError('cancelled', 'Nothing was backed up.');
}

async function backupLine(server: Server): Promise<string | null> {
  const { progress } = await server.call('data.folder', {});
  return progress?.task === 'backup' && progress.state === 'running' ? backupProgressText(progress) : null;
}

/** Returns the progress of a backup as one line of text. */
export function backupProgressText({ done, total, words }: DataProgress): string {
  const part = total === 0 ? '' : `${sizeInWords(done)} of ${sizeInWords(total)}`;
  return `${shortLine(words, 60)} ${part}`.trim();
}

async function passphraseOf(given: Given, terminal: Terminal): Promise<string | undefined> {
  if (given.flag('passphrase-stdin')) return checked((await terminal.read()).split(/\r?\n/, 1)[0] ?? '');
  if (!given.flag('passphrase')) return undefined;
  if (!terminal.asks) throw usageError('There is no terminal to ask you on. Use --passphrase-stdin.');
  const passphrase = checked(await terminal.askHidden('Passphrase: '));
  if ((await terminal.askHidden('The same again: ')) !== passphrase)
    throw usageError('The two passphrases differ. Nothing was backed up.');
  return passphrase;
}

function checked(passphrase: string): string {
  if (passphrase.length < 10 || passphrase.length > 1000)
    throw usageError('A passphrase has 10 to 1,000 characters.');
  return passphrase;
}

/** Returns a message that says where a backup is and what it contains. `size`: the size of the file, in bytes. */
export function backupText(
  { path, counts, secrets, problems }: Result<'data.backup'>,
  size: number | null,
): string {
  const { posts, files, mentions } = counts;
  const contents = [counted(posts, 'post'), counted(files, 'file'), counted(mentions, 'mention')].join(', ');
  const lines = [
    `Backed up to ${plainLine(path)}${size === null ? '' : ` (${sizeInWords(size)})`}.`,
    `It contains ${contents}. ${secrets ? 'Secrets are in it, under your passphrase.' : 'Secrets are not in it.'}`,
    ...problems.map((problem) => `Problem: ${plainLine(problem)}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** Every command that talks to the running server. Help, parsing and completions use this table. */
export const commands: Readonly<Record<string, Command>> = {
  status,
  open,
  post,
  'sign-ins': signIns,
  approve,
  token,
  mentions,
  import: importCommand,
  'read-files': readFiles,
  mcp,
  backup,
};

/** The options that every command accepts. */
export const commonOptions: Readonly<Record<string, Option>> = {
  data: { value: 'FOLDER', completes: 'file', help: 'The data folder of the server (also PORCHLIGHT_DATA)' },
  json: { help: 'Print the result as one line of JSON; errors too, on stderr' },
  help: { help: 'Show this' },
  version: { help: 'Show the version of this command' },
};

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** Commands that don't need a running server. */
export const localCommands = {
  completion: { takes: shells.join('|'), help: 'Print a script that completes commands in your shell' },
  help: { takes: '[COMMAND]', help: 'Explain a command' },
} as const;
