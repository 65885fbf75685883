import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import react from '@vitejs/plugin-react';
import { bundledReadingThreads } from './tests/support/bundled-reading-threads.ts';

/** Electron's windows share one display, one pointer and one keyring, so these run one at a time. */
const oneAtATime = [
  'tests/e2e/desktop/**/*.test.ts',
  'tests/e2e/packaged.test.ts',
  'tests/e2e/hanging-keychain.test.ts',
  // It waits for most of its time, as they do.
  'tests/e2e/fuzz.test.ts',
];
/**
 * A mock counts only in a file that loads every module itself. An injected request has no connection that could close,
 * so the timer for its body outlives the file. Starting a program takes the longer the more memory the worker has (5 ms
 * in a new worker, 70 ms in one with a gigabyte), and the tests of git and of `data-mover` start many.
 */
const needsOwnWorker = /vi\.mock\(|\.inject\(|support\/git-scene\.ts|'data-mover'/;
/** These start a few programs, so their workers load nothing else. */
const startsPrograms = /node:child_process|support\/(?:built-site|site-generators|small-disk)\.ts/;
const ofWindow = globSync('tests/unit/renderer/**/*.test.{ts,tsx}');
const ofServer = globSync('tests/{unit,integration}/**/*.test.ts').filter((file) => !ofWindow.includes(file));
const filesWith = (pattern: RegExp) => ofServer.filter((file) => pattern.test(readFileSync(file, 'utf8')));
const isolated = filesWith(needsOwnWorker);
const programs = filesWith(startsPrograms).filter((file) => !isolated.includes(file));
/** A worker loads the modules of the program once, not once per file. */
const shared = {
  exclude: [...isolated, ...programs, ...ofWindow],
  isolate: false,
  unstubEnvs: true,
  unstubGlobals: true,
  hookTimeout: 30_000,
};
/** The tests of SQLite run a second time as on a runtime that has none of its own (see storage/sqlite.ts). */
const ofSqlite = [
  'tests/unit/storage/{sqlite,index-database,folder-lock}.test.ts',
  'tests/integration/storage/{lock-race,index-checkpoints}.test.ts',
  'tests/{unit,integration}/storage/records/**/*.test.ts',
];
const withoutSqlite = '--no-experimental-sqlite';
const patient = { testTimeout: 90_000, hookTimeout: 90_000 };

// One runner for all suites, so that one line counts them (see .ci/test.ts). Vitest runs them in the order of their
// names: the files that take longest come first.
export default defineConfig({
  plugins: [react(), bundledReadingThreads()],
  test: {
    // A second, Vitest's own value, is short on a busy computer.
    expect: { poll: { timeout: 20_000 } },
    testTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: { ...shared, name: 'unit', include: ['tests/unit/**/*.test.{ts,tsx}'] },
      },
      {
        extends: true,
        test: { ...shared, name: 'integration', include: ['tests/integration/**/*.test.ts'] },
      },
      {
        extends: true,
        test: { ...shared, name: 'programs', include: programs, exclude: [] },
      },
      {
        extends: true,
        test: {
          ...{ ...shared, name: 'window', include: ofWindow, exclude: [] },
          ...{ environment: 'happy-dom', testTimeout: 60_000 },
        },
      },
      {
        extends: true,
        test: { name: 'isolated', include: isolated, hookTimeout: 30_000 },
      },
      {
        extends: true,
        test: {
          ...{ ...shared, name: 'sqlite-package', include: ofSqlite, exclude: [] },
          ...{ pool: 'forks', execArgv: [withoutSqlite], env: { NODE_OPTIONS: withoutSqlite } },
        },
      },
      {
        extends: true,
        test: {
          ...patient,
          name: 'browser',
          include: ['tests/e2e/**/*.test.ts'],
          exclude: oneAtATime,
        },
      },
      {
        extends: true,
        test: { ...patient, name: 'desktop', include: oneAtATime, fileParallelism: false },
      },
    ],
  },
});
