import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DatabaseSync } from '../../../src-main/storage/sqlite.ts';
import { openPowerSupply, whyNoPower } from '../../bench/kills/power.ts';
import { randomOfRequest } from '../../fuzz/random.ts';
import { temporaryFolder } from '../../support/storage-folder.ts';

const reason = whyNoPower();
if (reason) console.log(`The tests of the power-loss recorder are skipped: ${reason}.`);
/** Both that storage/sqlite.ts chooses from. */
const libraries = ['node:sqlite', '@photostructure/sqlite'];
const random = randomOfRequest(1, 1);

/** Runs a script with `dir` as its folder and the module `sqlite` while the power supply records. `ending`: its exit code, null for a kill. */
async function recorded(script: string, sqlite = 'node:sqlite', ending: number | null = 0) {
  const work = realpathSync(await temporaryFolder());
  const dir = path.join(work, 'data');
  mkdirSync(dir);
  writeFileSync(path.join(dir, 'old'), 'old');
  const power = openPowerSupply(dir, work);
  const env = { ...process.env, ...power.record() };
  const program = `const fs = require('node:fs'); const { DatabaseSync } = require('${sqlite}');
    process.chdir(process.argv[1]); (async () => { ${script} })()`;
  const { status, stderr } = spawnSync(process.execPath, ['-e', program, dir], { env, encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(ending);
  return { dir, power };
}

test.skipIf(reason).for(libraries)('the recorder sees every change that Node and %s make', async (sqlite) => {
  const script = `
      fs.writeFileSync('a', 'text'); fs.appendFileSync('a', ' and more'); fs.truncateSync('a', 6);
      fs.copyFileSync('a', 'b'); fs.linkSync('b', 'c'); fs.renameSync('c', 'old'); fs.rmSync('b');
      fs.mkdirSync('d/e', { recursive: true }); fs.writeFileSync('d/e/f', 'deep'); fs.cpSync('d', 'g', { recursive: true });
      fs.rmSync('d', { recursive: true }); fs.mkdtempSync(process.cwd() + '/t-');
      const out = require('node:path').dirname(process.cwd());
      fs.linkSync('a', out + '/linked'); fs.writeFileSync(out + '/in', 'from outside'); fs.renameSync(out + '/in', 'i'); fs.renameSync('a', out + '/a');
      const handle = await fs.promises.open('h', 'w+'); await handle.write(Buffer.from('xyz'), 0, 3, 5);
      await handle.writev([Buffer.from('1'), Buffer.from('2')], 1); await handle.datasync(); await handle.close();
      const stream = fs.createWriteStream('s'); stream.write('one'); stream.end('two'); await new Promise((done) => stream.on('close', done));
      for (let n = 0; n < 3; n += 1) {
        const db = new DatabaseSync('index.sqlite'); db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE IF NOT EXISTS t (x TEXT)');
        for (let row = 0; row < 200; row += 1) db.prepare('INSERT INTO t VALUES (?)').run('x'.repeat(500));
        if (n === 1) db.exec('DELETE FROM t; VACUUM; INSERT INTO t VALUES (1)');
        db.close();
      }`;
  const { power } = await recorded(script, sqlite);
  expect(power.missed(random)).toEqual([]);
});

test.skipIf(reason).for(libraries)(
  'a strict power loss keeps the rows that %s synced, and no others',
  async (sqlite) => {
    const script = `
      const db = new DatabaseSync('index.sqlite'); db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (x TEXT)');
      db.exec("INSERT INTO t VALUES ('kept'); PRAGMA synchronous = NORMAL; INSERT INTO t VALUES ('lost')");
      process.kill(process.pid, 'SIGKILL');`;
    const { dir, power } = await recorded(script, sqlite, null);
    power.lose('strict', random);
    const database = new DatabaseSync(path.join(dir, 'index.sqlite'));
    onTestFinished(() => database.close());
    expect(database.prepare('SELECT x FROM t').all()).toEqual([{ x: 'kept' }]);
  },
);

test.skipIf(reason)(
  'a strict power loss takes everything that was not synced, and keeps the inodes of what stays',
  async () => {
    const { dir, power } = await recorded(`
      const sync = (file) => { const open = fs.openSync(file, 'r+'); fs.fsyncSync(open); fs.closeSync(open); };
      const syncFolder = () => { const open = fs.openSync('.', 'r'); fs.fsyncSync(open); fs.closeSync(open); };
      fs.writeFileSync('kept', 'kept'); sync('kept'); fs.writeFileSync('empty', 'lost'); syncFolder();
      fs.appendFileSync('kept', ' lost'); fs.writeFileSync('lost', 'lost'); sync('lost'); fs.rmSync('old');`);
    const { ino } = statSync(path.join(dir, 'kept'));
    power.lose('strict', random);
    expect(readdirSync(dir).sort()).toEqual(['empty', 'kept', 'old']);
    const read = (name: string) => readFileSync(path.join(dir, name), 'utf8');
    expect([read('kept'), read('empty'), read('old')]).toEqual(['kept', '', 'old']);
    expect(statSync(path.join(dir, 'kept')).ino).toBe(ino);
    expect(existsSync(`${dir}.off`)).toBe(false);
  },
);
