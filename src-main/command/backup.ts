import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Result } from '../contract/contract.ts';
import type { DataProgress } from '../contract/data.ts';
import { plainLine } from '../platform/plain-line.ts';
import type { Command, Given, Server } from './command.ts';
import { usageError } from './errors.ts';
import { withProgress } from './progress.ts';
import type { Terminal } from './terminal.ts';
import { counted, shortLine, sizeInWords } from './text.ts';

export const backup: Command = {
  takes: 'FILE',
  help: 'Back up everything into one file',
  words: [1, 1],
  completes: 'file',
  options: {
    passphrase: { help: 'Ask for a passphrase, and include the secrets under it' },
    'passphrase-stdin': { help: 'Read the passphrase from the first line of stdin' },
  },
  async run(server, given, terminal) {
    const path = resolve(terminal.cwd, given.words[0] ?? '');
    const passphrase = await passphraseOf(given, terminal);
    const made = await withProgress(
      terminal,
      () => backupLine(server),
      () => server.call('data.backup', { path, ...(passphrase !== undefined && { passphrase }) }),
    );
    // If the file was moved or deleted after the backup was made, its size is unknown, but the backup still succeeded.
    const file = await stat(made.path).catch(() => null);
    return { json: made, text: backupText(made, file?.size ?? null) };
  },
};

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
