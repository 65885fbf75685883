import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { launchChromium } from '../support/chromium.ts';
import { headlessArguments } from '../support/headless-process.ts';
import { patience } from '../support/patience.ts';

const program = path.join(import.meta.dirname, '../../out/main/headless.js');

/** The built program on a terminal, with an opener that notes what it is told to open. */
interface OnTerminal {
  /** Everything that the terminal shows so far. */
  shown(): string;
  /** The arguments of the opener, one a line. */
  readonly openerArguments: string[];
  /** The command lines of all processes, taken while the opener ran. */
  readonly commandLines: string[];
  /** Presses Ctrl-C and resolves with the exit code. */
  interrupt(): Promise<number | null>;
}

let folder: string;
let terminal: OnTerminal;
let chromium: Browser;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'porchlight-owner-key-'));
  chromium = await launchChromium();
  terminal = await startOnTerminal();
});

afterAll(async () => {
  await chromium.close();
  await terminal.interrupt();
  await rm(folder, { recursive: true, force: true });
});

async function startOnTerminal(): Promise<OnTerminal> {
  const opened = path.join(folder, 'opened');
  await mkdir(path.join(folder, 'bin'));
  const opener = path.join(folder, 'bin/xdg-open');
  // Stays for as long as the test looks at the processes, as a browser does.
  await writeFile(
    opener,
    `#!/bin/sh\nprintf '%s\\n' "$@" > ${opened}.part\nmv ${opened}.part ${opened}\nsleep 10\n`,
  );
  await chmod(opener, 0o755);
  const args = headlessArguments(path.join(folder, 'data')).filter(
    (one) => one !== '--no-open' && one !== '--json',
  );
  // exec: a shell in between would answer the interrupt with a status of its own.
  const line = ['exec', process.execPath, program, ...args].join(' ');
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, PATH: `${path.dirname(opener)}:${process.env['PATH'] ?? ''}` },
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const openerArguments = await vi.waitFor(
    async () => (await readFile(opened, 'utf8')).trimEnd().split('\n'),
    patience,
  );
  return {
    shown: () => text,
    openerArguments,
    commandLines: await commandLines(),
    async interrupt() {
      if (child.exitCode === null) child.stdin.write('\u0003');
      const [code] = await exited;
      return code;
    },
  };
}

/** proc(5): what every user of the computer may read of every process. */
async function commandLines(): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  return Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
}

const keyShown = () => /#key=([\w-]+)/.exec(terminal.shown())?.[1] ?? '';

describe('the owner key', () => {
  test('the owner key is in no argument of any process, and is printed for the owner', () => {
    expect(keyShown().length).toBeGreaterThanOrEqual(43);
    expect(terminal.openerArguments).toHaveLength(1);
    const openers = terminal.commandLines.filter((line) => line.includes(terminal.openerArguments[0] ?? '?'));
    expect(openers).not.toEqual([]);
    expect(terminal.commandLines.filter((line) => line.includes(keyShown()))).toEqual([]);
  });

  test('the owner key reaches the browser in a file that only the owner can read, in a folder that only the owner can enter', async () => {
    const [file = ''] = terminal.openerArguments;
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(path.dirname(file))).mode & 0o777).toBe(0o700);
  });

  test('the file with the key opens the window, a reload keeps it open, and neither the address nor the history contains the key', async () => {
    const context = await chromium.newContext();
    const page = await context.newPage();
    await page.goto(`file://${terminal.openerArguments[0] ?? ''}`);
    const title = page.getByRole('heading', { level: 1 });
    await page.waitForURL(/^http:\/\/127\.0\.0\.1:\d+\/#\//);
    await title.waitFor();
    expect(await title.textContent()).not.toBe('This window is locked');
    const inside = await title.textContent();
    await page.reload();
    await title.waitFor();
    expect(await title.textContent()).toBe(inside);
    expect(page.url()).not.toContain(keyShown());
    const session = await context.newCDPSession(page);
    const { entries } = await session.send('Page.getNavigationHistory');
    expect(entries.map(({ url }) => url).join()).not.toContain(keyShown());

    const other = await context.newPage();
    await other.goto(new URL('/', page.url()).href);
    await other.getByRole('heading', { name: 'This window is locked' }).waitFor();
    await context.close();
  });

  test('ends with the program: the file is gone, and the old address says why it opens nothing', async () => {
    const [file = ''] = terminal.openerArguments;
    const oldKey = keyShown();
    expect(await terminal.interrupt()).toBe(0);
    await expect(stat(path.dirname(file))).rejects.toMatchObject({ code: 'ENOENT' });

    await rm(path.join(folder, 'opened'));
    await rm(path.join(folder, 'bin'), { recursive: true });
    terminal = await startOnTerminal();
    const address = /http:\S+#key=/.exec(terminal.shown())?.[0] ?? '';
    const page = await chromium.newPage();
    await page.goto(`${address}${oldKey}`);
    await page.getByText(/has restarted since/).waitFor();
    await page.close();
  });
});
