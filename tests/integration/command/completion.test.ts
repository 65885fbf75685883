import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { completionScript } from '../../../src-main/command/command-line.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

vi.setConfig({ testTimeout: 180_000 });

const run = promisify(execFile);
type Shell = 'bash' | 'zsh' | 'fish';

/** What is typed before the tab key, and the last word after it. A null: the shell offers nothing. */
const lines: readonly (readonly [string, string | null])[] = [
  ['porchlight st', 'status'],
  ['porchlight sign', 'sign-ins'],
  ['porchlight status --js', '--json'],
  ['porchlight mentions --status he', 'held'],
  ['porchlight backup pl', 'plain.zip'],
  ['porchlight backup --data da', 'data-folder'],
  ['porchlight post Hello --photo la', 'lamp.png'],
  ['porchlight post Hello --draft --al', '--alt'],
  ['porchlight help app', 'approve'],
  ['porchlight completion z', 'zsh'],
  ['porchlight status pl', null],
  ['porchlight mentions --limit pl', null],
];

/** A folder with files to complete, and the script of a shell. */
async function scene(shell: Shell) {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'data-folder'));
  for (const name of ['plain.zip', 'lamp.png']) await writeFile(join(folder, name), '');
  const script = join(folder, `script.${shell}`);
  await writeFile(script, completionScript(shell));
  return { folder, script };
}

const whyNot = (program: string) =>
  spawnSync(program, ['--version']).error ? `${program} is not installed` : undefined;

/** Starts of an interactive shell that reads nothing of its user's, with a command that shows its last argument. */
const starts = {
  bash: (script: string) => ({
    file: '.bashrc',
    rc: `source ${script}; PS1='ready> '; bind 'set bell-style none'; bind 'set enable-bracketed-paste off'`,
    command: 'bash --noprofile --rcfile .bashrc -i',
  }),
  zsh: (script: string) => ({
    file: '.zshrc',
    rc: `autoload -Uz compinit; compinit -u; source ${script}; PROMPT='ready> '; unsetopt beep; unset zle_bracketed_paste`,
    command: 'zsh -d -i',
  }),
} as const;

test.for(['bash', 'zsh'] as const)(
  '%s completes commands, options, values and files',
  async (shell, { skip }) => {
    const why = whyNot(shell) ?? whyNot('script');
    if (why !== undefined) skip(why);
    const { folder, script } = await scene(shell);
    const { file, rc, command } = starts[shell](script);
    await writeFile(join(folder, file), `${rc}\nporchlight() { printf 'last<%s>\\n' "\${@: -1}"; }\n`);
    const terminal = spawn('script', ['-qec', command, '/dev/null'], {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, ZDOTDIR: folder, TERM: 'dumb' },
    });
    let shown = '';
    terminal.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
    const completed: [string, string][] = [];
    for (const [line, word] of lines) {
      await expect.poll(() => shown, { timeout: 60_000 }).toMatch(/ready> $/);
      shown = '';
      terminal.stdin.write(`${line}\t`);
      // A shell doesn't complete where more is typed already, and its first completion may take seconds.
      if (word === null) await pause(500);
      else await expect.poll(() => shown, { timeout: 60_000 }).toContain(word);
      terminal.stdin.write('\n');
      await expect.poll(() => shown, { timeout: 60_000 }).toMatch(/last<.*>/);
      completed.push([line, /last<(.*?)\/?>/.exec(shown)?.[1] ?? '']);
    }
    terminal.stdin.write('exit\n');
    await once(terminal, 'exit');
    expect(completed).toEqual(lines.map(([line, word]) => [line, word ?? line.split(' ').at(-1)]));
  },
);

test('fish completes commands, options, values and files', async ({ skip }) => {
  const why = whyNot('fish');
  if (why !== undefined) skip(why);
  const { folder, script } = await scene('fish');
  const options = { cwd: folder, env: { PATH: process.env['PATH'], HOME: folder, XDG_CONFIG_HOME: folder } };
  const offers = async (line: string) => {
    const ask = ['--no-config', '-c', `source ${script}; complete -C "$argv"`, line];
    const { stdout } = await run('fish', ask, options);
    // A tab follows, and what it means.
    return stdout.split('\n').flatMap((one) => (one === '' ? [] : [one.split(/\/?\t|\/?$/)[0]]));
  };
  for (const [line, word] of lines) expect(await offers(line), line).toEqual(word === null ? [] : [word]);
  expect(await offers('porchlight ')).toEqual(expect.arrayContaining(['status', 'backup', 'completion']));
});
