import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sizeInWords } from '../../src-main/command/text.ts';
import type { Result } from '../../src-main/contract/contract.ts';
import { launchChromium } from '../support/chromium.ts';
import { cliProgram, runCli, type CliRun } from '../support/cli.ts';
import { openSite, page, type Site } from '../support/client-app.ts';
import { startHeadless, type HeadlessProcess } from '../support/headless-process.ts';
import { drawing } from '../support/picture-samples.ts';
import { answerOf, ask, signInRequest } from '../support/sign-in.ts';
import { openWebmentionIo } from '../support/webmention-io.ts';

let folder: string;
let porchlight: HeadlessProcess;
let app: Site;

const cli = (args: readonly string[], options: { input?: string; cwd?: string } = {}): Promise<CliRun> =>
  runCli([...args, '--data', porchlight.dataDir], options);

/** The one line of JSON on stdout. Fails where there is more, or where the command failed. */
async function json<T>(args: readonly string[], options: { input?: string } = {}): Promise<T> {
  const { code, stdout, stderr } = await cli([...args, '--json'], options);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^[^\n]+\n$/);
  return JSON.parse(stdout) as T;
}

const waitingSignIn = (parameters: Record<string, string> = {}) =>
  ask({ base: porchlight.ready.baseUrl }, signInRequest(app.origin, parameters));

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'porchlight-cli-'));
  porchlight = await startHeadless({ args: ['--me', 'https://owner.example/', '--allow-private-fetch'] });
  app = await openSite();
  app.pages.set('/', page('<div class="h-app"><a class="u-url p-name" href="/">Quill\u001b[31m</a></div>'));
});

afterAll(async () => {
  await porchlight.remove();
  await app.close();
  await rm(folder, { recursive: true, force: true });
});

describe('the porchlight command with a headless server', () => {
  test('status says how the server is, and --json prints the result of the contract', async () => {
    const { code, stdout } = await cli(['status']);
    expect(code).toBe(0);
    expect(stdout).toContain(
      `Server     On, reachable on this computer only, at ${porchlight.ready.baseUrl}\n`,
    );
    expect(stdout).toContain('Your site  https://owner.example/\n');
    expect(await json(['status'])).toEqual(await porchlight.call('status.get', {}));
  });

  test('open prints a link that opens the window once; a reload keeps it open', async () => {
    const { link } = await json<{ link: string }>(['open']);
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]{43}$/);
    expect(link).not.toContain(porchlight.ready.ownerKey);
    const chromium = await launchChromium();
    const context = await chromium.newContext();
    const first = await context.newPage();
    await first.goto(link);
    const title = first.getByRole('heading', { level: 1 });
    await title.waitFor();
    expect(await title.textContent()).not.toBe('This window is locked');
    const inside = await title.textContent();
    await first.reload();
    await title.waitFor();
    expect(await title.textContent()).toBe(inside);
    expect(first.url()).not.toContain('code=');

    const second = await context.newPage();
    await second.goto(link);
    await second.getByRole('heading', { name: 'This window is locked' }).waitFor();
    await second.getByText('This link was already used').waitFor();

    // A new link opens the tab that is locked, without a reload.
    const { stdout } = await cli(['open', '--print']);
    await second.goto(stdout.trim());
    await second.getByRole('heading', { name: inside ?? '' }).waitFor();
    await chromium.close();
  });

  test('post publishes a text with a photo and prints its address; --draft keeps it back', async () => {
    await writeFile(path.join(folder, 'lamp.png'), await drawing(200, 100).png().toBuffer());
    const { code, stdout, stderr } = await cli(
      ['post', 'From the terminal', '--photo', 'lamp.png', '--alt', 'A lamp'],
      { cwd: folder },
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const shown = await fetch(stdout.trim());
    const html = await shown.text();
    expect(shown.status).toBe(200);
    expect(html).toContain('From the terminal');
    expect(html).toContain('alt="A lamp"');

    const draft = await json<Result<'posts.create'>>(['post', '-', '--draft'], { input: 'Not yet\n' });
    expect(draft).toMatchObject({ status: 'draft', summary: 'Not yet' });
    expect((await fetch(draft.url)).status).toBe(404);
  });

  test('post publishes an article in Markdown with --markdown and --title', async () => {
    const post = await json<Result<'posts.create'>>([
      'post',
      'So *good*',
      '--markdown',
      '--title',
      'On lamps',
    ]);
    expect(post).toMatchObject({ kind: 'article', name: 'On lamps' });
    expect(await (await fetch(post.url)).text()).toContain('<em>good</em>');
  });

  test('post refuses a file that is missing or no picture, and leaves nothing behind', async () => {
    const before = await porchlight.call('media.list', {});
    await writeFile(path.join(folder, 'notes.txt'), 'only words');
    const missing = await cli(['post', 'x', '--photo', path.join(folder, 'nowhere.png')]);
    expect(missing).toMatchObject({ code: 1, stdout: '' });
    expect(missing.stderr).toMatch(/nowhere\.png” can’t be read/);
    const words = await cli(['post', 'x', '--photo', path.join(folder, 'notes.txt')]);
    expect(words).toMatchObject({ code: 1, stdout: '' });
    expect(words.stderr).toMatch(/notes\.txt/);
    expect(await porchlight.call('media.list', {})).toEqual(before);
  });

  test('sign-ins lists who waits, and approve lets exactly that browser in', async () => {
    expect((await cli(['sign-ins'])).stdout).toBe('No sign-ins are waiting.\n');
    const waiting = await waitingSignIn();
    const { stdout } = await cli(['sign-ins']);
    expect(stdout).toMatch(new RegExp(`^${waiting.matchCode} +Quill`, 'm'));
    expect(stdout).not.toContain('\u001b');
    expect(await json(['sign-ins'])).toEqual(await porchlight.call('signIns.list', {}));

    const unasked = await cli(['approve', waiting.matchCode]);
    expect(unasked).toMatchObject({ code: 2, stdout: '' });
    expect(unasked.stderr).toContain('--yes');
    expect(await porchlight.call('signIns.list', {})).toHaveLength(1);

    const approved = await cli(['approve', waiting.matchCode, '--yes']);
    expect(approved.code).toBe(0);
    expect(approved.stderr).toContain(new URL(app.origin).host);
    expect(approved.stderr).toMatch(/create: Publish posts/);
    expect(approved.stdout).toMatch(/^Approved: Quill.*Go back to your browser\.\n$/);
    expect((await answerOf(waiting)).searchParams.get('code')).toBeTruthy();
    const again = await cli(['approve', waiting.matchCode, '--yes']);
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr).toContain(`No sign-in with the code ${waiting.matchCode} is waiting`);
  });

  test.each([
    ['y', true],
    ['', false],
    ['n', false],
  ] as const)('on a terminal, approve asks first: “%s”', async (answer, approves) => {
    const waiting = await waitingSignIn();
    const line = ['exec', process.execPath, cliProgram, 'approve', waiting.matchCode];
    const terminal = spawn('script', [
      '-qec',
      [...line, '--data', porchlight.dataDir].join(' '),
      '/dev/null',
    ]);
    let shown = '';
    let asked = false;
    terminal.stdout.on('data', (chunk: Buffer) => {
      shown += chunk.toString();
      if (asked || !shown.includes('[y/N] ')) return;
      asked = true;
      terminal.stdin.write(`${answer}\r`);
    });
    const [code] = (await once(terminal, 'exit')) as [number];
    expect(code, shown).toBe(approves ? 0 : 1);
    expect(shown).toContain('Sign in to Quill');
    expect(await porchlight.call('signIns.list', {})).toHaveLength(approves ? 0 : 1);
    if (!approves) await porchlight.call('signIns.deny', { id: waiting.id });
  });

  test('import reports its result, and mentions lists the imported mentions', async () => {
    const io = await openWebmentionIo(3);
    io.update(io.rows[1]!, 'Lovely \u001b]0;owned\u0007', Date.UTC(2021, 0, 1));
    await porchlight.call('settings.update', { webmention: { aggregatorUrl: io.origin } });
    const refused = await cli(['import']);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    const done = await cli(['import', '--token-stdin'], { input: `${io.token}\n` });
    expect(done).toMatchObject({ code: 0 });
    expect(done.stdout).toBe('Read 3 mentions of 3 pages: 3 new, 0 updated, 0 removed.\n');
    const { stdout } = await cli(['mentions', '--status', 'approved', '--limit', '5']);
    expect(stdout).toMatch(/^RECEIVED +STATUS +TYPE +FROM +PAGE +TEXT\n(.+\n)*.+ approved +reply +.+Lovely/);
    expect(stdout).not.toContain('\u001b');
    expect(await json(['mentions'])).toEqual(await porchlight.call('webmentions.list', { limit: 20 }));
    await io.close();
  });

  test('mentions leaves out deleted ones, and status counts those that wait', async () => {
    const [first, second, third] = (await porchlight.call('webmentions.list', { limit: 3 })).items;
    await porchlight.call('webmentions.delete', { id: first?.id ?? '' });
    await porchlight.call('webmentions.setStatus', { id: second?.id ?? '', status: 'held' });
    const listed = await json<Result<'webmentions.list'>>(['mentions']);
    expect(listed.items.map(({ id }) => id)).toEqual([second?.id, third?.id]);
    const deleted = await json<Result<'webmentions.list'>>(['mentions', '--status', 'deleted']);
    expect(deleted.items.map(({ id }) => id)).toEqual([first?.id]);
    expect((await cli(['status'])).stdout).toContain('Waiting    1 mention\n');
  });

  test('import PATH imports posts from an archive, once', async () => {
    await mkdir(path.join(folder, 'archive'), { recursive: true });
    const lamp = '---\ntitle: Lamp\ndate: 2020-03-01\n---\nA lamp from the archive.\n';
    await writeFile(path.join(folder, 'archive', 'lamp.md'), lamp);
    const check = await cli(['import', 'archive', '--dry-run'], { cwd: folder });
    expect(check).toMatchObject({ code: 0, stderr: '' });
    expect(check.stdout).toBe('Would import 1 post of 1, 0 files (Markdown files).\n');
    const done = await cli(['import', 'archive'], { cwd: folder });
    expect(done.stdout).toBe('Imported 1 post of 1, 0 files (Markdown files).\n');
    const { items } = await porchlight.call('posts.list', { query: 'archive' });
    expect(items.map(({ name }) => name)).toEqual(['Lamp']);
    const again = await cli(['import', path.join(folder, 'archive')]);
    expect(again.stdout).toMatch(/^Imported 0 posts of 1, 0 files \(Markdown files\)\.\nSkipped \(1\): /);
    expect(await cli(['import', path.join(folder, 'nowhere')])).toMatchObject({ code: 1, stdout: '' });
    expect(await cli(['import', 'archive', '--token-stdin'], { cwd: folder })).toMatchObject({ code: 2 });
  });

  test('backup never replaces a file unasked', async () => {
    const file = path.join(folder, 'kept.zip');
    expect((await cli(['backup', file])).code).toBe(0);
    const before = await readFile(file);
    const again = await cli(['backup', file]);
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr).toContain('already exists. Choose another name, or add --replace.');
    expect((await readFile(file)).equals(before)).toBe(true);
    expect((await cli(['backup', file, '--replace'])).code).toBe(0);
    await writeFile(path.join(folder, 'notes.zip'), 'My own notes.');
    expect(await cli(['backup', path.join(folder, 'notes.zip'), '--replace'])).toMatchObject({ code: 1 });
    expect(await readFile(path.join(folder, 'notes.zip'), 'utf8')).toBe('My own notes.');
  });

  test('backup writes to the caller’s folder, with secrets only under a passphrase', async () => {
    const plain = await cli(['backup', 'plain.zip'], { cwd: folder });
    expect(plain.code, plain.stderr).toBe(0);
    expect(plain.stdout).toContain(`Backed up to ${path.join(folder, 'plain.zip')}`);
    expect(plain.stdout).toContain('Secrets are not in it.');
    const bytes = await readFile(path.join(folder, 'plain.zip'));
    expect(bytes.subarray(0, 2).toString()).toBe('PK');
    expect(bytes.includes('porchlight.sock')).toBe(false);

    const args = ['backup', path.join(folder, 'secret.zip'), '--passphrase-stdin'];
    const made = await json<Result<'data.backup'>>(args, { input: 'correct horse battery\n' });
    expect(made).toMatchObject({ secrets: true });
    const short = await cli(['backup', path.join(folder, 'short.zip'), '--passphrase-stdin'], {
      input: 'short',
    });
    expect(short).toMatchObject({ code: 2, stdout: '' });
  });

  test('on a terminal, backup shows how far it is, and then the file with its size', async () => {
    const file = path.join(folder, 'shown.zip');
    const words = path.join(folder, 'passphrase');
    await writeFile(words, 'correct horse battery\n');
    const onTerminal = async (more: string) => {
      const line = `exec '${process.execPath}' '${cliProgram}' backup '${file}' --data '${porchlight.dataDir}'`;
      const terminal = spawn('script', [
        '-qec',
        `${line} ${more} --passphrase-stdin < '${words}'`,
        '/dev/null',
      ]);
      const [shown] = await Promise.all([text(terminal.stdout), once(terminal, 'exit')]);
      expect(terminal.exitCode, shown).toBe(0);
      return shown;
    };
    const shown = await onTerminal('');
    // Sealing the secrets alone takes longer than the half second between two looks.
    expect(shown).toMatch(
      /\r\u001b\[K(Writing the backup|Encrypting the secrets)\. [^\n]*\r\u001b\[KBacked up to /,
    );
    expect(shown).toContain(`shown.zip (${sizeInWords((await stat(file)).size)}).`);
    const json = await onTerminal('--json --replace');
    expect(JSON.parse(json)).toMatchObject({ path: file, secrets: true });
  });

  test('a mistake on the command line exits with 2 and a message, as JSON if --json was given', async () => {
    for (const args of [
      ['stauts'],
      ['status', '--photo', 'x'],
      ['approve', '4'],
      ['mentions', '--limit', '0'],
    ]) {
      const { code, stdout, stderr } = await cli(args);
      expect({ code, stdout }, args.join(' ')).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^porchlight: .+\n$/);
    }
    const { stderr } = await cli(['approve', '4', '--json']);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'usage' } });
  });
});

describe('the porchlight command without its server', () => {
  test('says how to start one, and ends with 3; also after a kill that left the socket', async () => {
    const none = await runCli(['status', '--data', path.join(folder, 'none')]);
    expect(none).toMatchObject({ code: 3, stdout: '' });
    expect(none.stderr).toContain('npm start');

    const killed = await startHeadless();
    await killed.stop('SIGKILL');
    const after = await runCli(['status', '--data', killed.dataDir]);
    expect(after).toMatchObject({ code: 3, stdout: '' });
    const next = await startHeadless({ dataDir: killed.dataDir });
    expect(await runCli(['status'], { env: { PORCHLIGHT_DATA: killed.dataDir } })).toMatchObject({ code: 0 });
    await next.remove();
  });

  test('finds the server in the usual folder, and asks for --data where two run', async () => {
    const home = path.join(folder, 'home');
    const usual = path.join(home, '.local/share/porchlight');
    await mkdir(usual, { recursive: true });
    const env = { HOME: home, XDG_DATA_HOME: '', XDG_CONFIG_HOME: '' };
    expect(await runCli(['status'], { env })).toMatchObject({ code: 3 });
    const one = await startHeadless({ dataDir: usual });
    expect(await runCli(['status'], { env })).toMatchObject({ code: 0 });
    const two = await startHeadless({ dataDir: path.join(home, '.config/Porchlight/data') });
    const both = await runCli(['status'], { env });
    expect(both).toMatchObject({ code: 2, stdout: '' });
    expect(both.stderr).toContain('--data');
    await one.remove();
    await two.remove();
  });

  test('help and completions need no server', async () => {
    expect(await runCli([])).toMatchObject({ code: 0, stderr: '' });
    expect((await runCli(['help', 'post'])).stdout).toContain('--alt TEXT');
    expect(await runCli(['completion', 'tcsh'])).toMatchObject({ code: 2, stdout: '' });
    expect((await runCli(['completion', 'bash'])).stdout).toMatch(/complete -F _porchlight porchlight\n$/);
  });
});

test('porchlight token prints a token that has the permissions', async () => {
  const { code, stdout } = await cli(['token', 'Notes', '--scope', 'draft', '--scope', 'media']);
  expect(code).toBe(0);
  const headers = { authorization: `Bearer ${stdout.trim()}` };
  expect(await (await fetch(`${porchlight.ready.baseUrl}/token`, { headers })).json()).toMatchObject({
    scope: 'draft media',
  });
  expect(await cli(['token', 'Notes'])).toMatchObject({ code: 2, stdout: '' });
});

describe('porchlight mcp', () => {
  const lines = (...messages: object[]) => messages.map((message) => `${JSON.stringify(message)}\n`).join('');
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'zed', version: '1' } },
  };
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
  const count = {
    jsonrpc: '2.0',
    id: 3,
    method: 'tools/call',
    params: { name: 'post_counts', arguments: {} },
  };

  test('answers lists at once, calls with words, and broken lines with an error', async () => {
    const refused = await cli(['mcp'], { input: lines(initialize) });
    expect(JSON.parse(refused.stdout)).toMatchObject({ id: 1, error: { code: -32603 } });
    await porchlight.call('settings.update', { assistants: { on: true } });
    const { code, stdout } = await cli(['mcp'], { input: `${lines(initialize, list, count)}{broken\n` });
    expect(code).toBe(0);
    const answers = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(answers).toMatchObject([
      { id: 1, result: { serverInfo: { name: 'porchlight' } } },
      { id: 2, result: { tools: { length: 8 } } },
      { id: 3, result: { isError: true } },
      { id: null, error: { code: -32603 } },
    ]);
    // The sign-in ends with the program that asked.
    expect(await porchlight.call('signIns.list', {})).toEqual([]);
    await porchlight.call('settings.update', { assistants: { on: false } });
  });
});

describe('the porchlight command with a server that is not its own', () => {
  test('of another version names both versions, changes nothing, and ends with 4', async () => {
    const main = path.join(folder, 'newer/out/main');
    await cp(path.dirname(cliProgram), main, { recursive: true });
    await writeFile(path.join(folder, 'newer/package.json'), '{"type":"module","version":"9.9.9"}');
    const before = await porchlight.call('posts.list', {});
    const program = path.join(main, 'cli.js');
    const run = await runCli(['post', 'Hello', '--data', porchlight.dataDir], { program });
    expect(run).toMatchObject({ code: 4, stdout: '' });
    expect(run.stderr).toMatch(
      /^porchlight: Porchlight \d+\.\d+\.\d+\S* is running, .* is version 9\.9\.9\./,
    );
    expect(await porchlight.call('posts.list', {})).toEqual(before);
    const args = ['status', '--json', '--data', porchlight.dataDir];
    const { code, stderr } = await runCli(args, { program });
    expect(code).toBe(4);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'other_version' } });
  });

  async function pretend(hello: unknown, mode = 0o600): Promise<{ dataDir: string; server: Server }> {
    const dataDir = await mkdtemp(path.join(folder, 'other-'));
    const server = createServer((_request, response) => response.end(JSON.stringify(hello)));
    const before = process.umask(0o777 & ~mode);
    server.listen(path.join(dataDir, 'porchlight.sock'));
    process.umask(before);
    await once(server, 'listening');
    return { dataDir, server };
  }

  test.each([
    ['another version is 4', { program: 'porchlight', version: '9.9.9' }, 0o600, 4, /9\.9\.9 is running/],
    ['another program is 1', { hello: 'world' }, 0o600, 1, /Another program/],
    ['a socket that others can open is 1', { program: 'porchlight', version: '0' }, 0o666, 1, /other users/],
  ] as const)('%s', async (_, hello, mode, code, words) => {
    const { dataDir, server } = await pretend(hello, mode);
    const run = await runCli(['status', '--data', dataDir]);
    expect(run).toMatchObject({ code, stdout: '' });
    expect(run.stderr).toMatch(words);
    server.close();
  });
});
