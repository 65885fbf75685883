import { defineConfig } from 'vitest/config';
import react from '@vitejs/plugin-react';
import { bundledThreads } from './tests/support/bundled-threads.ts';
import { slowness } from './tests/support/patience.ts';

/** How slow this computer is at the start of the run: limits are longer on a busy one. */
const slowdown = slowness();

/**
 * Electron's windows share one display, one pointer and one keyring, so these run one at a time. `npm test` runs those
 * of `quick`, one test for each surface, and `npm test -- --all` the others too.
 */
const quick = 'tests/e2e/quick/**/*.test.ts';
const oneAtATime = [
  'tests/e2e/desktop/**/*.test.ts',
  'tests/e2e/packaged.test.ts',
  'tests/e2e/hanging-keychain.test.ts',
];
/** Thousands of requests, each of which must be answered in time: beside other tests, this takes ten times as long. */
const alone = 'tests/e2e/fuzz.test.ts';
/**
 * These need a worker of their own. A mock counts only in a file that loads every module itself. An injected request has
 * no connection that could close, so the timer for its body outlives the file. Starting a program takes the longer the
 * more memory the worker has (5 ms in a new worker, 70 ms in one with a gigabyte), and the tests of git start many.
 */
const isolated = 'tests/{unit,integration}/**/*.isolated.test.ts';
/** Only `npm test -- --all` runs these. Most of them start programs too. */
const slow = 'tests/{unit,integration}/**/*.slow.test.ts';
const ofWindow = 'tests/unit/renderer/**/*.test.{ts,tsx}';
/** A worker loads the modules of the program once, not once per file. */
const shared = {
  exclude: [isolated, slow, ofWindow],
  isolate: false,
  unstubEnvs: true,
  unstubGlobals: true,
  hookTimeout: 30_000 * slowdown,
};
/** The tests of SQLite run a second time as on a runtime that has none of its own (see storage/sqlite.ts). */
const ofSqlite = [
  'tests/unit/storage/{sqlite,folder-lock}.test.ts',
  'tests/integration/storage/lock-race.test.ts',
  'tests/{unit,integration}/storage/records/**/*.test.ts',
];
const withoutSqlite = '--no-experimental-sqlite';
const patient = { testTimeout: 90_000 * slowdown, hookTimeout: 90_000 * slowdown };

// One runner for all suites, so that one line counts them (see scripts/test.ts). Vitest runs them in the order of their
// names: the files that take longest come first.
export default defineConfig({
  plugins: [react(), bundledThreads()],
  test: {
    // A second, Vitest's own value, is short on a busy computer.
    expect: { poll: { timeout: 20_000 * slowdown } },
    testTimeout: 30_000 * slowdown,
    // Whole values: often only the messages of failures are kept.
    chaiConfig: { truncateThreshold: 0 },
    projects: [
      {
        extends: true,
        test: { ...shared, name: 'unit', include: ['tests/unit/**/*.test.ts'] },
      },
      {
        extends: true,
        test: { ...shared, name: 'integration', include: ['tests/integration/**/*.test.ts'] },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'window',
          include: [ofWindow],
          exclude: [],
          setupFiles: ['tests/support/empty-tab.ts'],
          environment: 'happy-dom',
          testTimeout: 60_000 * slowdown,
        },
      },
      {
        extends: true,
        test: { name: 'isolated', include: [isolated], hookTimeout: 30_000 * slowdown },
      },
      {
        extends: true,
        test: { ...patient, name: 'slow', include: [slow] },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'sqlite-package',
          include: ofSqlite,
          exclude: [],
          pool: 'forks',
          execArgv: [withoutSqlite],
          env: { NODE_OPTIONS: withoutSqlite },
        },
      },
      {
        extends: true,
        test: {
          ...patient,
          name: 'browser',
          include: ['tests/e2e/**/*.test.ts'],
          exclude: [quick, alone, ...oneAtATime],
        },
      },
      {
        extends: true,
        test: { ...patient, name: 'desktop', include: oneAtATime, fileParallelism: false },
      },
      {
        extends: true,
        test: { ...patient, name: 'alone', include: [alone], fileParallelism: false },
      },
      {
        extends: true,
        test: { ...patient, name: 'quick', include: [quick], fileParallelism: false },
      },
    ],
  },
});
