import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserWindow, MessageBoxOptions } from 'electron';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { onUnexpected, problemOfCrash } from '../../../src-main/desktop/crashes.ts';
import { giveBoxesWindow } from '../../../src-main/desktop/message-box.ts';
import { patience } from '../../support/patience.ts';

const asked = vi.hoisted(() => ({
  answers: [] as number[],
  window: { show: vi.fn() },
  parents: [] as unknown[],
}));
vi.mock('electron', () => ({
  dialog: {
    // An aborted one is closed, which counts as its cancelling button.
    showMessageBox: async (...given: [...unknown[], Required<MessageBoxOptions>]) => {
      const { signal, cancelId } = given.pop() as Required<MessageBoxOptions>;
      asked.parents = given;
      const answer = asked.answers.shift();
      if (answer === undefined) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return { response: answer ?? cancelId };
    },
  },
}));

describe('a failure that nobody expected', () => {
  let folder: string;
  let steps: string[];
  let now: number;
  let isEnding: boolean;
  const fatal = vi.fn();
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'porchlight-crash-'));
    steps = [];
    now = 1_000_000;
    isEnding = false;
  });
  afterEach(async () => {
    fatal.mockReset();
    await rm(folder, { recursive: true, force: true });
  });
  const file = () => join(folder, 'crash.json');
  /** The handler of a fresh process. */
  const start = (answerEnds?: () => AbortSignal) =>
    onUnexpected(
      {
        log: { fatal },
        file: file(),
        stop: () => Promise.resolve(void steps.push('stop')),
        relaunch: () => void steps.push('relaunch'),
        exit: (code) => void steps.push(`exit ${code}`),
        isEnding: () => isEnding,
        now: () => now,
      },
      answerEnds,
    );

  test('ends everything that it can, and starts the app again', async () => {
    await start()(new Error('unexpected'));
    expect(steps).toEqual(['stop', 'relaunch', 'exit 1']);
  });

  test('is in the log before its file is closed', async () => {
    fatal.mockImplementation(() => void steps.push('log'));
    const error = new Error('unexpected');
    await start()(error);
    expect(steps).toEqual(['log', 'stop', 'relaunch', 'exit 1']);
    expect(fatal).toHaveBeenCalledExactlyOnceWith({ err: error }, 'unexpected failure');
  });

  test('that others follow while it ends counts once', async () => {
    const unexpected = start();
    await Promise.all([unexpected(new Error('one')), unexpected('two')]);
    expect(steps).toEqual(['stop', 'relaunch', 'exit 1']);
  });

  test('while the app ends because its owner quit it does not bring it back', async () => {
    isEnding = true;
    await start()(new Error('unexpected'));
    expect(steps).toEqual([]);
    expect(problemOfCrash(file(), now)).toBeUndefined();
  });

  test.each([
    [0, ['stop', 'relaunch', 'exit 1']],
    [1, ['stop', 'exit 1']],
  ])('twice in a minute asks first; answer %i', async (answer, expected) => {
    await start()(new Error('unexpected'));
    steps = [];
    now += 59_000;
    asked.answers = [answer];
    await start()(new Error('unexpected'));
    expect(steps).toEqual(expected);
    expect(asked.answers).toEqual([]);
  });

  test('twice in a minute, with nobody to answer, starts the app again, which reports it and asks again', async () => {
    await start()(new Error('unexpected'));
    steps = [];
    const answering = new AbortController();
    const second = start(() => answering.signal)(new Error('unexpected'));
    await vi.waitFor(() => expect(steps).toEqual(['stop']), patience);
    now += 180_000;
    answering.abort();
    await second;
    expect(steps).toEqual(['stop', 'relaunch', 'exit 1']);
    expect(problemOfCrash(file(), now)).toMatchObject({ code: 'restarted' });
    steps = [];
    asked.answers = [1];
    await start()(new Error('unexpected'));
    expect(steps).toEqual(['stop', 'exit 1']);
  });

  test.each([
    ['darwin', [asked.window]],
    ['linux', []],
  ] as const)('on %s asks if the question can be ended', async (platform, parents) => {
    vi.stubGlobal('process', { ...process, platform });
    giveBoxesWindow(() => asked.window as unknown as BrowserWindow);
    await start()(new Error('unexpected'));
    asked.answers = [1];
    await start()(new Error('unexpected'));
    vi.unstubAllGlobals();
    expect(asked.parents).toEqual(parents);
  });

  test('after more than a minute asks nobody', async () => {
    await start()(new Error('unexpected'));
    now += 60_000;
    steps = [];
    await start()(new Error('unexpected'));
    expect(steps).toEqual(['stop', 'relaunch', 'exit 1']);
  });

  test('is reported to the owner by the next start, and by no later one', async () => {
    expect(problemOfCrash(file(), now)).toBeUndefined();
    await start()(new Error('unexpected'));
    expect(problemOfCrash(file(), now + 5_000)).toMatchObject({ code: 'restarted' });
    expect(problemOfCrash(file(), now + 61_000)).toBeUndefined();
  });
});
