import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const source = path.join(import.meta.dirname, '../../../src-main/storage/code-cache.ts');
const others = process.platform === 'win32';
let scratch: string;
let dataDir: string;
let cache: string;

beforeEach(() => {
  scratch = mkdtempSync(path.join(tmpdir(), 'porchlight-code-'));
  dataDir = path.join(scratch, 'data');
  cache = path.join(dataDir, 'code-cache');
  mkdirSync(dataDir, { mode: 0o700 });
  writeFileSync(path.join(dataDir, 'lock.sqlite'), '');
  writeFileSync(path.join(scratch, 'program.mjs'), 'export const answer = (n) => n + 1; answer(1);');
});
afterEach(() => rmSync(scratch, { recursive: true }));

/** Runs a process that keeps its compiled code, loads a module, and ends. */
function run(): void {
  const code = `
    const { keepCompiledCode } = await import(${JSON.stringify(source)});
    keepCompiledCode(${JSON.stringify(dataDir)});
    await import(${JSON.stringify(path.join(scratch, 'program.mjs'))});`;
  // A cache that the test run itself uses would take the place of this one.
  const env = { ...process.env };
  delete env['NODE_COMPILE_CACHE'];
  execFileSync(process.execPath, ['--input-type=module', '--eval', code], { env, stdio: 'pipe' });
}

const kept = (folder: string) => readdirSync(folder, { recursive: true }).length;

describe('compiled code', () => {
  test('is kept in a data folder where Porchlight has run, and used again', () => {
    run();
    const first = kept(cache);
    expect(first).toBeGreaterThan(1);
    run();
    expect(kept(cache)).toBe(first);
  });

  test('is made again if a power loss left only parts of it', () => {
    run();
    const files = readdirSync(cache, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
    expect(files.length).toBeGreaterThan(0);
    for (const [index, { parentPath, name }] of files.entries()) {
      const file = path.join(parentPath, name);
      const whole = readFileSync(file);
      writeFileSync(file, index % 2 === 0 ? whole.subarray(0, whole.length / 2) : Buffer.alloc(whole.length));
    }
    run();
    for (const { parentPath, name } of files) writeFileSync(path.join(parentPath, name), Buffer.alloc(0));
    run();
  });

  test('is not kept before the first start, which may refuse the folder', () => {
    rmSync(path.join(dataDir, 'lock.sqlite'));
    run();
    expect(existsSync(cache)).toBe(false);
  });

  test.skipIf(others)('is not kept where other users could place code (Windows has no modes)', () => {
    chmodSync(dataDir, 0o770);
    run();
    expect(existsSync(cache)).toBe(false);
    chmodSync(dataDir, 0o700);
    mkdirSync(cache);
    chmodSync(cache, 0o777);
    run();
    expect(kept(cache)).toBe(0);
  });

  test.skipIf(others)('is not kept behind a symbolic link (Windows needs a privilege for one)', () => {
    const elsewhere = path.join(scratch, 'elsewhere');
    mkdirSync(elsewhere, { mode: 0o700 });
    symlinkSync(elsewhere, cache);
    run();
    expect(kept(elsewhere)).toBe(0);
  });
});
