import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connect } from '../../../src-main/command/connection.ts';
import { openOwnerSocket } from '../../../src-main/http/owner-socket.ts';
import { createLog, silentLog } from '../../../src-main/platform/log.ts';
import { findSocket } from '../../../src-main/platform/socket-place.ts';
import { startPorchlight, type Porchlight } from '../../support/porchlight.ts';

let folder: string;
let porchlight: Porchlight;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'porchlight-socket-test-'));
});

afterEach(async () => {
  await porchlight.stop();
  await rm(folder, { recursive: true, force: true });
});

async function start(dataDir: string) {
  porchlight = await startPorchlight({ dataDir });
  return openOwnerSocket({
    owner: porchlight.service.owner,
    dataDir,
    version: '1.2.3',
    log: silentLog,
    openWindow: () => ({ link: null, file: null }),
  });
}

async function socketOf(dataDir: string) {
  const found = await findSocket(dataDir);
  if (typeof found === 'string') throw new Error(`The socket is: ${found}`);
  return found;
}

describe('the owner’s socket', () => {
  test('answers the contract’s calls, with the contract’s own errors', async () => {
    const socket = await start(folder);
    const answering = await connect(await socketOf(folder));
    expect(answering?.version).toBe('1.2.3');
    const status = await answering?.server.call('status.get', {});
    expect(status).toEqual(await porchlight.call('status.get', {}));
    await expect(answering?.server.call('webmentions.list', { limit: 0 })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await expect(answering?.server.call('posts.get', { url: '/nowhere' })).rejects.toMatchObject({
      code: 'not_found',
    });
    await socket.close();
    expect(await findSocket(folder)).toBe('none');
  });

  test.skipIf(process.platform === 'win32')(
    'the owner’s socket is closed to other users, even in a folder that they can enter',
    async () => {
      const socket = await start(folder);
      const place = path.join(folder, 'porchlight.sock');
      expect((await lstat(place)).mode & 0o777).toBe(0o600);
      expect((await stat(folder)).mode & 0o777).toBe(0o700);
      if (process.getuid?.() === 0) {
        await chmod(folder, 0o755);
        const program = `require('node:net').connect(${JSON.stringify(place)})
          .on('error', ({ code }) => console.log(code)).on('connect', () => process.exit(console.log('open')))`;
        const child = spawn(process.execPath, ['-e', program], { uid: 65_534, gid: 65_534, cwd: '/' });
        let said = '';
        child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
        await once(child, 'close');
        expect(said.trim()).toBe('EACCES');
      }
      await socket.close();
    },
  );

  test.skipIf(process.platform === 'win32')(
    'is in a private folder of its own if the data folder’s path is too long, and the data folder says where',
    async () => {
      const dataDir = path.join(folder, 'a-very-long-name-'.repeat(8));
      const socket = await start(dataDir);
      const found = await socketOf(dataDir);
      const place = found.path;
      expect(path.dirname(path.dirname(place))).toBe(tmpdir());
      expect((await stat(path.dirname(place))).mode & 0o777).toBe(0o700);
      expect((await connect(found))?.version).toBe('1.2.3');
      await socket.close();
      expect(await findSocket(dataDir)).toBe('none');
      await expect(stat(path.dirname(place))).rejects.toMatchObject({ code: 'ENOENT' });
    },
  );

  test.skipIf(process.platform === 'win32')(
    'a socket outside the data folder answers only those who know the key in the owner’s file',
    async () => {
      const dataDir = path.join(folder, 'a-very-long-name-'.repeat(8));
      const socket = await start(dataDir);
      const { path: socketPath, key } = await socketOf(dataDir);
      expect((await stat(path.join(dataDir, 'porchlight.sock.place'))).mode & 0o777).toBe(0o600);
      expect(key).toMatch(/^[\w-]{43}$/);
      for (const wrong of [{}, { key: '' }, { key: `${key}x` }])
        await expect(connect({ path: socketPath, ...wrong })).rejects.toMatchObject({
          code: 'not_porchlight',
        });
      await socket.close();
    },
  );

  test.skipIf(process.platform === 'win32')('is not taken from a folder that others can enter', async () => {
    const socket = await start(folder);
    const theirs = await mkdtemp(path.join(tmpdir(), 'porchlight-theirs-'));
    const server = createServer().listen(path.join(theirs, 'porchlight.sock'));
    await once(server, 'listening');
    await chmod(theirs, 0o755);
    const copy = path.join(folder, 'copy');
    await mkdir(copy);
    await writeFile(path.join(copy, 'porchlight.sock.place'), `${path.join(theirs, 'porchlight.sock')}\n`);
    expect(await findSocket(copy)).toBe('not yours');
    server.close();
    await rm(theirs, { recursive: true });
    await socket.close();
  });

  test('replaces the socket that a kill left behind, and is in no backup', async () => {
    await writeFile(path.join(folder, 'porchlight.sock'), 'left');
    await writeFile(path.join(folder, 'porchlight.sock.place'), '/nowhere/porchlight.sock\n');
    const socket = await start(folder);
    expect((await connect(await socketOf(folder)))?.version).toBe('1.2.3');
    expect(await readdir(folder)).not.toContain('porchlight.sock.place');
    const zip = path.join(tmpdir(), `porchlight-socket-${process.pid}.zip`);
    await porchlight.call('data.backup', { path: zip });
    expect((await readFile(zip)).includes('porchlight.sock')).toBe(false);
    await rm(zip);
    await socket.close();
  });

  test('a folder that cannot hold a socket costs a line of the log, and nothing else', async () => {
    porchlight = await startPorchlight({ dataDir: folder });
    const lines: string[] = [];
    const socket = await openOwnerSocket({
      owner: porchlight.service.owner,
      dataDir: path.join(folder, 'missing'),
      version: '1.2.3',
      log: createLog({ level: 'info' }, { write: (line) => void lines.push(line) }),
      openWindow: () => ({ link: null, file: null }),
    });
    expect(lines.join('')).toContain('The porchlight command cannot connect');
    await socket.close();
  });
});
