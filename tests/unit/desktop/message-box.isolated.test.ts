import type { BrowserWindow } from 'electron';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { giveBoxesWindow, promptly, showMessageBox } from '../../../src-main/desktop/message-box.ts';

const window = { show: vi.fn() };
const { asked } = vi.hoisted(() => ({
  asked: vi.fn<(...given: unknown[]) => Promise<unknown>>(() => Promise.resolve({ response: 0 })),
}));
vi.mock('electron', () => ({ dialog: { showMessageBox: asked } }));
const give = (given: typeof window | undefined) =>
  giveBoxesWindow(() => given as unknown as BrowserWindow | undefined);

beforeEach(() => give(window));

afterEach(() => {
  vi.unstubAllGlobals();
  vi.clearAllMocks();
});

const box = { message: 'Quill wants to sign you in' };
const on = (platform: NodeJS.Platform) =>
  vi.stubGlobal('process', Object.create(process, { platform: { value: platform } }) as NodeJS.Process);

test('on macOS a box belongs to the owner’s window, or it would hold up the server', async () => {
  on('darwin');
  await showMessageBox(box);
  expect(window.show).toHaveBeenCalledOnce();
  expect(asked).toHaveBeenCalledExactlyOnceWith(window, box);
  give(undefined);
  await showMessageBox(box);
  expect(asked).toHaveBeenLastCalledWith(box);
});

test.each(['linux', 'win32'] as const)(
  'on %s a box stands by itself, and no window comes with it',
  async (system) => {
    on(system);
    await showMessageBox(box);
    expect(window.show).not.toHaveBeenCalled();
    expect(asked).toHaveBeenCalledExactlyOnceWith(box);
  },
);

test('while a dialog is open, a timer wakes the app, so that the answer is not held back', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let press: (button: string) => void = () => undefined;
  const answer = promptly(new Promise<string>((resolve) => (press = resolve)));
  expect(vi.getTimerCount()).toBe(1);
  press('Quit');
  expect(await answer).toBe('Quit');
  expect(vi.getTimerCount()).toBe(0);
  await expect(promptly(Promise.reject(new Error('no dialog')))).rejects.toThrow('no dialog');
  expect(vi.getTimerCount()).toBe(0);
});
